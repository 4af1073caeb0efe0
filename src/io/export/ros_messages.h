// SPDX-License-Identifier: Apache-2.0
// ROS 2 messages of a run as CDR bytes, in ROS's conventions: frames odom → camera_link (x ahead, y left,
// z up) → camera_optical (OpenCV's axes); covariances of (x, y, z, rotations about the fixed axes x, y, z);
// twists in the body's axes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "calfvo/camera.h"
#include "calfvo/geometry.h"
#include "calfvo/trajectory.h"

namespace calfvo::ros {

inline constexpr std::string_view kWorldFrame = "odom";
inline constexpr std::string_view kBodyFrame = "camera_link";
inline constexpr std::string_view kOpticalFrame = "camera_optical";

// Velocity of the body along and about its own axes, and the variances of both per axis.
struct Twist {
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();   // metres per second
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();  // radians per second
  double linear_variance = 0.0;
  double angular_variance = 0.0;
};

// From world_from_body at two times, `seconds` apart, with the standard deviations of the relative pose.
Twist TwistBetween(const Rigid3& before, const Rigid3& after, double seconds, double sigma_translation_m,
                   double sigma_rotation_rad);

// A covariance as Trajectory has it, for the pose `world_from_camera`, in ROS's order and axes.
Matrix6 RosCovariance(const Rigid3& world_from_camera, const Matrix6& covariance);

// The messages; poses are world_from_body in RosAxes. Without covariance all zero, as ROS marks an unknown
// one.
std::string OdometryMessage(int64_t time_ns, const Rigid3& pose, const Matrix6& covariance,
                            const Twist& twist);
std::string PoseMessage(int64_t time_ns, const Rigid3& pose, const Matrix6& covariance);
std::string TransformMessage(int64_t time_ns, std::string_view parent, std::string_view child,
                             const Rigid3& parent_from_child);
std::string PathMessage(const Trajectory& trajectory);
std::string CameraInfoMessage(int64_t time_ns, const Camera& camera);
std::string CompressedImageMessage(int64_t time_ns, std::string_view format, std::string_view bytes);
std::string PointCloudMessage(int64_t time_ns, const std::vector<MapPoint>& points);
std::string FoxglovePosesMessage(const Trajectory& trajectory);
std::string FoxgloveCameraMessage(int64_t time_ns, const Camera& camera);

}  // namespace calfvo::ros
