// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/table_writers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<ResultTable> Tables() {
  return {{.name = "accuracy",
           .title = "Errors in °, a_b",
           .note = "50 % & more",
           .heading = {"method", "TUM t_rel"},
           .rows = {{{"A<b>†"}, {"0.5", Mark::kBest}},
                    {{"B, \"c\""}, {"10.5", Mark::kSecondBest}},
                    {{"D|e"}, {"-"}}}},
          {.name = "scale", .title = "Scale", .heading = {"set", "1σ ×ρΩ"}, .rows = {{{"x"}, {"1"}}}}};
}

std::string Written(const char* format) {
  return TableFormatFromName(format).write(Tables());
}

TEST(TableWriters, Text) {
  EXPECT_EQ(Written("text"),
            "Errors in °, a_b\n\n"
            "method   TUM t_rel\n"
            "A<b>†          0.5*\n"
            "B, \"c\"        10.5+\n"
            "D|e              -\n"
            "* best, + second best\n"
            "50 % & more\n"
            "\n"
            "Scale\n\n"
            "set  1σ ×ρΩ\n"
            "x         1\n");
}

TEST(TableWriters, Markdown) {
  EXPECT_EQ(Written("markdown"),
            "**Errors in °, a\\_b**\n\n"
            "| method | TUM t\\_rel |\n"
            "|---|---:|\n"
            "| A&lt;b>† | **0.5** |\n"
            "| B, \"c\" | <u>10.5</u> |\n"
            "| D\\|e | - |\n"
            "\n50 % &amp; more\n"
            "\n**Scale**\n\n"
            "| set | 1σ ×ρΩ |\n"
            "|---|---:|\n"
            "| x | 1 |\n");
}

TEST(TableWriters, Latex) {
  const std::string latex = Written("latex");
  EXPECT_THAT(latex, HasSubstr("\\caption{Errors in \\textdegree{}, a\\_b. 50 \\% \\& more}\n"
                               "\\label{tab:accuracy}\n"
                               "\\begin{tabular}{lr}\n"
                               "\\toprule\n"
                               "method & TUM t\\_rel \\\\\n"
                               "\\midrule\n"
                               "A<b>\\textsuperscript{\\dag} & \\textbf{0.5} \\\\\n"
                               "B, \"c\" & \\underline{10.5} \\\\\n"
                               "D|e & - \\\\\n"
                               "\\bottomrule\n"));
  EXPECT_THAT(latex, HasSubstr("\\caption{Scale}\n"));
  EXPECT_THAT(latex, HasSubstr("set & 1$\\sigma$ $\\times$$\\rho$$\\Omega$ \\\\\n"));
}

TEST(TableWriters, Csv) {
  EXPECT_EQ(Written("csv"),
            "table,row,column,value,mark\n"
            "accuracy,A<b>†,TUM t_rel,0.5,best\n"
            "accuracy,\"B, \"\"c\"\"\",TUM t_rel,10.5,second\n"
            "accuracy,D|e,TUM t_rel,-,\n"
            "scale,x,1σ ×ρΩ,1,\n");
}

// Names of sequences and models come from files.
TEST(TableWriters, HostileNamesAreText) {
  const std::vector<ResultTable> tables = {
      {.name = "t",
       .title = "T",
       .heading = {"set", "v"},
       .rows = {{{"=1+2"}, {"-1"}}, {{"-x"}, {"-"}}, {{"[a](b://c)`d`"}, {"1"}}}}};
  EXPECT_THAT(TableFormatFromName("csv").write(tables), HasSubstr("t,'=1+2,v,-1,\nt,'-x,v,-,\n"));
  EXPECT_THAT(TableFormatFromName("markdown").write(tables),
              HasSubstr("| \\[a\\](b:&#47;&#47;c)\\`d\\` | 1 |"));
}

TEST(TableWriters, Html) {
  const std::string html = Written("html");
  EXPECT_THAT(html, HasSubstr("<h2>Errors in °, a_b</h2>\n<table>\n"
                              "<tr><th>method</th><th>TUM t_rel</th></tr>\n"
                              "<tr><td>A&lt;b&gt;†</td><td><b>0.5</b></td></tr>\n"));
  EXPECT_THAT(html, HasSubstr("<td><u>10.5</u></td>"));
  EXPECT_THAT(html, HasSubstr("<p>50 % &amp; more</p>"));
}

TEST(TableWriters, HtmlHoldsTheFigures) {
  std::vector<ResultTable> tables = Tables();
  EXPECT_THAT(Written("html"), Not(HasSubstr("data:image/svg+xml")));
  tables[1].figure = Figure{.title = "how it looks", .panels = {{.series = {{.x = {0, 1}, .y = {0, 1}}}}}};
  const std::string html = TableFormatFromName("html").write(tables);
  EXPECT_THAT(html, HasSubstr("data:image/svg+xml"));
  EXPECT_THAT(html, HasSubstr("how it looks"));
}

TEST(TableWriters, UnknownFormats) {
  EXPECT_THAT(ErrorFrom([] { TableFormatFromName("pdf"); }),
              HasSubstr("unknown format 'pdf'; expected text, markdown, latex, csv or html"));
}

}  // namespace
}  // namespace calfvo
