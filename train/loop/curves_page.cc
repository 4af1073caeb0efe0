// SPDX-License-Identifier: Apache-2.0
#include "loop/curves_page.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "plot/figure.h"
#include "plot/svg_canvas.h"

namespace calfvo::train {
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
h2 {{ font-size: 1.2rem; margin-top: 2rem; }}
table {{ border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }}
th, td {{ padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid #e2e5ea; }}
th:first-child, td:first-child {{ text-align: left; }}
figure {{ margin: 1rem 0; }}
svg {{ width: 100%; height: auto; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{summary}</p>
{body}</body>
</html>
)";

constexpr std::string_view kTableHead =
    "<table>\n<tr><th>set</th><th>t_rel (m)</th><th>zero</th><th>constant</th><th>r_rel (°)</th><th>zero</th>"
    "<th>constant</th><th>length ratio</th><th>cosine</th><th>t within</th><th>r within</th></tr>\n";

template <typename Record, typename Value>
Series Curve(const std::vector<Record>& records, Value value, std::string label, size_t color,
             bool dashed = false) {
  Series series{.label = std::move(label), .color = PaletteColor(color), .dashed = dashed};
  for (const Record& record : records) {
    series.x.push_back(static_cast<double>(record.step));
    series.y.push_back(value(record));
  }
  return series;
}

std::string Inline(const Figure& figure) {
  const std::string svg = RenderSvg(figure);
  // An XML declaration may stand at the start of a file but not inside a page.
  return fmt::format("<figure>\n{}</figure>\n", svg.substr(svg.find("<svg")));
}

Figure TrainFigure(const std::vector<TrainRecord>& records) {
  Figure figure{.title = "training", .height = 900};
  const auto panel = [&](const char* label, auto value) {
    figure.panels.push_back({.x_label = "step", .y_label = label, .series = {Curve(records, value, "", 0)}});
  };
  panel("loss", [](const TrainRecord& r) { return r.loss; });
  panel("rotation (°)", [](const TrainRecord& r) { return r.rotation_deg; });
  panel("translation (m)", [](const TrainRecord& r) { return r.translation_m; });
  panel("image motion (patches)", [](const TrainRecord& r) { return r.motion; });
  panel("log10 gradient norm", [](const TrainRecord& r) { return std::log10(r.gradient_norm); });
  panel("learning rate", [](const TrainRecord& r) { return r.learning_rate; });
  panel("windows/s", [](const TrainRecord& r) { return r.windows_per_s; });
  return figure;
}

// Of the set at index `set` of every record; sets do not change within a run.
Figure SetFigure(const std::vector<HeldOutRecord>& records, size_t set) {
  Figure figure{.title = records.back().sets[set].name, .height = 420};
  const auto at = [set](double MotionScores::*member) {
    return [set, member](const HeldOutRecord& record) {
      return set < record.sets.size() ? record.sets[set].scores.*member : NAN;
    };
  };
  figure.panels.push_back(
      {.x_label = "step",
       .y_label = "t_rel (m)",
       .series = {Curve(records, at(&MotionScores::t_rel), "network", 0),
                  Curve(records, at(&MotionScores::zero_t_rel), "no motion", 1, true),
                  Curve(records, at(&MotionScores::constant_t_rel), "best constant", 2, true)}});
  figure.panels.push_back(
      {.x_label = "step",
       .y_label = "r_rel (°)",
       .series = {Curve(records, at(&MotionScores::r_rel), "network", 0),
                  Curve(records, at(&MotionScores::zero_r_rel), "no motion", 1, true),
                  Curve(records, at(&MotionScores::constant_r_rel), "best constant", 2, true)}});
  return figure;
}

std::string Table(const HeldOutRecord& record) {
  std::string table(kTableHead);
  for (const auto& [name, s] : record.sets) {
    table += fmt::format(
        "<tr><td>{}</td><td>{:.4f}</td><td>{:.4f}</td><td>{:.4f}</td><td>{:.3f}</td><td>{:.3f}</"
        "td><td>{:.3f}</td>"
        "<td>{:.2f}</td><td>{:.3f}</td><td>{:.2f}</td><td>{:.2f}</td></tr>\n",
        EscapeXml(name), s.t_rel, s.zero_t_rel, s.constant_t_rel, s.r_rel, s.zero_r_rel, s.constant_r_rel,
        s.scale_ratio, s.cosine, s.within_t, s.within_r);
  }
  return table + "</table>\n";
}

}  // namespace

void WriteCurvesPage(const TrainLog& log, std::string_view title, const std::filesystem::path& path) {
  std::string body;
  std::string summary = "no step was taken yet";
  if (!log.train().empty()) {
    const TrainRecord& last = log.train().back();
    summary =
        fmt::format("step {}, {:.1f} minutes, loss {:.4f}", last.step, last.elapsed_s / 60.0, last.loss);
  }
  if (!log.held_out().empty()) {
    const HeldOutRecord& last = log.held_out().back();
    body += fmt::format("<h2>Held out, after {} steps: score {:.4f}</h2>\n{}", last.step, last.score,
                        Table(last));
    body +=
        Inline({.title = "held-out score",
                .height = 260,
                .panels = {{.x_label = "step",
                            .y_label = "score",
                            .series = {Curve(
                                log.held_out(), [](const HeldOutRecord& r) { return r.score; }, "", 0)}}}});
  }
  body += "<h2>Training</h2>\n" + Inline(TrainFigure(log.train()));
  if (!log.held_out().empty()) {
    body += "<h2>Held-out sets</h2>\n";
    for (size_t set = 0; set < log.held_out().back().sets.size(); ++set)
      body += Inline(SetFigure(log.held_out(), set));
  }
  WriteFileAtomically(path, fmt::format(kPage, fmt::arg("title", EscapeXml(title)),
                                        fmt::arg("summary", EscapeXml(summary)), fmt::arg("body", body)));
}

}  // namespace calfvo::train
