// SPDX-License-Identifier: Apache-2.0
#include "synth/motion/real_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <system_error>

#include "calfvo/error.h"
#include "core/geometry/so3.h"

namespace calfvo::motion {
namespace {

namespace fs = std::filesystem;

// A plane flies no more in half a minute. In scenes of some hundred metres such steps make no path, and far
// longer ones overflow float.
constexpr double kMaxStepMetres = 1e4;

// The file's text; lines of seven fields, which lack a time, get their line number for one.
std::string ReadWithTimes(const fs::path& path) {
  std::ifstream stream(path);
  if (!stream) throw Error(fmt::format("{}: cannot be read", path.string()));
  std::string text;
  std::string line;
  for (int64_t number = 0; std::getline(stream, line); ++number) {
    std::istringstream fields(line);
    std::string field;
    int count = 0;
    while (count < 8 && fields >> field) ++count;
    if (count == 7 && line[0] != '#') text += fmt::format("{} ", number);
    text += line;
    text += '\n';
  }
  return text;
}

// Skips dangling links and anything but files. Throws Error for entries whose type cannot be read.
std::vector<fs::path> TextFilesBelow(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw Error(fmt::format("{}: no such folder of trajectories{}{}", folder.string(), error ? ": " : "",
                            error ? error.message() : ""));
  }
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path extension = entry->path().extension();
    if (extension != ".txt" && extension != ".csv") continue;
    std::error_code unknown;
    if (entry->is_regular_file(unknown)) files.push_back(entry->path());
    if (unknown)
      throw Error(fmt::format("{}: cannot be read: {}", entry->path().string(), unknown.message()));
  }
  if (error) throw Error(fmt::format("{}: cannot read the folder: {}", folder.string(), error.message()));
  return files;
}

int64_t MedianInterval(const std::vector<int64_t>& timestamps_ns) {
  std::vector<int64_t> intervals;
  for (size_t i = 1; i < timestamps_ns.size(); ++i) {
    intervals.push_back(timestamps_ns[i] - timestamps_ns[i - 1]);
  }
  if (intervals.empty()) return 0;
  const auto middle = intervals.begin() + static_cast<ptrdiff_t>(intervals.size() / 2);
  std::nth_element(intervals.begin(), middle, intervals.end());
  return *middle;
}

Quaternion WorldFromCamera(const Quaternion& recorded, const RecordedFrame& frame) {
  const Quaternion world_from_body = frame.inverted_rotation ? Quaternion(recorded.conjugate()) : recorded;
  return world_from_body * Quaternion(frame.body_from_camera);
}

// Of the step to pose `index`.
void CheckStep(size_t index, double metres) {
  if (metres <= kMaxStepMetres) return;  // false for NaN
  throw Error(fmt::format(
      "pose {} is {:.3g} m from the one before; expected metres, and at most {:g} from pose to pose", index,
      metres, kMaxStepMetres));
}

// The mean of gravity's component along the camera's y axis: near one for the right frame.
double Uprightness(const Trajectory& trajectory, const RecordedFrame& frame) {
  double sum = 0.0;
  for (const Rigid3& pose : trajectory.world_from_camera) {
    sum += frame.down_in_world.dot(WorldFromCamera(pose.rotation, frame) * Eigen::Vector3d::UnitY());
  }
  return sum / static_cast<double>(std::max<size_t>(1, trajectory.size()));
}

}  // namespace

std::vector<RecordedFrame> FramesOfSet(const std::string& set) {
  RecordedFrame frame;
  if (set == "kitti") {
    frame.down_in_world = Eigen::Vector3d::UnitY();
  } else if (set == "tartanair") {
    frame.body_from_camera << 0, 0, 1, 1, 0, 0, 0, 1, 0;
    frame.down_in_world = Eigen::Vector3d::UnitZ();
  } else if (set == "euroc") {
    RecordedFrame camera;
    camera.down_in_world = -Eigen::Vector3d::UnitZ();
    camera.inverted_rotation = true;
    frame.body_from_camera << 0, -1, 0, 1, 0, 0, 0, 0, 1;
    frame.down_in_world = -Eigen::Vector3d::UnitZ();
    return {frame, camera};
  }
  return {frame};
}

