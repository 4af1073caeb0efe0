// SPDX-License-Identifier: Apache-2.0
#include "report/step_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "calfvo/error.h"
#include "geometry/so3.h"
#include "plot/png.h"
#include "plot/raster_canvas.h"
#include "report/step_errors.h"

namespace calfvo {
namespace {

constexpr int kMargin = 16;  // px, as are all of these
constexpr int kGap = 4;      // between the pictures of a step
constexpr int kHeading = 30;
constexpr int kCaption = 22;
constexpr int kMinColumn = 480;  // which captions fit into

std::vector<ShownStep> Shown(const EvaluatedPair& pair, std::span<const double> errors, const char* unit,
                             const std::function<double(const Rigid3&)>& size_of, double StepSigma::*sigma) {
  constexpr size_t kCount = 4;
  constexpr size_t kApart = 8;
  const std::vector<StepSigma> sigmas = SigmasOfSteps(pair);
  std::vector<ShownStep> shown;
  for (const size_t i : LargestErrors(errors, kCount, kApart)) {
    const PosePair& from = pair.evaluation.pairs[i];
    const PosePair& to = pair.evaluation.pairs[i + 1];
    const Rigid3 motion = pair.reference.world_from_camera[from.reference].Inverse() *
                          pair.reference.world_from_camera[to.reference];
    const std::string steps = pair.frames.empty() ? fmt::format("poses {}, {}", from.estimate, to.estimate)
                                                  : fmt::format("frames {}, {}", pair.frames[from.estimate],
                                                                pair.frames[to.estimate]);
    std::string caption =
        fmt::format("{}: off by {:.3g}{} of {:.3g}{}", steps, errors[i], unit, size_of(motion), unit);
    if (!sigmas.empty()) caption += fmt::format(", σ {:.2g}{}", sigmas[i].*sigma, unit);
    shown.push_back({from.estimate, to.estimate, std::move(caption)});
  }
  return shown;
}

// Pixels of the whole sheet.
class Sheet {
 public:
  explicit Sheet(const RasterCanvas& canvas)
      : width_(canvas.pixel_width()),
        height_(canvas.pixel_height()),
        rgba_(canvas.pixels().begin(), canvas.pixels().end()) {}

  void Paste(const Thumbnail& picture, int left, int top) {
    for (int y = 0; y < picture.height; ++y) {
      for (int x = 0; x < picture.width; ++x) {
        const uint8_t* from = &picture.rgb[3 * (static_cast<size_t>(y) * static_cast<size_t>(picture.width) +
                                                static_cast<size_t>(x))];
        std::copy_n(from, 3,
                    &rgba_[4 * (static_cast<size_t>(top + y) * static_cast<size_t>(width_) +
                                static_cast<size_t>(left + x))]);
      }
    }
  }
  std::string Png() const { return EncodePng({width_, height_, 4, rgba_.data(), 4 * ptrdiff_t{width_}}); }

 private:
  int width_;
  int height_;
  std::vector<uint8_t> rgba_;
};

}  // namespace

WorstSteps FindWorstSteps(const EvaluatedPair& pair) {
  const auto angle_deg = [](const Rigid3& motion) {
    return LogSO3(motion.rotation).norm() * 180.0 / std::numbers::pi;
  };
  const auto length_m = [](const Rigid3& motion) { return motion.translation.norm(); };
  return {Shown(pair, pair.evaluation.rpe_rot_deg, "°", angle_deg, &StepSigma::rotation_deg),
          Shown(pair, pair.evaluation.rpe_trans_m, " m", length_m, &StepSigma::translation_m)};
}

std::string StepSheetPng(const WorstSteps& steps,
                         const std::function<const Thumbnail&(size_t pose)>& thumbnail_of) {
  if (steps.rotation.empty() && steps.translation.empty()) throw Error("there are no steps to show");
  const ShownStep& any = steps.rotation.empty() ? steps.translation[0] : steps.rotation[0];
  const Thumbnail& model = thumbnail_of(any.first);
  const int column = std::max(2 * model.width + kGap, kMinColumn);
  const int row = kCaption + model.height + kMargin / 2;
  const auto rows = static_cast<int>(std::max(steps.rotation.size(), steps.translation.size()));
  const auto left_of = [&](bool is_right) { return kMargin + (is_right ? column + kMargin : 0); };
  const auto top_of = [&](size_t i) { return kMargin + kHeading + static_cast<int>(i) * row; };

  RasterCanvas canvas(2 * column + 3 * kMargin, kMargin + kHeading + rows * row + kMargin / 2);
  for (const bool is_right : {false, true}) {
    const double x = left_of(is_right);
    canvas.Text({x, kMargin + 14.0},
                is_right ? "Largest errors of translation" : "Largest errors of rotation", {.size = 17.0});
    const auto& shown = is_right ? steps.translation : steps.rotation;
    for (size_t i = 0; i < shown.size(); ++i) {
      canvas.Text({x, top_of(i) + kCaption - 7.0}, shown[i].caption, {.size = 13.0});
    }
  }
  Sheet sheet(canvas);
  for (const bool is_right : {false, true}) {
    const auto& shown = is_right ? steps.translation : steps.rotation;
    for (size_t i = 0; i < shown.size(); ++i) {
      int left = left_of(is_right);
      for (const size_t pose : {shown[i].first, shown[i].second}) {
        const Thumbnail& picture = thumbnail_of(pose);
        if (picture.width != model.width || picture.height != model.height) {
          throw Error(fmt::format("the picture of pose {} is {}x{}; expected {}x{} as the others", pose,
                                  picture.width, picture.height, model.width, model.height));
        }
        sheet.Paste(picture, left, top_of(i) + kCaption);
        left += model.width + kGap;
      }
    }
  }
  return sheet.Png();
}

}  // namespace calfvo
