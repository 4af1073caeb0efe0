// SPDX-License-Identifier: Apache-2.0
// How far an estimated trajectory is from a reference. The definitions are evo's and the paper's;
// docs/metrics.md writes them out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calfvo/trajectory.h"

namespace calfvo {

// Transformation of the estimate before errors are computed.
enum class Alignment {
  kNone,    // nothing: both are in the same frame already
  kOrigin,  // moved so that its first matched pose is the reference's
  kSe3,     // least-squares rotation and translation of its positions
  kSim3,    // the same with scale
};

// The alignment called `name` (none, origin, se3, sim3); throws Error listing the names otherwise.
Alignment AlignmentFromName(std::string_view name);
// The inverse of AlignmentFromName.
std::string_view AlignmentName(Alignment alignment);

// Alignment and matching of two trajectories.
struct EvaluationOptions {
  Alignment alignment = Alignment::kNone;

  // Poses further apart in time than this are not matched. Trajectories without a clock are matched by index.
  double max_time_difference_s = 0.01;

  // Throws Error naming the invalid option.
  void Validate() const;
};

// Summary of a series; all NaN when it is empty. `std` divides by the count.
struct Statistics {
  double rmse, mean, median, std, min, max;
};

// One matched pair of poses, by index.
struct PosePair {
  uint32_t reference;
  uint32_t estimate;
};

// The KITTI benchmark's segment errors: drift over pieces of 100, 200, …, 800 m of the reference's path.
struct SegmentErrors {
  double translation_percent;
  double rotation_deg_per_m;
  size_t segments;
};

// The paper's relative errors per frame.
struct RelativeError {
  double t_rel_m, r_rel_deg;
};

// Errors of an estimate: metres, degrees.
struct Evaluation {
  Alignment alignment;
  Similarity3 reference_from_estimate;  // the alignment that was applied
  // False where se3 or sim3 was fitted to positions on a line or in a point; true without a fit.
  bool alignment_is_unique;

  // The scale that a Sim(3) fit would apply to the estimate, whatever `alignment` is: 1 means metric.
  double fitted_scale;

  std::vector<PosePair> pairs;
  size_t reference_poses;
  size_t estimate_poses;
  double time_covered;  // the part of the reference's time span between the first and the last pair, 0…1

  // Series behind the statistics: one value per pair for ape, one per two consecutive pairs for rpe.
  std::vector<double> ape_trans_m, ape_rot_deg, rpe_trans_m, rpe_rot_deg;
  Statistics ape_trans, ape_rot, rpe_trans, rpe_rot;

  // The paper's relative errors per frame: the means of rpe.
  double t_rel_m, r_rel_deg;

  // The same for two baselines that use no images: a static camera, and the constant motion with the least
  // error on this reference. NaN for a single pair.
  RelativeError zero_motion, constant_motion;

  // Absolute errors as the paper reports them "as is": no fit, both trajectories starting at the identity.
  Statistics ate_as_is, are_as_is_deg;

  std::optional<SegmentErrors> kitti;  // absent when the reference is shorter than 100 m
};

// Matches poses by time, aligns the estimate and computes errors. Throws Error if no poses match, with the
// time span of each trajectory, or if a trajectory violates the contract of Trajectory.
Evaluation Evaluate(const Trajectory& reference, const Trajectory& estimate,
                    const EvaluationOptions& options = {});

}  // namespace calfvo
