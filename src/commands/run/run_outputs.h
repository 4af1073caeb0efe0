// SPDX-License-Identifier: Apache-2.0
// The files of a run.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "commands/run/path_sketch.h"
#include "commands/run/run_poses.h"
#include "commands/run/run_report.h"
#include "vo/pipeline.h"

namespace calfvo {

// Writes trajectory.tum, trajectory.kitti and poses.csv while poses come, so that memory does not depend on
// their number. The files appear at the end; in a live run they grow by a line per pose instead, so that
// another process may follow them. Failures throw Error naming the file.
class RunOutputs {
 public:
  struct Options {
    bool live = false;
    bool has_confidence = true;
    bool refined = false;     // poses.csv has a column refine_weight
    bool keep_poses = false;  // for poses()
  };
  // The files that a run with these options may write, relative to its folder.
  static std::vector<std::string> Files(const Options& options);

  // `folder` exists.
  RunOutputs(const std::filesystem::path& folder, const Options& options);
  ~RunOutputs();

  // `refine_weight`, the share of refinement in the edge, is written if Options::refined.
  void Add(const FrameRecord& frame, const TrackedPose& pose, double refine_weight = 0.0);

  // Completes the files, draws the figures and fills in the parts of `report` on poses and files.
  void Finish(const std::string& title, RunReport& report);

  // All poses so far, if they are kept.
  RunPoses& poses() { return poses_; }

 private:
  class LineFile;

  void NoteDamage(const FrameRecord& frame);

  const std::filesystem::path folder_;
  const Options options_;
  std::unique_ptr<LineFile> tum_;
  std::unique_ptr<LineFile> kitti_;
  std::unique_ptr<LineFile> csv_;
  std::string line_;
  RunPoses poses_;
  PathSketch sketch_;
  RunReport tally_;  // of the frames added
  int64_t first_timestamp_ns_ = 0;
  double sigma_translation_sum_ = 0.0;
  double sigma_rotation_sum_ = 0.0;
};

}  // namespace calfvo
