// SPDX-License-Identifier: Apache-2.0
#include "eval/report/html_report.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/base/atomic_file.h"
#include "eval/metrics/evaluation_text.h"
#include "eval/plot/html_page.h"

namespace calfvo {

void WriteReport(const EvaluatedPair& pair, const std::filesystem::path& folder,
                 const ReportOptions& options) {
  MakeFolder(folder);
  const std::vector<std::pair<std::string, Figure>> figures = {
      {"path", PathFigure(pair, options.plane)},
      {"position", PositionFigure(pair)},
      {"orientation", OrientationFigure(pair)},
      {"errors", ErrorFigure(pair)},
  };
  std::string body = fmt::format("<pre>{}</pre>\n", EscapeXml(EvaluationText(pair.evaluation)));
  for (const auto& [stem, figure] : figures) {
    WriteFigure(figure, folder / stem);
    body += HtmlFigure(figure);
  }
  if (!options.largest_errors_png.empty()) {
    WriteFileAtomically(folder / "largest-errors.png", options.largest_errors_png);
    body += HtmlImage(options.largest_errors_png, "the images before and after the largest errors");
  }
  WriteFileAtomically(folder / "report.html",
                      HtmlPage(fmt::format("calfvo evaluation: {}", pair.name), body));
}

}  // namespace calfvo