RealPaths RealPaths::Load(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files = TextFilesBelow(folder);
  // By folder, then by name, so that a set is in a row and the result does not depend on the file system.
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return std::pair(a.parent_path(), a.filename()) < std::pair(b.parent_path(), b.filename());
  });
  RealPaths paths;
  for (const auto& file : files) {
    const std::string set = file.parent_path().filename().string();
    std::istringstream stream(ReadWithTimes(file));
    const Trajectory trajectory = ReadTrajectory(stream, file.string());
    try {
      paths.Add(set, trajectory);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", file.string(), error.what()));
    }
  }
  if (paths.records_.empty()) {
    throw Error(fmt::format("{}: no trajectory of at least {} poses", folder.string(), kMinPoses));
  }
  return paths;
}

void RealPaths::Add(const std::string& set, const Trajectory& trajectory) {
  const std::vector<RecordedFrame> frames = FramesOfSet(set);
  Add(set, trajectory, *std::max_element(frames.begin(), frames.end(), [&](const auto& a, const auto& b) {
        return Uprightness(trajectory, a) < Uprightness(trajectory, b);
      }));
}

void RealPaths::Add(const std::string& set, const Trajectory& trajectory, const RecordedFrame& frame) {
  if (sets_.empty() || sets_.back().name != set) {
    sets_.push_back({set, static_cast<int>(records_.size() / kRealRecordFloats), 0});
  }
  int64_t longest_ns = 0;
  if (__builtin_mul_overflow(3, MedianInterval(trajectory.timestamps_ns), &longest_ns)) {
    longest_ns = std::numeric_limits<int64_t>::max();
  }
  std::vector<Rigid3> path;
  for (size_t i = 0; i < trajectory.size(); ++i) {
    if (i > 0 && trajectory.timestamps_ns[i] - trajectory.timestamps_ns[i - 1] > longest_ns) {
      AddPath(path, frame);
      path.clear();
    }
    const Rigid3& pose = trajectory.world_from_camera[i];
    if (!path.empty()) CheckStep(i, (pose.translation - path.back().translation).norm());
    path.push_back({WorldFromCamera(pose.rotation, frame), pose.translation});
  }
  AddPath(path, frame);
}

void RealPaths::AddPath(const std::vector<Rigid3>& world_from_camera, const RecordedFrame& frame) {
  const size_t size = world_from_camera.size();
  if (size < kMinPoses) return;
  Eigen::Vector3d down = frame.down_in_world;
  if (down.isZero()) {
    for (const Rigid3& pose : world_from_camera) down += pose.rotation * Eigen::Vector3d::UnitY();
    if (down.isZero()) down = Eigen::Vector3d::UnitY();
  }
  down.normalize();
  for (size_t i = 0; i < size; ++i) {
    Rigid3 prev_from_next;
    if (i + 1 < size) prev_from_next = world_from_camera[i].Inverse() * world_from_camera[i + 1];
    const Eigen::Vector3d turn = LogSO3(prev_from_next.rotation);
    const Eigen::Vector3d gravity = world_from_camera[i].rotation.conjugate() * down;
    for (const Eigen::Vector3d& vector : {turn, prev_from_next.translation, gravity}) {
      for (int axis = 0; axis < 3; ++axis) records_.push_back(static_cast<float>(vector[axis]));
    }
    records_.push_back(static_cast<float>(size - 1 - i));
    records_.push_back(static_cast<float>(i));
  }
  sets_.back().count += static_cast<int>(size);
}

RealPathsView RealPaths::View() const {
  return {records_.data(), static_cast<int>(records_.size() / kRealRecordFloats)};
}

RealPathsView RealPaths::View(const std::string& set) const {
  std::string names;
  for (const Set& candidate : sets_) {
    if (candidate.name == set) {
      return {records_.data() + static_cast<ptrdiff_t>(candidate.first) * kRealRecordFloats, candidate.count};
    }
    names += names.empty() ? candidate.name : ", " + candidate.name;
  }
  throw Error(fmt::format("no set of trajectories \"{}\"; there are: {}", set, names));
}

}  // namespace calfvo::motion
