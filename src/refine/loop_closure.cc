// SPDX-License-Identifier: Apache-2.0
#include "refine/loop_closure.h"

#include <ceres/autodiff_cost_function.h>
#include <ceres/loss_function.h>
#include <ceres/problem.h>
#include <ceres/rotation.h>
#include <ceres/solver.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <tuple>

#include "core/geometry/so3.h"

namespace calfvo {
namespace {

// world_from_camera as a similarity: rotation vector correction, centre, log scale of the camera's metres.
using Node = std::array<double, 7>;

// The error of a relative similarity in standard deviations: rotation, translation over its length, log
// scale.
struct SimilarityError {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residuals) const {
    using std::exp;
    T qa[4], qb[4], inverse[4], between[4], difference[4], angles[3];
    Rotation(first, a, qa);
    Rotation(second, b, qb);
    for (int i = 0; i < 4; ++i) inverse[i] = i == 0 ? qa[i] : -qa[i];
    ceres::QuaternionProduct(inverse, qb, between);
    const T expected[4] = {T(a_from_b.rotation.w()), T(-a_from_b.rotation.x()), T(-a_from_b.rotation.y()),
                           T(-a_from_b.rotation.z())};
    ceres::QuaternionProduct(expected, between, difference);
    ceres::QuaternionToAngleAxis(difference, angles);
    const T step[3] = {b[3] - a[3], b[4] - a[4], b[5] - a[5]};
    T translation[3];
    ceres::UnitQuaternionRotatePoint(inverse, step, translation);
    const T shrink = exp(-a[6]);  // to a's metres
    for (int i = 0; i < 3; ++i) {
      residuals[i] = angles[i] / sigma_rotation;
      residuals[3 + i] = (translation[i] * shrink - a_from_b.translation[i]) / sigma_translation;
    }
    residuals[6] = (b[6] - a[6] - std::log(a_from_b.scale)) / sigma_log_scale;
    return true;
  }

  template <typename T>
  static void Rotation(const Quaternion& base, const T* node, T* out) {
    const T start[4] = {T(base.w()), T(base.x()), T(base.y()), T(base.z())};
    T turn[4];
    ceres::AngleAxisToQuaternion(node, turn);
    ceres::QuaternionProduct(start, turn, out);
  }

  Quaternion first;
  Quaternion second;
  Similarity3 a_from_b;
  double sigma_rotation;
  double sigma_translation;
  double sigma_log_scale;
};

constexpr double kChainRotation = 0.004;    // radians per keyframe
constexpr double kChainTranslation = 0.03;  // of the edge's length
constexpr double kChainLogScale = 0.02;     // per keyframe
constexpr double kLoopRotation = 0.01;
constexpr double kLoopTranslation = 0.01;  // metres, at least
constexpr double kLoopDepthShare = 0.005;  // of the points' depth
constexpr double kLoopLogScale = 0.05;
constexpr size_t kMatchesPerLoop = 80;  // that are adjusted: more take time and change little
constexpr double kFeatureNoise = 4.0;   // of ORB features, over that of tracked corners

void SolvePoseGraph(const std::vector<Loop>& loops, Adjustment& all) {
  std::vector<Node> nodes;
  for (const Keyframe& keyframe : all.keyframes) {
    const Eigen::Vector3d& c = keyframe.world_from_camera.translation;
    nodes.push_back({0.0, 0.0, 0.0, c.x(), c.y(), c.z(), 0.0});
  }
  ceres::Problem problem;
  const auto add = [&](size_t a, size_t b, const Similarity3& a_from_b, double rotation, double translation,
                       double log_scale, ceres::LossFunction* loss) {
    auto cost = std::make_unique<ceres::AutoDiffCostFunction<SimilarityError, 7, 7, 7>>(new SimilarityError{
        all.keyframes[a].world_from_camera.rotation, all.keyframes[b].world_from_camera.rotation, a_from_b,
        rotation, translation, log_scale});
    problem.AddResidualBlock(cost.release(), loss, nodes[a].data(), nodes[b].data());
  };
  for (size_t i = 0; i + 1 < nodes.size(); ++i) {
    const Rigid3 edge = all.keyframes[i].world_from_camera.Inverse() * all.keyframes[i + 1].world_from_camera;
    add(i, i + 1, {1.0, edge.rotation, edge.translation}, kChainRotation,
        std::max(kChainTranslation * edge.translation.norm(), 0.002), kChainLogScale, nullptr);
  }
  for (const Loop& loop : loops) {
    add(static_cast<size_t>(loop.first), static_cast<size_t>(loop.second), loop.first_from_second,
        kLoopRotation, std::max(kLoopTranslation, kLoopDepthShare * MedianDepth(loop)), kLoopLogScale,
        new ceres::CauchyLoss(2.0));
  }
  problem.SetParameterBlockConstant(nodes.front().data());
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  options.max_num_iterations = 50;
  options.num_threads = 1;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  if (!summary.IsSolutionUsable()) return;

  // The first keyframe's scale was held: the mean one is the network's.
  double mean_log_scale = 0.0;
  for (const Node& node : nodes) mean_log_scale += node[6] / static_cast<double>(nodes.size());
  const Eigen::Vector3d origin = all.keyframes.front().world_from_camera.translation;
  std::vector<double> log_scale;
  for (size_t i = 0; i < nodes.size(); ++i) {
    Rigid3& pose = all.keyframes[i].world_from_camera;
    const Eigen::Vector3d center(nodes[i][3], nodes[i][4], nodes[i][5]);
    pose.rotation = (pose.rotation * ExpSO3({nodes[i][0], nodes[i][1], nodes[i][2]})).normalized();
    pose.translation = origin + std::exp(-mean_log_scale) * (center - origin);
    log_scale.push_back(nodes[i][6] - mean_log_scale);
  }
  for (Track& track : all.tracks) {
    track.inverse_depth *= std::exp(-log_scale[static_cast<size_t>(track.views.front().keyframe)]);
  }
}

}  // namespace

void CloseLoops(const std::vector<Loop>& loops, const AdjustOptions& options, Adjustment& all) {
  const bool adjust = all.keyframes.size() <= kMaxGlobalKeyframes;
  for (const Loop& loop : loops) {
    if (!adjust) break;
    const size_t stride = (loop.matches.size() + kMatchesPerLoop - 1) / kMatchesPerLoop;
    for (size_t m = 0; m < loop.matches.size(); m += stride) {
      const Loop::Match& match = loop.matches[m];
      all.tracks.push_back({.id = -1,
                            .views = {{match.anchor, match.anchor_pixel},
                                      {match.partner, match.partner_pixel},
                                      {loop.second, match.second_pixel}},
                            .inverse_depth = match.inverse_depth,
                            .noise = kFeatureNoise});
    }
  }
  SolvePoseGraph(loops, all);
  if (!adjust) return;
  all.keyframes.front().fixed = true;
  AdjustOptions stage = options;
  for (const auto& [loss_px, prune_px, iterations] :
       {std::tuple(8.0, 20.0, 8), {3.0, 10.0, 8}, {1.0, 6.0, 12}, {0.5, 3.0, 12}}) {
    stage.loss_px = loss_px;
    stage.max_iterations = iterations;
    Adjust(all, stage);
    PruneTracks(all, prune_px);
    AnchorScale(all);
  }
}

}  // namespace calfvo
