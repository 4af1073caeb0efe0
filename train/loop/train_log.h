// SPDX-License-Identifier: Apache-2.0
// The log of a run, as lines of JSON: log.jsonl. "kind" distinguishes two kinds of lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "loop/motion_scores.h"

namespace calfvo::train {

// "kind": "train". Losses are means over the steps since the line before.
struct TrainRecord {
  int64_t step = 0;  // steps done
  double elapsed_s = 0.0;
  double learning_rate = 0.0;
  double loss = 0.0;
  double rotation_deg = 0.0;
  double translation_m = 0.0;
  double motion = 0.0;         // patches
  double gradient_norm = 0.0;  // of the last step, before clipping
  double windows_per_s = 0.0;
  int64_t skipped = 0;  // updates left out because gradients were not finite
};

// "kind": "held_out".
struct HeldOutRecord {
  struct Set {
    std::string name;
    MotionScores scores;
  };
  int64_t step = 0;
  double elapsed_s = 0.0;
  double score = 0.0;
  std::vector<Set> sets;
};

std::string ToJsonLine(const TrainRecord& record);
std::string ToJsonLine(const HeldOutRecord& record);

// The log of one run: in memory, and in a file that grows by a line at a time.
class TrainLog {
 public:
  // Continues a log after `steps_done` steps: lines of later steps, which will be taken again, are
  // removed, and so is a last line that was cut short. With 0 steps it begins anew. An empty path: no file.
  TrainLog(std::filesystem::path path, int64_t steps_done);

  void Add(const TrainRecord& record);
  void Add(const HeldOutRecord& record);

  const std::vector<TrainRecord>& train() const { return train_; }
  const std::vector<HeldOutRecord>& held_out() const { return held_out_; }

 private:
  void Append(const std::string& line) const;

  std::filesystem::path path_;
  std::vector<TrainRecord> train_;
  std::vector<HeldOutRecord> held_out_;
};

}  // namespace calfvo::train
