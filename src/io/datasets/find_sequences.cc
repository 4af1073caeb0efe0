// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>

#include "calfvo/error.h"
#include "io/datasets/loaders.h"
#include "io/datasets/paths.h"
#include "io/video/image_list.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

struct Dataset {
  std::string_view kind;
  bool (*matches)(const fs::path& path);
  OpenedSequence (*open)(const fs::path& path, const std::string& name);
  int name_parts;  // how many parts of the path, from its end, identify a sequence
  std::string_view layout;
};

// The first that matches counts.
constexpr Dataset kDatasets[] = {
    {"scannet", IsScanNet, OpenScanNet, 1, "sceneSSSS_NN/sceneSSSS_NN.sens"},
    {"scannet", IsScanNetFolder, OpenScanNetFolder, 1, "color/ and pose/"},
    {"scannet", IsScanNetFrames, OpenScanNetFrames, 1, "frame-000000.color.jpg"},
    {"7scenes", IsSevenScenes, OpenSevenScenes, 2, "frame-000000.color.png"},
    {"kitti", IsKitti, OpenKitti, 1, "times.txt with image_2/ or image_0/"},
    {"vkitti1", IsVirtualKitti1, OpenVirtualKitti1, 2, "vkitti_1.3.1_rgb/WORLD/VARIATION/"},
    {"vkitti2", IsVirtualKitti2, OpenVirtualKitti2, 2, "frames/rgb/Camera_0/"},
    {"tartanair1", IsTartanAir1, OpenTartanAir1, 3, "image_left/ and pose_left.txt"},
    {"tartanair2", IsTartanAir2, OpenTartanAir2, 3, "image_lcam_front/ and pose_lcam_front.txt"},
    {"euroc", IsEuroc, OpenEuroc, 1, "mav0/cam0/data.csv"},
    {"tum", IsTum, OpenTum, 1, "rgbd_dataset_freiburg*/rgb.txt"},
    {"tum-layout", IsTumLayout, OpenTum, 1, "rgb.txt"},
};

const Dataset* Recognise(const fs::path& path) {
  for (const Dataset& dataset : kDatasets) {
    if (dataset.matches(path)) return &dataset;
  }
  return nullptr;
}

std::string NameOf(const fs::path& path, int parts) {
  fs::path name = path.extension() == ".sens" ? path.stem() : path.filename();
  fs::path folder = path.parent_path();
  for (int part = 1; part < parts && folder.has_filename(); ++part, folder = folder.parent_path()) {
    name = folder.filename() / name;
  }
  return name.string();
}

// Folders, and .sens files, in natural order. None where the folder cannot be read: disks have such corners.
std::vector<fs::path> Candidates(const fs::path& folder) {
  std::vector<fs::path> candidates;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().extension() == ".sens" || entry->is_directory(ignored)) {
      candidates.push_back(entry->path());
    }
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const fs::path& a, const fs::path& b) { return NaturalLess(a.native(), b.native()); });
  return candidates;
}

// `visited` keeps links from being followed for ever.
void Collect(const fs::path& path, int depth, std::set<fs::path>& visited,
             std::vector<FoundSequence>& found) {
  constexpr int kMaxDepth = 8;
  std::error_code error;
  if (!visited.insert(fs::canonical(path, error)).second || error) return;
  if (const Dataset* dataset = Recognise(path)) {
    found.push_back({std::string(dataset->kind), NameOf(path, dataset->name_parts), path});
    return;
  }
  if (depth == kMaxDepth || !IsFolder(path)) return;
  for (const fs::path& below : Candidates(path)) Collect(below, depth + 1, visited, found);
}

// Without a slash at its end, which would make an empty filename.
fs::path Normal(const fs::path& path) {
  const fs::path normal = fs::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

}  // namespace

std::vector<FoundSequence> FindSequences(const fs::path& root) {
  std::error_code error;
  if (!fs::exists(root, error)) throw Error(root.string() + ": no such file or folder");
  if (IsFolder(root)) fs::directory_iterator(root, error);
  if (error) throw Error(fmt::format("{}: cannot read the folder: {}", root.string(), error.message()));
  std::vector<FoundSequence> found;
  std::set<fs::path> visited;
  Collect(Normal(root), 0, visited, found);
  if (!found.empty()) return found;
  std::string message = root.string() + ": no dataset was recognised here or below. Looked for:";
  for (const Dataset& dataset : kDatasets) {
    message += fmt::format(" {} ({}),", dataset.kind, dataset.layout);
  }
  message.back() = '.';
  throw Error(message);
}

std::vector<std::string> DatasetKinds() {
  std::vector<std::string> kinds;
  for (const Dataset& dataset : kDatasets) {
    if (kinds.empty() || kinds.back() != dataset.kind) kinds.emplace_back(dataset.kind);
  }
  return kinds;
}

OpenedSequence OpenSequence(const FoundSequence& found) {
  const fs::path path = Normal(found.path);
  const Dataset* dataset = Recognise(path);
  if (dataset == nullptr || dataset->kind != found.kind) {
    throw Error(fmt::format("{}: is not a sequence of {} any more", path.string(), found.kind));
  }
  return dataset->open(path, found.name);
}

OpenedSequence OpenSequence(const fs::path& path) {
  const std::vector<FoundSequence> found = FindSequences(path);
  if (found.size() > 1) {
    throw Error(fmt::format("{}: holds {} sequences; give the path of one, such as {}", path.string(),
                            found.size(), found.front().path.string()));
  }
  return OpenSequence(found.front());
}

}  // namespace calfvo
