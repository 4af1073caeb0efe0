// SPDX-License-Identifier: Apache-2.0
#include "calfvo/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "core/base/testing.h"
#include "core/geometry/so3.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

constexpr int64_t kFrameNs = 33'333'333;

// A wandering camera; `noise` perturbs each pose on its own.
Trajectory Wander(size_t size, double noise, unsigned seed) {
  std::mt19937_64 path_random(1);
  std::mt19937_64 noise_random(seed);
  std::normal_distribution<double> normal;
  const auto vector = [&](std::mt19937_64& random, double sigma) {
    return Eigen::Vector3d(sigma * normal(random), sigma * normal(random), sigma * normal(random));
  };
  Trajectory trajectory;
  Rigid3 pose;
  for (size_t i = 0; i < size; ++i) {
    trajectory.timestamps_ns.push_back(static_cast<int64_t>(i) * kFrameNs);
    const Rigid3 perturbation{ExpSO3(vector(noise_random, noise)), vector(noise_random, noise)};
    trajectory.world_from_camera.push_back(pose * perturbation);
    pose = pose * Rigid3{ExpSO3(vector(path_random, 0.05)),
                         Eigen::Vector3d(0.0, 0.0, 0.3) + vector(path_random, 0.1)};
  }
  return trajectory;
}

Trajectory Transformed(const Similarity3& b_from_a, Trajectory trajectory) {
  for (Rigid3& pose : trajectory.world_from_camera) {
    pose = {b_from_a.rotation * pose.rotation, b_from_a * pose.translation};
  }
  return trajectory;
}

const Similarity3 kSomewhereElse{0.8, ExpSO3({0.3, -2.0, 1.0}), {5.0, -7.0, 100.0}};

TEST(Evaluate, PerfectEstimate) {
  const Trajectory reference = Wander(500, 0.0, 2);
  const Evaluation result = Evaluate(reference, reference);
  EXPECT_EQ(result.pairs.size(), 500U);
  EXPECT_EQ(result.ape_trans.max, 0.0);
  EXPECT_EQ(result.rpe_rot.max, 0.0);
  EXPECT_NEAR(result.fitted_scale, 1.0, 1e-12);
  EXPECT_EQ(result.time_covered, 1.0);
  ASSERT_TRUE(result.kitti.has_value());
  EXPECT_NEAR(result.kitti->translation_percent, 0.0, 1e-12);
}

TEST(Evaluate, RelativeErrorsAreThePapersEquations) {
  const Trajectory reference = Wander(100, 0.0, 2);
  const Trajectory estimate = Transformed(kSomewhereElse, Wander(100, 0.02, 3));
  double t_rel = 0.0;
  double r_rel = 0.0;
  for (size_t t = 0; t + 1 < 100; ++t) {
    const Rigid3& now = reference.world_from_camera[t];
    const Rigid3& next = reference.world_from_camera[t + 1];
    const Rigid3& now_hat = estimate.world_from_camera[t];
    const Rigid3& next_hat = estimate.world_from_camera[t + 1];
    const Eigen::Matrix3d r = now.rotation.toRotationMatrix();
    const Eigen::Matrix3d r_hat = now_hat.rotation.toRotationMatrix();
    t_rel += (next.translation - now.translation -
              r * r_hat.transpose() * (next_hat.translation - now_hat.translation))
                 .norm();
    const Eigen::Matrix3d error = (r_hat.transpose() * next_hat.rotation.toRotationMatrix()).transpose() *
                                  (r.transpose() * next.rotation.toRotationMatrix());
    r_rel += std::acos((error.trace() - 1.0) / 2.0) * 180.0 / std::numbers::pi;
  }
  const Evaluation result = Evaluate(reference, estimate);
  EXPECT_NEAR(result.t_rel_m, t_rel / 99.0, 1e-12);
  EXPECT_NEAR(result.r_rel_deg, r_rel / 99.0, 1e-9);
  EXPECT_EQ(result.t_rel_m, result.rpe_trans.mean);
}

TEST(Evaluate, AlignmentUndoesWhatItMayUndo) {
  const Trajectory reference = Wander(300, 0.0, 2);
  const Trajectory estimate = Transformed(kSomewhereElse, reference);
  const Evaluation none = Evaluate(reference, estimate);
  EXPECT_GT(none.ape_trans.min, 1.0);
  EXPECT_NEAR(none.fitted_scale, 1.25, 1e-12);
  EXPECT_EQ(none.reference_from_estimate.scale, 1.0);

  const Evaluation sim3 = Evaluate(reference, estimate, {.alignment = Alignment::kSim3});
  EXPECT_LT(sim3.ape_trans.max, 1e-10);
  EXPECT_LT(sim3.ape_rot.max, 1e-10);
  EXPECT_LT(sim3.rpe_trans.max, 1e-10);
  EXPECT_NEAR(sim3.reference_from_estimate.scale, 1.25, 1e-12);
  EXPECT_TRUE(sim3.alignment_is_unique);

  const Evaluation se3 = Evaluate(reference, estimate, {.alignment = Alignment::kSe3});
  EXPECT_EQ(se3.reference_from_estimate.scale, 1.0);
  EXPECT_GT(se3.ape_trans.rmse, 0.1);
  EXPECT_LT(se3.ape_rot.max, 1e-10);

  // Rebased to the first pose, only the scale is left: each position is off by 20 % of its distance from the
  // start.
  const Evaluation origin = Evaluate(reference, estimate, {.alignment = Alignment::kOrigin});
  for (size_t i = 0; i < 300; ++i) {
    const double from_start =
        (reference.world_from_camera[i].translation - reference.world_from_camera[0].translation).norm();
    EXPECT_NEAR(origin.ape_trans_m[i], 0.2 * from_start, 1e-10);
  }
  EXPECT_EQ(none.ate_as_is.rmse, origin.ape_trans.rmse);
}

