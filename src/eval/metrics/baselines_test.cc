// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics/baselines.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "eval/metrics/test_path.h"

namespace calfvo {
namespace {

EdgeMotions EdgesOf(const std::vector<Rigid3>& motions) {
  EdgeMotions edges;
  for (const Rigid3& motion : motions) edges.Add(motion);
  return edges;
}

TEST(Baselines, StandingStillErrsByTheMeanMotion) {
  const RelativeError error = ErrorOfGuess(EdgesOf(FourMotions()), Rigid3());
  EXPECT_NEAR(error.t_rel_m, 8.0 / 4, 1e-12);
  EXPECT_NEAR(error.r_rel_deg, 6.0 / 4, 1e-9);
}

TEST(Baselines, TheBestConstantMotionIsTheOneOfMostEdges) {
  const EdgeMotions edges = EdgesOf(FourMotions());
  const RelativeError error = ErrorOfGuess(edges, BestConstantMotion(edges));
  EXPECT_NEAR(error.t_rel_m, 4.0 / 4, 1e-6);
  EXPECT_NEAR(error.r_rel_deg, 2.0 / 4, 1e-6);
}

// Three motions at the corners of an equilateral triangle: the best is its centre, r away from each.
TEST(Baselines, TheBestConstantMotionLiesAmidItsEdges) {
  EdgeMotions edges;
  for (int corner = 0; corner < 3; ++corner) {
    const double angle = 2.0 * std::numbers::pi * corner / 3;
    edges.Add({Quaternion::Identity(), {2.0 + 0.3 * std::cos(angle), 0.3 * std::sin(angle), 1.0}});
  }
  const Rigid3 best = BestConstantMotion(edges);
  EXPECT_NEAR((best.translation - Eigen::Vector3d(2.0, 0.0, 1.0)).norm(), 0.0, 1e-6);
  EXPECT_NEAR(ErrorOfGuess(edges, best).t_rel_m, 0.3, 1e-6);
}

// Half a turn, one degree more or less: the vectors of these rotations point in opposite directions.
TEST(Baselines, TheBestConstantMotionOfHalfTurnsIsOne) {
  EdgeMotions edges;
  for (const double degrees : {179.0, 181.0, 179.0, 181.0, 180.0}) {
    const double half = 0.5 * degrees * std::numbers::pi / 180.0;
    edges.Add({{std::cos(half), 0.0, std::sin(half), 0.0}, {0.0, 0.0, 1.0}});
  }
  EXPECT_NEAR(ErrorOfGuess(edges, BestConstantMotion(edges)).r_rel_deg, 4.0 / 5, 1e-6);
}

// Whatever the estimate and its alignment are, baselines are the reference's own, over the matched poses.
TEST(Baselines, EvaluationsHoldThem) {
  const Trajectory reference = Path(FourMotions());
  Trajectory estimate = reference;
  for (Rigid3& pose : estimate.world_from_camera) pose.translation *= 2.0;
  for (const Alignment alignment : {Alignment::kNone, Alignment::kSim3}) {
    const Evaluation evaluation = Evaluate(reference, estimate, {.alignment = alignment});
    EXPECT_NEAR(evaluation.zero_motion.t_rel_m, 2.0, 1e-9);
    EXPECT_NEAR(evaluation.zero_motion.r_rel_deg, 1.5, 1e-6);
    EXPECT_NEAR(evaluation.constant_motion.t_rel_m, 1.0, 1e-6);
    EXPECT_NEAR(evaluation.constant_motion.r_rel_deg, 0.5, 1e-6);
  }
  estimate.timestamps_ns.resize(3);  // only the two common edges
  estimate.world_from_camera.resize(3);
  const Evaluation of_two = Evaluate(reference, estimate);
  EXPECT_NEAR(of_two.zero_motion.t_rel_m, 1.0, 1e-9);
  EXPECT_NEAR(of_two.constant_motion.t_rel_m, 0.0, 1e-6);
}

TEST(Baselines, OnePoseHasNoEdges) {
  const Trajectory one = Path({});
  const Evaluation evaluation = Evaluate(one, one);
  EXPECT_TRUE(std::isnan(evaluation.zero_motion.t_rel_m));
  EXPECT_TRUE(std::isnan(evaluation.constant_motion.r_rel_deg));
}

}  // namespace
}  // namespace calfvo
