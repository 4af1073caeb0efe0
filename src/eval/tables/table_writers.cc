// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/table_writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "calfvo/error.h"
#include "eval/metrics/table.h"
#include "eval/plot/html_page.h"

namespace calfvo {
namespace {

std::string Replaced(std::string_view text,
                     std::span<const std::pair<std::string_view, std::string_view>> rules) {
  std::string result;
  while (!text.empty()) {
    const auto rule =
        std::find_if(rules.begin(), rules.end(), [&](const auto& r) { return text.starts_with(r.first); });
    result += rule == rules.end() ? text.substr(0, 1) : rule->second;
    text.remove_prefix(rule == rules.end() ? 1 : rule->first.size());
  }
  return result;
}

// `text` between the strings of its mark.
std::string Marked(const std::string& text, Mark mark, std::array<std::string_view, 2> best,
                   std::array<std::string_view, 2> second_best) {
  if (mark == Mark::kNone) return text;
  const auto& around = mark == Mark::kBest ? best : second_best;
  return fmt::format("{}{}{}", around[0], text, around[1]);
}

std::string WriteText(std::span<const ResultTable> tables) {
  std::string text;
  for (const ResultTable& table : tables) {
    const bool has_marks = table.has_marks();
    const std::string_view space = has_marks ? " " : "";  // keeps digits below each other
    std::vector<std::vector<std::string>> rows(1);
    for (const std::string& heading : table.heading) rows[0].push_back(fmt::format("{}{}", heading, space));
    for (const auto& row : table.rows) {
      rows.emplace_back();
      for (const TableCell& cell : row) {
        rows.back().push_back(cell.mark == Mark::kNone ? fmt::format("{}{}", cell.text, space)
                                                       : Marked(cell.text, cell.mark, {"", "*"}, {"", "+"}));
      }
    }
    text += fmt::format("{}{}\n\n{}", text.empty() ? "" : "\n", table.title, FormatTable(rows));
    if (has_marks) text += "* best, + second best\n";
    if (!table.note.empty()) text += table.note + '\n';
  }
  return text;
}

std::string MarkdownText(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kRules[] = {
      {"\\", "\\\\"}, {"|", "\\|"}, {"_", "\\_"},  {"*", "\\*"},   {"`", "\\`"},
      {"[", "\\["},   {"]", "\\]"}, {"<", "&lt;"}, {"&", "&amp;"}, {"://", ":&#47;&#47;"}};
  return Replaced(text, kRules);
}

std::string WriteMarkdown(std::span<const ResultTable> tables) {
  std::string text;
  for (const ResultTable& table : tables) {
    text += fmt::format("{}**{}**\n\n", text.empty() ? "" : "\n", MarkdownText(table.title));
    std::string rule = "|";
    text += '|';
    for (const std::string& heading : table.heading) {
      text += fmt::format(" {} |", MarkdownText(heading));
      rule += rule.size() == 1 ? "---|" : "---:|";
    }
    text += '\n' + rule + '\n';
    for (const auto& row : table.rows) {
      text += '|';
      for (const TableCell& cell : row) {
        text +=
            fmt::format(" {} |", Marked(MarkdownText(cell.text), cell.mark, {"**", "**"}, {"<u>", "</u>"}));
      }
      text += '\n';
    }
    if (!table.note.empty()) text += '\n' + MarkdownText(table.note) + '\n';
  }
  return text;
}

std::string LatexText(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kRules[] = {{"\\", "\\textbackslash{}"},
                                                                      {"&", "\\&"},
                                                                      {"%", "\\%"},
                                                                      {"$", "\\$"},
                                                                      {"#", "\\#"},
                                                                      {"_", "\\_"},
                                                                      {"{", "\\{"},
                                                                      {"}", "\\}"},
                                                                      {"~", "\\textasciitilde{}"},
                                                                      {"^", "\\textasciicircum{}"},
                                                                      {"†", "\\textsuperscript{\\dag}"},
                                                                      {"°", "\\textdegree{}"},
                                                                      {"σ", "$\\sigma$"},
                                                                      {"ρ", "$\\rho$"},
                                                                      {"Ω", "$\\Omega$"},
                                                                      {"×", "$\\times$"}};
  return Replaced(text, kRules);
}

std::string WriteLatex(std::span<const ResultTable> tables) {
  std::string text = "% needs booktabs\n";
  for (const ResultTable& table : tables) {
    text += fmt::format("\n\\begin{{table}}\n\\centering\n\\caption{{{}{}{}}}\n\\label{{tab:{}}}\n",
                        LatexText(table.title), table.note.empty() ? "" : ". ", LatexText(table.note),
                        table.name);
    text += fmt::format("\\begin{{tabular}}{{l{}}}\n\\toprule\n", std::string(table.heading.size() - 1, 'r'));
    for (size_t i = 0; i < table.heading.size(); ++i) {
      text += (i > 0 ? " & " : "") + LatexText(table.heading[i]);
    }
    text += " \\\\\n\\midrule\n";
    for (const auto& row : table.rows) {
      for (size_t i = 0; i < row.size(); ++i) {
        text += (i > 0 ? " & " : "") +
                Marked(LatexText(row[i].text), row[i].mark, {"\\textbf{", "}"}, {"\\underline{", "}"});
      }
      text += " \\\\\n";
    }
    text += "\\bottomrule\n\\end{tabular}\n\\end{table}\n";
  }
  return text;
}

// Spreadsheets would evaluate names that begin like a formula.
bool LooksLikeFormula(const std::string& text) {
  if (text.empty() || std::string_view("=+-@").find(text[0]) == std::string_view::npos) return false;
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return text != "-" && *end != '\0';
}

std::string CsvField(const std::string& field) {
  const std::string text = (LooksLikeFormula(field) ? "'" : "") + field;
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  constexpr std::pair<std::string_view, std::string_view> kRules[] = {{"\"", "\"\""}};
  return '"' + Replaced(text, kRules) + '"';
}

std::string WriteCsvTables(std::span<const ResultTable> tables) {
  constexpr const char* kMarks[] = {"", "best", "second"};
  std::string text = "table,row,column,value,mark\n";
  for (const ResultTable& table : tables) {
    for (const auto& row : table.rows) {
      for (size_t i = 1; i < row.size(); ++i) {
        text += fmt::format("{},{},{},{},{}\n", CsvField(table.name), CsvField(row[0].text),
                            CsvField(table.heading[i]), CsvField(row[i].text),
                            kMarks[static_cast<int>(row[i].mark)]);
      }
    }
  }
  return text;
}

std::string WriteHtml(std::span<const ResultTable> tables) {
  std::string text;
  for (const ResultTable& table : tables) {
    text += fmt::format("<h2>{}</h2>\n<table>\n<tr>", EscapeXml(table.title));
    for (const std::string& heading : table.heading) text += fmt::format("<th>{}</th>", EscapeXml(heading));
    text += "</tr>\n";
    for (const auto& row : table.rows) {
      text += "<tr>";
      for (const TableCell& cell : row) {
        text += fmt::format("<td>{}</td>",
                            Marked(EscapeXml(cell.text), cell.mark, {"<b>", "</b>"}, {"<u>", "</u>"}));
      }
      text += "</tr>\n";
    }
    text += "</table>\n";
    if (!table.note.empty()) text += fmt::format("<p>{}</p>\n", EscapeXml(table.note));
    if (table.figure) text += HtmlFigure(*table.figure);
  }
  return HtmlPage("calfvo suite", text);
}

constexpr TableFormat kFormats[] = {{"text", ".txt", WriteText},
                                    {"markdown", ".md", WriteMarkdown},
                                    {"latex", ".tex", WriteLatex},
                                    {"csv", ".csv", WriteCsvTables},
                                    {"html", ".html", WriteHtml}};

}  // namespace

std::span<const TableFormat> TableFormats() {
  return kFormats;
}

const TableFormat& TableFormatFromName(std::string_view name) {
  for (const TableFormat& format : kFormats) {
    if (format.name == name) return format;
  }
  throw Error(fmt::format("unknown format '{}'; expected text, markdown, latex, csv or html", name));
}

}  // namespace calfvo
