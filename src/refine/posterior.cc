// SPDX-License-Identifier: Apache-2.0
#include "refine/posterior.h"

#include <Eigen/Cholesky>
#include <array>

#include "core/geometry/so3.h"
#include "refine/reprojection.h"

namespace calfvo {
namespace {

// Information of all free parameters: 6 per keyframe, then the camera, then the rotation gain.
class Information {
 public:
  Information(const Adjustment& adjustment, const AdjustOptions& options)
      : adjustment_(adjustment),
        options_(options),
        camera_at_(6 * static_cast<Eigen::Index>(adjustment.keyframes.size())) {
    matrix_.setZero(camera_at_ + kCameraParams + 1, camera_at_ + kCameraParams + 1);
    for (const Track& track : adjustment.tracks) AddTrack(track);
    AddNetwork();
    AddCameraPrior();
    for (size_t i = 0; i < adjustment.keyframes.size(); ++i) {
      if (adjustment.keyframes[i].fixed) Hold(6 * static_cast<Eigen::Index>(i), 6);
    }
  }

  Eigen::MatrixXd Covariance() const {
    const Eigen::Index n = matrix_.rows();
    return Eigen::LLT<Eigen::MatrixXd>(matrix_ + 1e-9 * Eigen::MatrixXd::Identity(n, n))
        .solve(Eigen::MatrixXd::Identity(n, n));
  }
  Eigen::Index camera_at() const { return camera_at_; }

 private:
  // A track's views are few: its information on (anchor, views, camera) is formed densely, the point
  // eliminated.
  void AddTrack(const Track& track) {
    const Track::View& anchor = track.views.front();
    std::vector<Eigen::Index> columns;
    const auto append = [&](Eigen::Index at, Eigen::Index count) {
      for (Eigen::Index c = 0; c < count; ++c) columns.push_back(at + c);
    };
    append(6 * anchor.keyframe, 6);
    for (size_t v = 1; v < track.views.size(); ++v) append(6 * track.views[v].keyframe, 6);
    const auto camera_column = static_cast<Eigen::Index>(columns.size());
    append(camera_at_, kCameraParams);

    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(2 * static_cast<Eigen::Index>(track.views.size() - 1),
                                                     static_cast<Eigen::Index>(columns.size()));
    Eigen::VectorXd by_depth = Eigen::VectorXd::Zero(jacobian.rows());
    for (size_t v = 1; v < track.views.size(); ++v) {
      const Track::View& view = track.views[v];
      const PointView point{&adjustment_.keyframes[static_cast<size_t>(anchor.keyframe)],
                            &adjustment_.keyframes[static_cast<size_t>(view.keyframe)], anchor.pixel,
                            view.pixel, adjustment_.image_height};
      Eigen::Vector2d pixel;
      PredictionJacobians by;
      if (!PredictPixel(point, kNoCorrection, kNoCorrection, track.inverse_depth, adjustment_.camera, pixel,
                        &by)) {
        continue;
      }
      const double error = (pixel - view.pixel).squaredNorm() / (options_.loss_px * options_.loss_px);
      const double weight = 1.0 / std::sqrt(1.0 + error);
      const Eigen::Index row = 2 * static_cast<Eigen::Index>(v - 1);
      jacobian.block<2, 6>(row, 0) = weight * by.by_anchor;
      jacobian.block<2, 6>(row, 6 * static_cast<Eigen::Index>(v)) = weight * by.by_view;
      jacobian.block<2, kCameraParams>(row, camera_column) = weight * by.by_camera;
      by_depth.segment<2>(row) = weight * by.by_inverse_depth;
    }
    const double depth_information = by_depth.squaredNorm();
    Eigen::MatrixXd information = jacobian.transpose() * jacobian;
    if (depth_information > 0.0) {
      const Eigen::VectorXd cross = jacobian.transpose() * by_depth;
      information.noalias() -= cross * cross.transpose() / depth_information;
    }
    Scatter(information, columns);
  }

