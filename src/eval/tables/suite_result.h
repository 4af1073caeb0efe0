// SPDX-License-Identifier: Apache-2.0
// What is known of one sequence after it was run: result.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "eval/tables/coverage.h"
#include "eval/tables/model_design.h"
#include "io/datasets/sequence.h"

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

// How often the errors of edges, axis by axis, are within multiples of their predicted σ.
struct EdgeCalibration {
  Coverage rotation;
  Coverage translation;
};

// The same of poses: their errors, made independent of each other by the poses' covariances.
struct PoseCalibration {
  Coverage orientation;
  Coverage position;
  // The variance of the sum of kSummedEdges consecutive errors, each divided by its σ, over that
  // of as many independent ones: 1 for these, kSummedEdges for one and the same error.
  double rotation_sums = kUnknown;
  double translation_sums = kUnknown;
};
inline constexpr int kSummedEdges = 10;

struct SuiteResult {
  // What it is a result of. Results that differ in one of these do not go into one table.
  std::string model;         // ModelConfig::name; for random weights with their seed
  std::string model_sha256;  // empty for random weights
  std::string backend;       // Backend::Description: precision, hardware and threads are in it
  int overlap = 0;
  bool flip = false;
  bool live = false;    // frame by frame
  bool refine = false;  // then `scores` are of the refined path
  bool masks = false;   // with masks where the sequence has some

  std::string input;         // path of the sequence, for readers: data may move
  std::string input_sha256;  // of its frame list and true poses; see InputHash in suite_runner.cc

  std::optional<ModelDesign> design;  // nothing in results of versions that did not record it

  int64_t frames = 0;
  int64_t poses = 0;
  double wall_s = 0.0;  // as RunReport::wall_s
  double estimates_per_pair = kUnknown;

  PathScores scores;
  std::optional<PathScores> network;       // with `refine`: of the network's own path
  std::optional<CameraIntrinsics> camera;  // with `refine`: the estimate, unless f was not observable
  PathScores zero;                         // of a camera that never moves
  PathScores constant;                     // of the motion that, repeated, has the least t_rel and r_rel
  EdgeCalibration calibration;
  PoseCalibration pose_calibration;
};

struct SuiteSequence {
  FoundSequence found;
  int64_t frames = 0;                               // 0 where it could not be opened
  std::map<int, SuiteResult> results;               // by overlap; one that failed has none
  std::string error;                                // the first, empty if all went well
  std::string input_sha256 = {};                    // as in its results
  std::optional<CameraIntrinsics> intrinsics = {};  // the true ones
  std::optional<double> movers = {};  // of a synthetic clip: the share of the image that moving objects cover
  std::string mask = {};              // its folder of masks, where the suite uses them
  std::optional<SuiteResult> without_masks = {};  // of the same settings but for these, to compare
  bool may_succeed_later = false;                 // the error is a TemporaryError
};

bool HaveSameSettings(const SuiteResult& a, const SuiteResult& b);
std::string SettingsText(const SuiteResult& result);

// Unknown numbers are null. Reading throws Error naming the file and the field.
void WriteSuiteResult(const SuiteResult& result, const std::filesystem::path& path);
SuiteResult ReadSuiteResult(const std::filesystem::path& path);

}  // namespace calfvo
