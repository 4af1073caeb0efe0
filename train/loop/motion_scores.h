// SPDX-License-Identifier: Apache-2.0
// Errors of estimated relative motions, beside the static and the constant-motion baseline.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "calfvo/geometry.h"

namespace calfvo::train {

// One pair of frames.
struct ScoredPair {
  Quaternion rotation_truth;
  Quaternion rotation;
  Eigen::Vector3d translation_truth;  // metres
  Eigen::Vector3d translation;
  // The errors that the network expects: e^u, which is what L·e^−u + u has its least value at for errors of
  // mean L. Unset without confidence.
  std::optional<double> expected_rotation_rad;
  std::optional<double> expected_translation_m;
};

// Means over pairs. t in metres, r in degrees, per frame.
struct MotionScores {
  double t_rel = 0.0;
  double r_rel = 0.0;
  double zero_t_rel = 0.0;  // of predicting no motion
  double zero_r_rel = 0.0;
  double constant_t_rel = 0.0;  // of the best single motion, knowing the truth
  double constant_r_rel = 0.0;
  double scale_ratio = 0.0;  // median of |t| / |t true|
  double cosine = 0.0;       // median, between directions of translation
  double within_t = 0.0;     // share of errors below the expected one; NaN without confidence
  double within_r = 0.0;
};
// Pairs that hardly move (below 0.1 mm) take no part in ratio and cosine, which are NaN without others.
MotionScores ScoreMotions(const std::vector<ScoredPair>& pairs);

// One number for choosing among checkpoints: the mean of both errors, each as a share of that of predicting
// no motion (at least 1 mm and 0.02°, for cameras that stand or only turn), over all sets. Less is better.
double HeldOutScore(const std::vector<MotionScores>& sets);

}  // namespace calfvo::train