  void AddNetwork() {
    const auto& keyframes = adjustment_.keyframes;
    const double gain = 1.0;
    for (size_t i = 0; i < adjustment_.edges.size(); ++i) {
      const bool chained = i > 0;
      const auto cost =
          chained ? MakeNetworkPrior(keyframes[i - 1], adjustment_.edges[i - 1], keyframes[i],
                                     keyframes[i + 1], adjustment_.edges[i], options_.trust)
                  : MakeNetworkPrior(keyframes[i], keyframes[i + 1], adjustment_.edges[i], options_.trust);
      const size_t poses = chained ? 3 : 2;
      std::vector<const double*> parameters(poses, kNoCorrection);
      parameters.push_back(&gain);
      const int rows = cost->num_residuals();
      std::vector<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> blocks;
      std::vector<double*> pointers;
      for (const int size : cost->parameter_block_sizes()) blocks.emplace_back(rows, size);
      for (auto& block : blocks) pointers.push_back(block.data());
      Eigen::VectorXd residuals(rows);
      cost->Evaluate(parameters.data(), residuals.data(), pointers.data());
      Eigen::MatrixXd jacobian(rows, 6 * static_cast<Eigen::Index>(poses) + 1);
      std::vector<Eigen::Index> columns;
      for (size_t p = 0; p < poses; ++p) {
        jacobian.middleCols(6 * static_cast<Eigen::Index>(p), 6) = blocks[p];
        for (Eigen::Index c = 0; c < 6; ++c)
          columns.push_back(6 * static_cast<Eigen::Index>(i + 2 - poses + p) + c);
      }
      jacobian.rightCols<1>() = blocks.back();
      columns.push_back(camera_at_ + kCameraParams);
      Scatter(jacobian.transpose() * jacobian, columns);
    }
  }

  void AddCameraPrior() {
    for (Eigen::Index i = 0; i < kCameraParams; ++i) {
      const double sigma = options_.prior.sigma[static_cast<size_t>(i)];
      if (sigma > 0.0) {
        matrix_(camera_at_ + i, camera_at_ + i) += 1.0 / (sigma * sigma);
      } else {
        Hold(camera_at_ + i, 1);
      }
    }
    const Eigen::Index gain = camera_at_ + kCameraParams;
    if (options_.trust.gain_sigma > 0.0) {
      matrix_(gain, gain) += 1.0 / (options_.trust.gain_sigma * options_.trust.gain_sigma);
    } else {
      Hold(gain, 1);
    }
  }

  // Parameters that were not free have no variance.
  void Hold(Eigen::Index at, Eigen::Index count) {
    matrix_.middleRows(at, count).setZero();
    matrix_.middleCols(at, count).setZero();
    matrix_.diagonal().segment(at, count).setConstant(1e12);
  }

  void Scatter(const Eigen::MatrixXd& information, const std::vector<Eigen::Index>& columns) {
    for (size_t c = 0; c < columns.size(); ++c) {
      for (size_t r = 0; r < columns.size(); ++r) {
        matrix_(columns[r], columns[c]) +=
            information(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c));
      }
    }
  }

  const Adjustment& adjustment_;
  const AdjustOptions& options_;
  const Eigen::Index camera_at_;
  Eigen::MatrixXd matrix_;
};

}  // namespace

Posterior ComputePosterior(const Adjustment& adjustment, const AdjustOptions& options) {
  const Information information(adjustment, options);
  const Eigen::MatrixXd covariance = information.Covariance();
  Posterior posterior;
  posterior.camera =
      covariance.block<kCameraParams, kCameraParams>(information.camera_at(), information.camera_at());
  for (size_t i = 0; i + 1 < adjustment.keyframes.size(); ++i) {
    // a_from_b: t = R_aᵀ (c_b − c_a), so ε_t = R_aᵀ (δc_b − δc_a) + [t]× δθ_a and ε_R = δθ_b − R_abᵀ δθ_a.
    const Rigid3& a = adjustment.keyframes[i].world_from_camera;
    const Rigid3 a_from_b = a.Inverse() * adjustment.keyframes[i + 1].world_from_camera;
    const Eigen::Matrix3d a_inverse = a.rotation.toRotationMatrix().transpose();
    Eigen::Matrix<double, 6, 12> by = Eigen::Matrix<double, 6, 12>::Zero();
    by.block<3, 3>(0, 0) = Hat(a_from_b.translation);
    by.block<3, 3>(0, 3) = -a_inverse;
    by.block<3, 3>(0, 9) = a_inverse;
    by.block<3, 3>(3, 0) = -a_from_b.rotation.toRotationMatrix().transpose();
    by.block<3, 3>(3, 6) = Eigen::Matrix3d::Identity();
    const Eigen::Matrix<double, 12, 12> poses =
        covariance.block<12, 12>(6 * static_cast<Eigen::Index>(i), 6 * static_cast<Eigen::Index>(i));
    posterior.edges.push_back(by * poses * by.transpose());
  }
  return posterior;
}

}  // namespace calfvo
