// SPDX-License-Identifier: Apache-2.0
#include "io/export/exports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "calfvo/error.h"
#include "core/base/atomic_file.h"
#include "core/base/quoted.h"
#include "core/trajectory/camera_file.h"
#include "core/trajectory/point_cloud.h"
#include "io/export/export_formats.h"
#include "io/export/exported_images.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

struct ExportRow {
  const char* name;
  const char* main;  // the file or folder that a user opens
  Names files;
  const char* series;  // the folder of images, or null
  void (*write)(const ExportedRun& run, const ExportOptions& options, const fs::path& folder);
};

template <TrajectoryFormat kFormat>
void WriteTrajectoryAs(const ExportedRun& run, const ExportOptions&, const fs::path& path) {
  WriteTrajectory(run.trajectory, path, kFormat);
}

// `path` is the row's main file or folder.
const std::vector<ExportRow>& ExportRows() {
  static const std::vector<ExportRow> rows = {
      {"colmap",
       "colmap",
       {"colmap/sparse/0/cameras.txt", "colmap/sparse/0/cameras.bin", "colmap/sparse/0/images.txt",
        "colmap/sparse/0/images.bin", "colmap/sparse/0/points3D.txt", "colmap/sparse/0/points3D.bin"},
       "colmap/images",
       [](const ExportedRun& run, const ExportOptions&, const fs::path& path) {
         WriteColmap(run.trajectory, path / "sparse/0", {.camera = run.camera, .points = run.points});
       }},
      {"nerfstudio",
       "nerfstudio",
       {"nerfstudio/transforms.json", "nerfstudio/points.ply"},
       "nerfstudio/images",
       [](const ExportedRun& run, const ExportOptions&, const fs::path& path) {
         WriteNerfstudio(run, path);
       }},
      {"ply",
       "scene.ply",
       {"scene.ply"},
       nullptr,
       [](const ExportedRun& run, const ExportOptions&, const fs::path& path) { WriteScenePly(run, path); }},
      {"npz", "trajectory.npz", {"trajectory.npz"}, nullptr, WriteTrajectoryAs<TrajectoryFormat::kNpz>},
      {"tum", "trajectory.tum", {"trajectory.tum"}, nullptr, WriteTrajectoryAs<TrajectoryFormat::kTum>},
      {"kitti",
       "trajectory.kitti",
       {"trajectory.kitti"},
       nullptr,
       WriteTrajectoryAs<TrajectoryFormat::kKitti>},
      {"euroc",
       "trajectory.euroc",
       {"trajectory.euroc"},
       nullptr,
       WriteTrajectoryAs<TrajectoryFormat::kEuroc>},
      {"blender",
       "blender",
       {"blender/add_camera.py", "blender/camera.glb"},
       nullptr,
       [](const ExportedRun& run, const ExportOptions&, const fs::path& path) {
         MakeFolder(path);
         WriteBlenderScript(run, path / "add_camera.py");
         WriteGlb(run, path / "camera.glb");
       }},
      {"mcap",
       "trajectory.mcap",
       {"trajectory.mcap"},
       nullptr,
       [](const ExportedRun& run, const ExportOptions& options, const fs::path& path) {
         WriteMcap(run, options, path);
       }},
  };
  return rows;
}

const ExportRow& RowOf(std::string_view name) {
  Names names;
  for (const ExportRow& row : ExportRows()) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  throw Error(fmt::format("unknown export {}; expected some of {}", Quoted(name), fmt::join(names, ",")));
}

bool HoldsImages(const ExportRow& row) {
  return row.series != nullptr || std::string_view(row.name) == "mcap";
}

}  // namespace

void ExportOptions::Validate() const {
  const bool holds_images =
      std::any_of(formats.begin(), formats.end(), [](const auto& name) { return HoldsImages(RowOf(name)); });
  if (images && !holds_images) throw Error("--images needs an export of colmap, nerfstudio or mcap");
  if (undistort && !images) throw Error("--undistort needs --images");
  if (compression != ExportOptions().compression &&
      std::find(formats.begin(), formats.end(), "mcap") == formats.end()) {
    throw Error("--compression needs an export of mcap");
  }
}

std::vector<std::string> ParseExportList(std::string_view list) {
  Names names;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string name = RowOf(list.substr(begin, end - begin)).name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    begin = end + 1;
  }
  return names;
}

std::string ExportedImageName(size_t pose) {
  return fmt::format("frame_{:06}.png", pose);
}

bool IsExportedImageName(std::string_view name) {
  constexpr std::string_view kStart = "frame_";
  constexpr std::string_view kEnd = ".png";
  if (!name.starts_with(kStart) || !name.ends_with(kEnd) || name.size() < kStart.size() + 6 + kEnd.size()) {
    return false;
  }
  const std::string_view digits = name.substr(kStart.size(), name.size() - kStart.size() - kEnd.size());
  return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> ExportFiles(const ExportOptions& options) {
  Names files;
  for (const std::string& name : options.formats) {
    const ExportRow& row = RowOf(name);
    files.insert(files.end(), row.files.begin(), row.files.end());
    if (options.images && row.series != nullptr)
      files.push_back(std::string(row.series).append(kSeriesEnding));
  }
  return files;
}

std::vector<std::string> AllExportFiles() {
  ExportOptions all{.formats = {}, .images = true};
  for (const ExportRow& row : ExportRows()) all.formats.emplace_back(row.name);
  return ExportFiles(all);
}

ExportedRun ReadExportedRun(const fs::path& folder, int width, int height, bool refined) {
  ExportedRun run;
  run.trajectory = ReadTrajectory(folder / "poses.csv", TrajectoryFormat::kCsv);
  run.edges = ReadEdgeRecords(folder / "poses.csv");
  const auto has = [&](const char* file) { return refined && fs::exists(folder / file); };
  run.camera = has("camera.json") ? ReadCamera(folder / "camera.json") : GuessedCamera(width, height);
  if (has("points.ply")) run.points = ReadPoints(folder / "points.ply");
  return run;
}

std::map<std::string, std::string> WriteExports(const ExportedRun& run, const ExportOptions& options,
                                                const fs::path& folder) {
  options.Validate();
  ExportedRun exported = run;
  if (options.undistort) exported.camera = UndistortedCamera(run.camera);
  std::map<std::string, std::string> written;
  for (const std::string& name : options.formats) {
    const ExportRow& row = RowOf(name);
    if (row.series != nullptr) MakeFolder(folder / row.main);
    row.write(row.series != nullptr ? exported : run, options, folder / row.main);  // mcap undistorts itself
    if (options.images && row.series != nullptr) {
      WriteExportedImages(run, options.undistort, folder / row.series);
    }
    written[name] = (folder / row.main).string();
  }
  return written;
}

}  // namespace calfvo
