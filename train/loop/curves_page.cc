// SPDX-License-Identifier: Apache-2.0
#include "loop/curves_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/image/png.h"
#include "eval/plot/figure.h"
#include "eval/plot/html_page.h"

namespace calfvo::train {
namespace {

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

Figure TrainFigure(const std::vector<TrainRecord>& records) {
  Figure figure{.title = "training", .height = 1260};
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

// A resumed run may have other sets than the records before it.
Figure SetFigure(const std::vector<HeldOutRecord>& records, const std::string& name) {
  Figure figure{.title = name, .height = 420};
  const auto at = [&name](double MotionScores::*member) {
    return [&name, member](const HeldOutRecord& record) {
      const auto found = std::find_if(record.sets.begin(), record.sets.end(),
                                      [&](const HeldOutRecord::Set& set) { return set.name == name; });
      return found == record.sets.end() ? NAN : found->scores.*member;
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

// The frames of a window side by side, at most 112 pixels high.
std::string Strip(const torch::Tensor& frames) {
  constexpr int64_t kHeight = 112;
  const int64_t factor = (frames.size(1) + kHeight - 1) / kHeight;
  torch::Tensor images = frames.permute({0, 3, 1, 2}).to(torch::kFloat);
  if (factor > 1) images = torch::avg_pool2d(images, factor);
  // [K, 3, H, W] to [H, K, W, 3].
  images = images.round().to(torch::kUInt8).permute({2, 0, 3, 1}).contiguous();
  const auto width = static_cast<int>(images.size(1) * images.size(2));
  return EncodePng(
      {width, static_cast<int>(images.size(0)), PixelFormat::kRgb8, images.data_ptr<uint8_t>(), 3 * width});
}

// Positions of the window's cameras seen from above, x to the right and z ahead, in metres.
Series PathFromAbove(const HeldOutExample& example, bool truth) {
  Series path{.label = truth ? "truth" : "estimate",
              .color = truth ? kReferenceGrey : PaletteColor(0),
              .dashed = truth,
              .start_marker = truth,
              .end_marker = true};
  Rigid3 pose;
  path.x.push_back(0.0);
  path.y.push_back(0.0);
  for (const ScoredPair& pair : example.pairs) {
    pose = pose * (truth ? Rigid3{pair.rotation_truth, pair.translation_truth}
                         : Rigid3{pair.rotation, pair.translation});
    path.x.push_back(pose.translation.x());
    path.y.push_back(pose.translation.z());
  }
  return path;
}

std::string ExampleHtml(const HeldOutExample& example) {
  const MotionScores scores = ScoreMotions(example.pairs);
  return fmt::format("<h3>{}</h3>\n<p>t_rel {:.4f} m (static baseline {:.4f}), r_rel {:.3f}° ({:.3f})</p>\n",
                     EscapeXml(example.set), scores.t_rel, scores.zero_t_rel, scores.r_rel,
                     scores.zero_r_rel) +
         HtmlImage(Strip(example.frames), "frames of the window") +
         HtmlFigure({.title = "path from above",
                     .width = 400,
                     .height = 300,
                     .panels = {{.x_label = "x (m)",
                                 .y_label = "z (m)",
                                 .equal_aspect = true,
                                 .series = {PathFromAbove(example, true), PathFromAbove(example, false)}}}});
}

}  // namespace

void WriteCurvesPage(const TrainLog& log, std::span<const HeldOutExample> examples, std::string_view title,
                     const std::filesystem::path& path) {
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
    body += HtmlFigure(
        {.title = "held-out score",
         .height = 260,
         .panels = {{.x_label = "step",
                     .y_label = "score",
                     .series = {Curve(
                         log.held_out(), [](const HeldOutRecord& r) { return r.score; }, "", 0)}}}});
  }
  body += "<h2>Training</h2>\n" + HtmlFigure(TrainFigure(log.train()));
  if (!log.held_out().empty()) {
    body += "<h2>Held-out sets</h2>\n";
    for (const HeldOutRecord::Set& set : log.held_out().back().sets) {
      body += HtmlFigure(SetFigure(log.held_out(), set.name));
    }
  }
  if (!examples.empty()) {
    body +=
        "<h2>Examples</h2>\n<p>The first windows of each held-out set, the same at every evaluation, with "
        "the "
        "estimates of the last one.</p>\n";
    for (const HeldOutExample& example : examples) body += ExampleHtml(example);
  }
  WriteFileAtomically(path, HtmlPage(title, fmt::format("<p>{}</p>\n{}", EscapeXml(summary), body)));
}

}  // namespace calfvo::train
