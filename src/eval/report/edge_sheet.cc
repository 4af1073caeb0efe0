// SPDX-License-Identifier: Apache-2.0
#include "eval/report/edge_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "calfvo/error.h"
#include "core/geometry/so3.h"
#include "eval/plot/canvas.h"
#include "eval/report/edge_errors.h"

namespace calfvo {
namespace {

constexpr int kMargin = 16;  // px, as are all of these
constexpr int kGap = 4;      // between the images of an edge
constexpr int kHeading = 30;
constexpr int kCaption = 22;
constexpr int kMinColumn = 480;  // which captions fit into

std::vector<ShownEdge> Shown(const EvaluatedPair& pair, std::span<const double> errors, const char* unit,
                             const std::function<double(const Rigid3&)>& size_of, double EdgeSigma::*sigma) {
  constexpr size_t kCount = 4;
  constexpr size_t kApart = 8;
  const std::vector<EdgeSigma> sigmas = EdgeSigmas(pair);
  std::vector<ShownEdge> shown;
  for (const size_t i : LargestErrors(errors, kCount, kApart)) {
    const PosePair& from = pair.evaluation.pairs[i];
    const PosePair& to = pair.evaluation.pairs[i + 1];
    const Rigid3 motion = pair.reference.world_from_camera[from.reference].Inverse() *
                          pair.reference.world_from_camera[to.reference];
    const std::string edges = pair.frames.empty() ? fmt::format("poses {}, {}", from.estimate, to.estimate)
                                                  : fmt::format("frames {}, {}", pair.frames[from.estimate],
                                                                pair.frames[to.estimate]);
    std::string caption =
        fmt::format("{}: off by {:.3g}{} of {:.3g}{}", edges, errors[i], unit, size_of(motion), unit);
    if (!sigmas.empty()) caption += fmt::format(", σ {:.2g}{}", sigmas[i].*sigma, unit);
    shown.push_back({from.estimate, to.estimate, std::move(caption)});
  }
  return shown;
}

}  // namespace

WorstEdges FindWorstEdges(const EvaluatedPair& pair) {
  const auto angle_deg = [](const Rigid3& motion) {
    return LogSO3(motion.rotation).norm() * 180.0 / std::numbers::pi;
  };
  const auto length_m = [](const Rigid3& motion) { return motion.translation.norm(); };
  return {Shown(pair, pair.evaluation.rpe_rot_deg, "°", angle_deg, &EdgeSigma::rotation_deg),
          Shown(pair, pair.evaluation.rpe_trans_m, " m", length_m, &EdgeSigma::translation_m)};
}

std::string EdgeSheetPng(const WorstEdges& edges,
                         const std::function<const Thumbnail&(size_t pose)>& thumbnail_of) {
  if (edges.rotation.empty() && edges.translation.empty()) throw Error("there are no edges to show");
  const ShownEdge& any = edges.rotation.empty() ? edges.translation[0] : edges.rotation[0];
  const Thumbnail& model = thumbnail_of(any.first);
  const int column = std::max(2 * model.width + kGap, kMinColumn);
  const int row = kCaption + model.height + kMargin / 2;
  const auto rows = static_cast<int>(std::max(edges.rotation.size(), edges.translation.size()));
  const auto left_of = [&](bool is_right) { return kMargin + (is_right ? column + kMargin : 0); };
  const auto top_of = [&](size_t i) { return kMargin + kHeading + static_cast<int>(i) * row; };

  Canvas canvas(Canvas::Format::kPng, 2 * column + 3 * kMargin,
                kMargin + kHeading + rows * row + kMargin / 2);
  for (const bool is_right : {false, true}) {
    const double x = left_of(is_right);
    canvas.Text({x, kMargin + 14.0},
                is_right ? "Largest errors of translation" : "Largest errors of rotation", {.size = 17.0});
    const auto& shown = is_right ? edges.translation : edges.rotation;
    for (size_t i = 0; i < shown.size(); ++i) {
      canvas.Text({x, top_of(i) + kCaption - 7.0}, shown[i].caption, {.size = 13.0});
      double left = x;
      for (const size_t pose : {shown[i].first, shown[i].second}) {
        const Thumbnail& image = thumbnail_of(pose);
        if (image.width != model.width || image.height != model.height) {
          throw Error(fmt::format("the image of pose {} is {}x{}; expected {}x{} as the others", pose,
                                  image.width, image.height, model.width, model.height));
        }
        canvas.Image(
            {left, static_cast<double>(top_of(i) + kCaption)},
            {image.width, image.height, PixelFormat::kRgb8, image.rgb.data(), ptrdiff_t{3} * image.width});
        left += model.width + kGap;
      }
    }
  }
  return canvas.Finish();
}

}  // namespace calfvo