TEST(Evaluate, RelativeErrorsIgnoreTheFrameOfTheEstimate) {
  const Trajectory reference = Wander(100, 0.0, 2);
  const Trajectory estimate = Wander(100, 0.02, 3);
  Similarity3 moved = kSomewhereElse;
  moved.scale = 1.0;
  const Evaluation here = Evaluate(reference, estimate);
  const Evaluation there = Evaluate(reference, Transformed(moved, estimate));
  EXPECT_NEAR(here.t_rel_m, there.t_rel_m, 1e-12);
  EXPECT_NEAR(here.r_rel_deg, there.r_rel_deg, 1e-9);
  EXPECT_NEAR(here.ate_as_is.rmse, there.ate_as_is.rmse, 1e-10);
}

TEST(Evaluate, OnePairHasNoRelativeError) {
  const Evaluation result = Evaluate(Wander(1, 0.0, 2), Wander(1, 0.1, 3));
  EXPECT_EQ(result.pairs.size(), 1U);
  EXPECT_TRUE(std::isnan(result.t_rel_m));
  EXPECT_FALSE(std::isnan(result.ape_trans.rmse));
  EXPECT_FALSE(result.kitti.has_value());
}

TEST(Evaluate, StraightLinesAlignWithAWarning) {
  Trajectory line = Wander(10, 0.0, 2);
  for (size_t i = 0; i < 10; ++i)
    line.world_from_camera[i] = {Quaternion::Identity(), {0, 0, static_cast<double>(i)}};
  const Evaluation result = Evaluate(line, line, {.alignment = Alignment::kSim3});
  EXPECT_FALSE(result.alignment_is_unique);
  EXPECT_LT(result.ape_trans.max, 1e-12);
  EXPECT_LT(result.ape_rot.max, 1e-9);
}

TEST(Evaluate, PartialEstimatesCoverPartOfTheTime) {
  const Trajectory reference = Wander(101, 0.0, 2);
  Trajectory half = Wander(51, 0.0, 2);
  EXPECT_NEAR(Evaluate(reference, half).time_covered, 0.5, 1e-12);
}

TEST(Evaluate, TrajectoriesThatAreNoneAreRefused) {
  const Trajectory good = Wander(4, 0.0, 2);
  const auto both_errors = [&](const Trajectory& bad) {
    return ErrorFrom([&] { Evaluate(bad, good); }) + "\n" + ErrorFrom([&] { Evaluate(good, bad); });
  };
  Trajectory short_of_poses = good;
  short_of_poses.world_from_camera.resize(1);
  EXPECT_EQ(both_errors(short_of_poses),
            "the reference: 1 poses, 4 timestamps and 0 covariances do not go together\n"
            "the estimate: 1 poses, 4 timestamps and 0 covariances do not go together");
  Trajectory unsorted = good;
  std::swap(unsorted.timestamps_ns[0], unsorted.timestamps_ns[3]);
  EXPECT_THAT(both_errors(unsorted),
              HasSubstr("the estimate: the time of pose 1, 33333333 ns, is not after"));
  Trajectory lost = good;
  lost.world_from_camera[2].translation.x() = std::nan("");
  EXPECT_THAT(both_errors(lost), HasSubstr("the estimate: the position of pose 2 is not finite: x nan"));
}

TEST(EvaluationOptions, Validates) {
  const Trajectory reference = Wander(3, 0.0, 2);
  EXPECT_THAT(ErrorFrom([&] { Evaluate(reference, reference, {.max_time_difference_s = -1.0}); }),
              HasSubstr("max_time_difference_s is -1; expected 0 to"));
  EXPECT_THAT(ErrorFrom([&] { Evaluate(reference, reference, {.max_time_difference_s = NAN}); }),
              HasSubstr("max_time_difference_s is nan"));
  EXPECT_EQ(ErrorFrom([&] { Evaluate(reference, reference, {.alignment = static_cast<Alignment>(9)}); }),
            "unknown alignment 9");
  EXPECT_THAT(ErrorFrom([] { AlignmentFromName("rigid"); }), HasSubstr("expected none, origin, se3 or sim3"));
}

}  // namespace
}  // namespace calfvo
