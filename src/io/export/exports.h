// SPDX-License-Identifier: Apache-2.0
// The results of a run in the formats of other tools (docs/export.md). To add one: write its file, declare it
// in export_formats.h, add its row in exports.cc, a paragraph in docs/export.md.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "calfvo/camera.h"
#include "calfvo/trajectory.h"
#include "core/trajectory/edge_record.h"
#include "io/recording/compression.h"
#include "io/video/frame_source.h"

namespace calfvo {

struct ExportOptions {
  std::vector<std::string> formats;              // as ParseExportList gives them
  bool images = false;                           // also the images: colmap, nerfstudio, mcap
  bool undistort = false;                        // these without lens distortion, and a camera without it
  Compression compression = Compression::kZstd;  // of mcap: zstd, lz4 or none

  // Throws Error for options that no format here uses, and for undistort without images.
  void Validate() const;
};

// "colmap,npz" as names, each once; throws Error listing the names for an unknown one.
std::vector<std::string> ParseExportList(std::string_view list);

// The folders that `images` fills hold frame_000000.png and so on: such a series is one entry of the list of
// files, with this ending.
inline constexpr std::string_view kSeriesEnding = "/*";

// The name of image `pose` within its folder, and whether a name is one of these.
std::string ExportedImageName(size_t pose);
bool IsExportedImageName(std::string_view name);

// The files that WriteExports may write, relative to its folder; all that any export may write.
std::vector<std::string> ExportFiles(const ExportOptions& options);
std::vector<std::string> AllExportFiles();

// What is exported.
struct ExportedRun {
  Trajectory trajectory;
  std::vector<EdgeRecord> edges;  // one per pose, or none
  Camera camera;
  std::vector<MapPoint> points;
  // Opens the frames of the run, one per pose; called once per format, with `images` only.
  std::function<std::unique_ptr<FrameSource>()> open_frames;
};

// Reads poses.csv and, if `refined`, camera.json and points.ply from `folder`: files of these names beside a
// run without refinement are not the run's. Without camera.json the camera is a guess for images of `width` ×
// `height` pixels. Throws Error.
ExportedRun ReadExportedRun(const std::filesystem::path& folder, int width, int height, bool refined);

// Writes each format into `folder`, which exists. Returns each format's name and its main file or folder.
// Throws Error; files that were complete by then stay.
std::map<std::string, std::string> WriteExports(const ExportedRun& run, const ExportOptions& options,
                                                const std::filesystem::path& folder);

}  // namespace calfvo
