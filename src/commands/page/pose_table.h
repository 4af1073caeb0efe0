// SPDX-License-Identifier: Apache-2.0
// The poses of a run as columns of numbers, for the viewer (viewer/src/data/columns.ts).
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <string>
#include <vector>

#include "calfvo/geometry.h"

namespace calfvo {

// A pose with what a run knows of it.
struct PoseRow {
  int64_t timestamp_ns = 0;
  int64_t frame = 0;  // number in the input
  Rigid3 world_from_camera;
  Matrix6 covariance = Matrix6::Zero();  // as in calfvo/trajectory.h
  double sigma_translation_m = 0.0;      // of the relative pose before
  double sigma_rotation_rad = 0.0;
  bool damaged = false;
  bool dropped_before = false;
};

// Keeps every stride-th pose, about 100 bytes each; the stride doubles whenever there are kMaxPoses, so that
// memory does not depend on the length of a video. Flags of poses left out go to the next that is kept.
// One thread at a time.
class PoseTable {
 public:
  static constexpr size_t kMaxPoses = size_t{1} << 18;  // 2.4 hours at 30 frames per second

  explicit PoseTable(bool has_confidence, size_t max_poses = kMaxPoses)
      : has_confidence_(has_confidence), max_poses_(max_poses) {}

  void Add(const PoseRow& row);

  size_t size() const { return time_s_.size(); }
  int64_t added() const { return added_; }
  int64_t stride() const { return stride_; }
  bool has_confidence() const { return has_confidence_; }
  int64_t first_timestamp_ns() const { return first_timestamp_ns_; }

  // A JSON object of base64 columns, little endian, of the poses from number `begin` on.
  std::string ColumnsJson(size_t begin = 0) const;

 private:
  void Thin();

  bool has_confidence_;
  size_t max_poses_;
  int64_t stride_ = 1;
  int64_t added_ = 0;
  int64_t first_timestamp_ns_ = 0;
  uint8_t pending_flags_ = 0;
  std::vector<double> time_s_;  // since the first pose
  std::vector<uint32_t> frame_;
  std::vector<float> position_;    // 3 each
  std::vector<float> quaternion_;  // x y z w
  std::vector<float> covariance_;  // upper triangles of the position and the rotation block: 6 and 6
  std::vector<float> sigma_;       // translation, rotation
  std::vector<uint8_t> flags_;     // 1: damaged, 2: frames were dropped before
};

// Reads poses.csv of a run. Throws Error naming file, line and problem. The stream stands for the file of
// that name.
PoseTable ReadPoseTable(const std::filesystem::path& path);
PoseTable ReadPoseTable(std::istream& stream, const std::string& name,
                        size_t max_poses = PoseTable::kMaxPoses);

}  // namespace calfvo
