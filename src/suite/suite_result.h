// SPDX-License-Identifier: Apache-2.0
// What is known of one sequence after it was run: result.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "suite/coverage.h"
#include "suite/model_design.h"

namespace calfvo {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Errors of a trajectory as the paper reports them (docs/metrics.md). Metres and degrees, per frame for t_rel
// and r_rel, root mean squares for ate and are.
struct PathScores {
  double t_rel = kUnknown;  // as is
  double r_rel = kUnknown;
  double ate = kUnknown;  // as is
  double are = kUnknown;
  double t_rel_aligned = kUnknown;  // after a Sim(3) fit
  double ate_aligned = kUnknown;
  double are_aligned = kUnknown;
  double scale = kUnknown;  // that the fit applies
};

// How often the errors of steps, axis by axis, are within the standard deviations that came with them.
struct StepCalibration {
  Coverage rotation;
  Coverage translation;
};

// The same of poses: their errors, made independent of each other by the poses' covariances.
struct PoseCalibration {
  Coverage orientation;
  Coverage position;
  // The variance of what kSummedSteps neighbouring steps' errors, in their deviations, add up to, over that
  // of as many independent ones: 1 for these, kSummedSteps for one and the same error.
  double rotation_sums = kUnknown;
  double translation_sums = kUnknown;
};
inline constexpr int kSummedSteps = 10;

struct SuiteResult {
  // What it is a result of. Results that differ in one of these do not go into one table.
  std::string model;         // ModelConfig::name; of random weights it tells their seed
  std::string model_sha256;  // empty for random weights
  std::string backend;       // Backend::Description: precision, hardware and threads are in it
  int overlap = 0;
  bool mirror = false;

  std::optional<ModelDesign> design;  // nothing in results of versions that did not record it

  int64_t frames = 0;
  int64_t poses = 0;
  double wall_s = 0.0;  // as RunReport::wall_s
  double estimates_per_pair = kUnknown;

  PathScores scores;
  PathScores zero;      // of a camera that never moves
  PathScores constant;  // of the motion that, repeated, has the least t_rel and r_rel
  StepCalibration calibration;
  PoseCalibration pose_calibration;
};

bool HaveSameSettings(const SuiteResult& a, const SuiteResult& b);
std::string SettingsText(const SuiteResult& result);

// Unknown numbers are null. Reading throws Error naming the file and the field.
void WriteSuiteResult(const SuiteResult& result, const std::filesystem::path& path);
SuiteResult ReadSuiteResult(const std::filesystem::path& path);

}  // namespace calfvo
