// SPDX-License-Identifier: Apache-2.0
// What the tests of this folder share. Included by *_test.cc files only.
#pragma once

#include <numbers>
#include <vector>

#include "core/trajectory/camera_file.h"
#include "io/export/exports.h"

namespace calfvo {

// One second per pose: at rest, moved by a metre to the right, up and ahead, then turned by 90° at the
// origin: yaw to the right, pitch up, roll clockwise.
inline ExportedRun KnownMotions() {
  ExportedRun run;
  const auto turned = [](const Eigen::Vector3d& axis) {
    return Rigid3{Quaternion(Eigen::AngleAxisd(std::numbers::pi / 2, axis)), Eigen::Vector3d::Zero()};
  };
  run.trajectory.world_from_camera = {Rigid3{},
                                      {Quaternion::Identity(), {1, 0, 0}},
                                      {Quaternion::Identity(), {0, -1, 0}},
                                      {Quaternion::Identity(), {0, 0, 1}},
                                      turned(Eigen::Vector3d::UnitY()),
                                      turned(Eigen::Vector3d::UnitX()),
                                      turned(Eigen::Vector3d::UnitZ())};
  for (size_t i = 0; i < run.trajectory.size(); ++i) {
    run.trajectory.timestamps_ns.push_back(static_cast<int64_t>(i + 1) * 1'000'000'000);
    run.edges.push_back({.windows = 3, .sigma_translation_m = 0.5, .sigma_rotation_rad = 0.25});
  }
  run.camera = GuessedCamera(64, 48);
  return run;
}

// A source of images of one colour each; the image of frame i has the value i everywhere.
class FlatFrames final : public FrameSource {
 public:
  FlatFrames(int width, int height, int count) : width_(width), height_(height), count_(count) {}
  bool Advance(Frame& frame) override {
    frame.index = next_;
    return next_++ < count_;
  }
  void Read(Frame& frame) override {
    frame.width = width_;
    frame.height = height_;
    frame.rgb.assign(static_cast<size_t>(width_) * static_cast<size_t>(height_) * 3,
                     static_cast<uint8_t>(frame.index));
  }
  const SourceInfo& info() const override { return info_; }

 private:
  const int width_;
  const int height_;
  const int64_t count_;
  int64_t next_ = 0;
  SourceInfo info_;
};

}  // namespace calfvo
