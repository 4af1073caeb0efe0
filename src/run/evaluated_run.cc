// SPDX-License-Identifier: Apache-2.0
#include "run/evaluated_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "calfvo/error.h"
#include "frames/resize.h"
#include "report/step_sheet.h"
#include "run/run_input.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

// What thumbnails fit into. A phone held upright fills the width.
constexpr int kThumbnailWidth = 240;
constexpr int kThumbnailHeight = 480;

// Of the wanted poses, all in the size that the first gets.
using Thumbnails = std::map<size_t, Thumbnail>;

Thumbnails MakePlaces(const WorstSteps& worst) {
  Thumbnails thumbnails;
  for (const auto& steps : {worst.rotation, worst.translation}) {
    for (const ShownStep& step : steps) {
      thumbnails[step.first];
      thumbnails[step.second];
    }
  }
  return thumbnails;
}

void FillThumbnails(const PictureOfPose& picture_of, Thumbnails& thumbnails) {
  Frame frame;
  int width = 0;
  int height = 0;
  for (auto& [pose, thumbnail] : thumbnails) {
    picture_of(pose, frame);
    if (height == 0) {
      const double scale =
          std::min(double{kThumbnailWidth} / frame.width, double{kThumbnailHeight} / frame.height);
      width = std::max(1, static_cast<int>(std::lround(scale * frame.width)));
      height = std::max(1, static_cast<int>(std::lround(scale * frame.height)));
    }
    thumbnail = {width, height, {}};
    thumbnail.rgb.resize(static_cast<size_t>(width) * static_cast<size_t>(height) * 3);
    Resizer({.in_width = frame.width,
             .in_height = frame.height,
             .out_width = width,
             .out_height = height,
             .width = width,
             .height = height})
        .Run(frame.view(), thumbnail.rgb);
  }
}

std::string WorstStepsPng(const EvaluatedPair& pair, const PictureOfPose& picture_of) {
  const WorstSteps worst = FindWorstSteps(pair);
  Thumbnails thumbnails = MakePlaces(worst);
  if (thumbnails.empty() || !picture_of) return "";
  FillThumbnails(picture_of, thumbnails);
  return StepSheetPng(worst, [&](size_t pose) -> const Thumbnail& { return thumbnails.at(pose); });
}

}  // namespace

PicturesAgain::PicturesAgain(const std::string& input, const SourceOptions& options)
    : input_(input), source_(OpenInput(input, options)) {}

void PicturesAgain::Read(size_t pose, Frame& picture) {
  for (; read_ <= pose; ++read_) {
    if (source_->Next(picture)) continue;
    throw Error(fmt::format("{}: ends at frame {} when it is read again; it had more", input_, read_));
  }
}

bool CanBeReadAgain(const std::string& input) {
  if (!IsPath(input)) return false;
  std::error_code ignored;
  const fs::file_type type = fs::status(InputPath(input), ignored).type();
  return type != fs::file_type::fifo && type != fs::file_type::character && type != fs::file_type::socket;
}

void WriteRunReport(EvaluatedPair pair, std::span<const PoseStep> steps, const PictureOfPose& picture_of,
                    const fs::path& folder) {
  std::vector<StepSigma> sigmas;
  std::vector<int64_t> frames;
  for (const PoseStep& step : steps) {
    sigmas.push_back({step.sigma_translation_m, step.sigma_rotation_rad * 180.0 / std::numbers::pi});
    frames.push_back(step.frame);
  }
  const bool has_confidence = std::none_of(
      steps.begin(), steps.end(), [](const PoseStep& step) { return std::isnan(step.sigma_rotation_rad); });
  if (has_confidence) pair.sigmas = sigmas;
  pair.frames = frames;
  WriteReport(pair, folder, {.largest_errors_png = WorstStepsPng(pair, picture_of)});
}

}  // namespace calfvo
