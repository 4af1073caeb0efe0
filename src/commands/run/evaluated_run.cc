// SPDX-License-Identifier: Apache-2.0
#include "commands/run/evaluated_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "calfvo/error.h"
#include "commands/run/run_input.h"
#include "core/image/resize.h"
#include "eval/report/edge_sheet.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

// The largest thumbnail. Upright phone video fills the width.
constexpr int kThumbnailWidth = 240;
constexpr int kThumbnailHeight = 480;

// Of the poses shown, all of the first one's size.
using Thumbnails = std::map<size_t, Thumbnail>;

Thumbnails MakePlaces(const WorstEdges& worst) {
  Thumbnails thumbnails;
  for (const auto& edges : {worst.rotation, worst.translation}) {
    for (const ShownEdge& edge : edges) {
      thumbnails[edge.first];
      thumbnails[edge.second];
    }
  }
  return thumbnails;
}

void FillThumbnails(const ImageOfPose& image_of, Thumbnails& thumbnails) {
  Frame frame;
  int width = 0;
  int height = 0;
  for (auto& [pose, thumbnail] : thumbnails) {
    image_of(pose, frame);
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

std::string WorstEdgesPng(const EvaluatedPair& pair, const ImageOfPose& image_of) {
  const WorstEdges worst = FindWorstEdges(pair);
  Thumbnails thumbnails = MakePlaces(worst);
  if (thumbnails.empty() || !image_of) return "";
  FillThumbnails(image_of, thumbnails);
  return EdgeSheetPng(worst, [&](size_t pose) -> const Thumbnail& { return thumbnails.at(pose); });
}

}  // namespace

ImagesAgain::ImagesAgain(const std::string& input, const SourceOptions& options)
    : input_(input), source_(OpenInput(input, options)) {}

void ImagesAgain::Read(size_t pose, Frame& image) {
  for (; read_ <= pose; ++read_) {
    if (source_->Next(image)) continue;
    throw Error(fmt::format("{}: ends at frame {} when read again; it had more frames during the run", input_,
                            read_));
  }
}

bool CanBeReadAgain(const std::string& input) {
  if (!IsPath(input)) return false;
  std::error_code ignored;
  const fs::file_type type = fs::status(InputPath(input), ignored).type();
  return type != fs::file_type::fifo && type != fs::file_type::character && type != fs::file_type::socket;
}

std::vector<std::string> RunReportFiles() {
  std::vector<std::string> files = {"report/largest-errors.png"};
  for (const std::string& file : ReportFiles()) files.push_back("report/" + file);
  return files;
}

void WriteRunReport(EvaluatedPair pair, std::span<const EdgeRecord> edges, const ImageOfPose& image_of,
                    const fs::path& folder) {
  std::vector<EdgeSigma> sigmas;
  std::vector<int64_t> frames;
  for (const EdgeRecord& edge : edges) {
    sigmas.push_back({edge.sigma_translation_m, edge.sigma_rotation_rad * 180.0 / std::numbers::pi});
    frames.push_back(edge.frame);
  }
  const bool has_confidence = std::none_of(
      edges.begin(), edges.end(), [](const EdgeRecord& edge) { return std::isnan(edge.sigma_rotation_rad); });
  if (has_confidence) pair.sigmas = sigmas;
  pair.frames = frames;
  WriteReport(pair, folder, {.largest_errors_png = WorstEdgesPng(pair, image_of)});
}

}  // namespace calfvo
