// SPDX-License-Identifier: Apache-2.0
#include "report/html_report.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "eval/evaluation_text.h"
#include "plot/svg_canvas.h"

namespace calfvo {
namespace {

constexpr std::string_view kPage = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #262a30; max-width: 960px; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.5rem; }}
pre {{ background: #f4f5f7; padding: 1rem; overflow-x: auto; font-size: 0.85rem; line-height: 1.4; }}
figure {{ margin: 2rem 0; }}
svg {{ width: 100%; height: auto; }}
</style>
</head>
<body>
<h1>{title}</h1>
<pre>{summary}</pre>
{figures}</body>
</html>
)";

}  // namespace

void WriteReport(const EvaluatedPair& pair, const std::filesystem::path& folder, ViewPlane plane) {
  MakeFolder(folder);
  const std::vector<std::pair<std::string, Figure>> figures = {
      {"path", PathFigure(pair, plane)},
      {"position", PositionFigure(pair)},
      {"orientation", OrientationFigure(pair)},
      {"errors", ErrorFigure(pair)},
  };
  std::string inline_figures;
  for (const auto& [stem, figure] : figures) {
    const std::string svg = RenderSvg(figure);
    WriteFileAtomically(folder / (stem + ".svg"), svg);
    WriteFileAtomically(folder / (stem + ".png"), RenderPng(figure));
    // An XML declaration may stand at the start of a file but not inside a page.
    inline_figures += fmt::format("<figure>\n{}</figure>\n", svg.substr(svg.find("<svg")));
  }
  WriteFileAtomically(
      folder / "report.html",
      fmt::format(kPage, fmt::arg("title", EscapeXml(fmt::format("calfvo evaluation: {}", pair.name))),
                  fmt::arg("summary", EscapeXml(EvaluationText(pair.evaluation))),
                  fmt::arg("figures", inline_figures)));
}

}  // namespace calfvo
