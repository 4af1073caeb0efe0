// SPDX-License-Identifier: Apache-2.0
#include "eval/report/html_report.h"

#include <fmt/format.h>

#include <array>

#include "core/base/atomic_file.h"
#include "eval/metrics/evaluation_text.h"
#include "eval/plot/html_page.h"

namespace calfvo {

namespace {

constexpr std::array kFigures = {"path", "position", "orientation", "errors"};
constexpr const char* kPage = "report.html";

}  // namespace

std::vector<std::string> ReportFiles() {
  std::vector<std::string> files = {kPage};
  for (const char* figure : kFigures) {
    for (const char* extension : {"png", "svg"}) files.push_back(fmt::format("{}.{}", figure, extension));
  }
  return files;
}

void WriteReport(const EvaluatedPair& pair, const std::filesystem::path& folder,
                 const ReportOptions& options) {
  MakeFolder(folder);
  const std::array<Figure, kFigures.size()> figures = {PathFigure(pair, options.plane), PositionFigure(pair),
                                                       OrientationFigure(pair), ErrorFigure(pair)};
  std::string body = fmt::format("<pre>{}</pre>\n", EscapeXml(EvaluationText(pair.evaluation)));
  for (size_t i = 0; i < figures.size(); ++i) {
    WriteFigure(figures[i], folder / kFigures[i]);
    body += HtmlFigure(figures[i]);
  }
  if (!options.largest_errors_png.empty()) {
    WriteFileAtomically(folder / "largest-errors.png", options.largest_errors_png);
    body += HtmlImage(options.largest_errors_png, "the images before and after the largest errors");
  }
  WriteFileAtomically(folder / kPage, HtmlPage(fmt::format("calfvo evaluation: {}", pair.name), body));
}

}  // namespace calfvo
