// SPDX-License-Identifier: Apache-2.0
// Relative poses as factors of a Ceres pose graph, weighted by their covariances, with one measurement from
// elsewhere: the known position of the last frame, in the frame of the first camera.
//   05_pose_graph VIDEO X Y Z [MODEL]
// Prints the last position before and after optimisation.
#include <calfvo/odometry.h>
#include <ceres/ceres.h>

#include <cstdio>
#include <cstdlib>

namespace {

// The error of `previous_from_current` in the units of its standard deviations, for poses
// world_from_camera = (q, p) of the previous and the current frame.
struct RelativePoseFactor {
  calfvo::Rigid3 previous_from_current;
  calfvo::Matrix6 root_information;

  template <typename T>
  bool operator()(const T* q_previous, const T* p_previous, const T* q_current, const T* p_current,
                  T* residuals) const {
    using Quaternion = Eigen::Quaternion<T>;
    using Vector = Eigen::Matrix<T, 3, 1>;
    const Eigen::Map<const Quaternion> q_a(q_previous), q_b(q_current);
    const Eigen::Map<const Vector> p_a(p_previous), p_b(p_current);
    const Eigen::Quaterniond measured(previous_from_current.rotation);
    const Quaternion error = measured.conjugate().cast<T>() * (q_a.conjugate() * q_b);
    Eigen::Matrix<T, 6, 1> difference;
    // ε_t along the axes of the previous camera, ε_R about those of the current one (calfvo/odometry.h).
    difference.template head<3>() =
        q_a.conjugate() * (p_b - p_a) - previous_from_current.translation.cast<T>();
    difference.template tail<3>() = T(2.0) * error.vec();
    Eigen::Map<Eigen::Matrix<T, 6, 1>> scaled(residuals);
    scaled = root_information.cast<T>() * difference;
    return true;
  }
};

struct PositionFactor {
  Eigen::Vector3d position;
  double sigma_m;

  template <typename T>
  bool operator()(const T* p, T* residuals) const {
    for (int i = 0; i < 3; ++i) residuals[i] = (p[i] - position[i]) / sigma_m;
    return true;
  }
};

// A frame's parameters.
struct Node {
  Eigen::Quaterniond rotation;
  Eigen::Vector3d position;
};

void PrintEnd(const char* when, const Node& node) {
  std::printf("%s: %.4f %.4f %.4f m\n", when, node.position.x(), node.position.y(), node.position.z());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 5) {
    std::fprintf(stderr, "usage: 05_pose_graph VIDEO X Y Z [MODEL]\n");
    return 2;
  }
  const calfvo::Model model({.name = argc > 5 ? argv[5] : "calfvo-s"});
  if (!model.has_confidence()) throw calfvo::Error("this model estimates no uncertainty");
  std::vector<calfvo::PoseEstimate> poses;
  calfvo::EstimateOptions options;
  options.on_pose = [&](const calfvo::PoseEstimate& pose) { poses.push_back(pose); };
  calfvo::EstimateTrajectory(model, argv[1], options);
  if (poses.size() < 2) throw calfvo::Error("a graph needs two frames or more");

  std::vector<Node> nodes;
  nodes.reserve(poses.size());
  for (const calfvo::PoseEstimate& pose : poses) {
    nodes.push_back(
        {Eigen::Quaterniond(pose.world_from_camera.rotation), pose.world_from_camera.translation});
  }
  PrintEnd("before", nodes.back());
  ceres::Problem problem;
  for (Node& node : nodes) {
    problem.AddParameterBlock(node.rotation.coeffs().data(), 4, new ceres::EigenQuaternionManifold);
  }
  for (size_t i = 1; i < nodes.size(); ++i) {
    const calfvo::Matrix6 information = poses[i].relative_covariance.inverse();
    const calfvo::Matrix6 root = information.llt().matrixU();
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<RelativePoseFactor, 6, 4, 3, 4, 3>(
                                 new RelativePoseFactor{poses[i].previous_from_current, root}),
                             nullptr, nodes[i - 1].rotation.coeffs().data(), nodes[i - 1].position.data(),
                             nodes[i].rotation.coeffs().data(), nodes[i].position.data());
  }
  problem.SetParameterBlockConstant(nodes[0].rotation.coeffs().data());
  problem.SetParameterBlockConstant(nodes[0].position.data());
  const Eigen::Vector3d known(std::atof(argv[2]), std::atof(argv[3]), std::atof(argv[4]));
  problem.AddResidualBlock(
      new ceres::AutoDiffCostFunction<PositionFactor, 3, 3>(new PositionFactor{known, 0.001}), nullptr,
      nodes.back().position.data());
  ceres::Solver::Options solver;
  solver.linear_solver_type = ceres::SPARSE_NORMAL_CHOLESKY;
  ceres::Solver::Summary summary;
  ceres::Solve(solver, &problem, &summary);
  PrintEnd("after", nodes.back());
  std::printf("%s\n", summary.BriefReport().c_str());
  return summary.IsSolutionUsable() ? 0 : 1;
} catch (const calfvo::Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
