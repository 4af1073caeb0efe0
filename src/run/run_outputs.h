// SPDX-License-Identifier: Apache-2.0
// The files of a run.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "odometry/pipeline.h"
#include "run/path_sketch.h"
#include "run/run_report.h"

namespace calfvo {

// Writes trajectory.tum, trajectory.kitti and poses.csv while poses come, so that memory does not depend on
// their number. The files appear when all is done; in a live run they grow by a line per pose instead, and
// others may read along. Failures throw Error naming the file.
class RunOutputs {
 public:
  struct Options {
    bool live = false;
    bool has_confidence = true;
    bool npz = false;
    bool colmap = false;
  };
  // Makes `folder` if need be.
  RunOutputs(const std::filesystem::path& folder, const Options& options);
  ~RunOutputs();

  void Add(const FrameRecord& frame, const TrackedPose& pose);

  // Completes the files and draws the pictures; fills in what `report` says about poses and files.
  void Finish(const std::string& title, RunReport& report);

 private:
  class LineFile;

  void NoteDamage(const FrameRecord& frame);
  void WriteFromPoses(RunReport& report) const;

  const std::filesystem::path folder_;
  const Options options_;
  std::unique_ptr<LineFile> tum_;
  std::unique_ptr<LineFile> kitti_;
  std::unique_ptr<LineFile> csv_;
  std::string line_;
  PathSketch sketch_;
  RunReport tally_;  // of what Add has seen
  int64_t first_timestamp_ns_ = 0;
  double sigma_translation_sum_ = 0.0;
  double sigma_rotation_sum_ = 0.0;
  int width_ = 0;
  int height_ = 0;
};

}  // namespace calfvo
