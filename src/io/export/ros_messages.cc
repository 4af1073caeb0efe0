// SPDX-License-Identifier: Apache-2.0
#include "io/export/ros_messages.h"

#include "core/base/little_endian.h"
#include "core/geometry/so3.h"
#include "io/export/axes.h"
#include "io/recording/cdr_writer.h"

namespace calfvo::ros {
namespace {

void AddHeader(int64_t time_ns, std::string_view frame, CdrWriter& cdr) {
  cdr.Time(time_ns).Text(frame);
}

void AddVector(const Eigen::Vector3d& vector, CdrWriter& cdr) {
  cdr.Doubles({vector.data(), 3});
}

// Eigen stores x, y, z, w, the order of ROS.
void AddPose(const Rigid3& pose, CdrWriter& cdr) {
  AddVector(pose.translation, cdr);
  cdr.Doubles({pose.rotation.coeffs().data(), 4});
}

void AddPoseWithCovariance(const Rigid3& pose, const Matrix6& covariance, CdrWriter& cdr) {
  AddPose(pose, cdr);
  cdr.Doubles({covariance.data(), 36});  // symmetric: rows are columns
}

// d, k, r and p of CameraInfo. OpenCV's pixel coordinates are 0 at the first pixel's centre.
void AddIntrinsics(const Camera& camera, CdrWriter& cdr) {
  const double f = camera.focal_px;
  const double cx = camera.principal_point.x() - 0.5;
  const double cy = camera.principal_point.y() - 0.5;
  cdr.Text("plumb_bob");
  const double d[] = {camera.k1, 0.0, 0.0, 0.0, 0.0};
  cdr.Length(5).Doubles(d);
  const double k[] = {f, 0.0, cx, 0.0, f, cy, 0.0, 0.0, 1.0};
  cdr.Doubles(k);
  const double r[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  cdr.Doubles(r);
  const double p[] = {f, 0.0, cx, 0.0, 0.0, f, cy, 0.0, 0.0, 0.0, 1.0, 0.0};
  cdr.Doubles(p);
}

}  // namespace

Twist TwistBetween(const Rigid3& before, const Rigid3& after, double seconds, double sigma_translation_m,
                   double sigma_rotation_rad) {
  Twist twist;
  twist.linear = after.rotation.conjugate() * (after.translation - before.translation) / seconds;
  twist.angular = LogSO3(before.rotation.conjugate() * after.rotation) / seconds;
  const auto variance = [&](double sigma) {
    return sigma > 0.0 ? sigma * sigma / (seconds * seconds) : 0.0;  // also for NaN
  };
  twist.linear_variance = variance(sigma_translation_m);
  twist.angular_variance = variance(sigma_rotation_rad);
  return twist;
}

Matrix6 RosCovariance(const Rigid3& world_from_camera, const Matrix6& covariance) {
  const Eigen::Matrix3d world = RosAxes().world_from_calfvo.toRotationMatrix();
  Matrix6 jacobian = Matrix6::Zero();
  jacobian.topLeftCorner<3, 3>() = world;
  // R·Exp(δθ) = Exp(R·δθ)·R: about fixed axes.
  jacobian.bottomRightCorner<3, 3>() = world * world_from_camera.rotation.toRotationMatrix();
  const Matrix6 result = jacobian * covariance * jacobian.transpose();
  return 0.5 * (result + result.transpose());
}

std::string OdometryMessage(int64_t time_ns, const Rigid3& pose, const Matrix6& covariance,
                            const Twist& twist) {
  CdrWriter cdr;
  AddHeader(time_ns, kWorldFrame, cdr);
  cdr.Text(kBodyFrame);
  AddPoseWithCovariance(pose, covariance, cdr);
  AddVector(twist.linear, cdr);
  AddVector(twist.angular, cdr);
  Matrix6 variances = Matrix6::Zero();
  variances.diagonal().head<3>().setConstant(twist.linear_variance);
  variances.diagonal().tail<3>().setConstant(twist.angular_variance);
  cdr.Doubles({variances.data(), 36});
  return cdr.bytes();
}

std::string PoseMessage(int64_t time_ns, const Rigid3& pose, const Matrix6& covariance) {
  CdrWriter cdr;
  AddHeader(time_ns, kWorldFrame, cdr);
  AddPoseWithCovariance(pose, covariance, cdr);
  return cdr.bytes();
}

std::string TransformMessage(int64_t time_ns, std::string_view parent, std::string_view child,
                             const Rigid3& parent_from_child) {
  CdrWriter cdr;
  cdr.Length(1);
  AddHeader(time_ns, parent, cdr);
  cdr.Text(child);
  AddPose(parent_from_child, cdr);
  return cdr.bytes();
}

std::string PathMessage(const Trajectory& trajectory) {
  CdrWriter cdr;
  AddHeader(trajectory.timestamps_ns[0], kWorldFrame, cdr);
  cdr.Length(trajectory.size());
  for (size_t i = 0; i < trajectory.size(); ++i) {
    AddHeader(trajectory.timestamps_ns[i], kWorldFrame, cdr);
    AddPose(InAxes(RosAxes(), trajectory.world_from_camera[i]), cdr);
  }
  return cdr.bytes();
}

std::string CameraInfoMessage(int64_t time_ns, const Camera& camera) {
  CdrWriter cdr;
  AddHeader(time_ns, kOpticalFrame, cdr);
  cdr.Number<uint32_t>(static_cast<uint32_t>(camera.height));
  cdr.Number<uint32_t>(static_cast<uint32_t>(camera.width));
  AddIntrinsics(camera, cdr);
  for (int i = 0; i < 6; ++i) cdr.Number<uint32_t>(0);  // binning and region of interest: all
  cdr.Number<uint8_t>(0);
  return cdr.bytes();
}

std::string CompressedImageMessage(int64_t time_ns, std::string_view format, std::string_view bytes) {
  CdrWriter cdr;
  AddHeader(time_ns, kOpticalFrame, cdr);
  cdr.Text(format).Bytes(bytes);
  return cdr.bytes();
}

std::string PointCloudMessage(int64_t time_ns, const std::vector<MapPoint>& points) {
  constexpr uint8_t kFloat32 = 7;
  constexpr uint32_t kPointBytes = 16;
  CdrWriter cdr;
  AddHeader(time_ns, kWorldFrame, cdr);
  cdr.Number<uint32_t>(1);
  cdr.Number<uint32_t>(static_cast<uint32_t>(points.size()));
  cdr.Length(4);
  uint32_t offset = 0;
  for (const char* name : {"x", "y", "z", "rgb"}) {
    cdr.Text(name).Number<uint32_t>(offset).Number<uint8_t>(kFloat32).Number<uint32_t>(1);
    offset += sizeof(float);
  }
  cdr.Number<uint8_t>(0);  // little-endian
  cdr.Number<uint32_t>(kPointBytes);
  cdr.Number<uint32_t>(static_cast<uint32_t>(points.size()) * kPointBytes);
  std::string data;
  data.reserve(points.size() * kPointBytes);
  for (const MapPoint& point : points) {
    const Eigen::Vector3d place = RosAxes().world_from_calfvo * point.x_in_world;
    for (const double coordinate : place) AppendLittleEndian<float>(static_cast<float>(coordinate), &data);
    // PCL's packing: blue first in memory.
    for (const uint8_t byte : {point.rgb[2], point.rgb[1], point.rgb[0], uint8_t{0}}) {
      AppendLittleEndian<uint8_t>(byte, &data);
    }
  }
  cdr.Bytes(data).Number<uint8_t>(1);  // no invalid points
  return cdr.bytes();
}

std::string FoxglovePosesMessage(const Trajectory& trajectory) {
  CdrWriter cdr;
  cdr.Time(trajectory.timestamps_ns[0]).Text(kWorldFrame).Length(trajectory.size());
  for (const Rigid3& pose : trajectory.world_from_camera) AddPose(InAxes(RosAxes(), pose), cdr);
  return cdr.bytes();
}

std::string FoxgloveCameraMessage(int64_t time_ns, const Camera& camera) {
  CdrWriter cdr;
  cdr.Time(time_ns).Text(kOpticalFrame);
  cdr.Number<uint32_t>(static_cast<uint32_t>(camera.width));
  cdr.Number<uint32_t>(static_cast<uint32_t>(camera.height));
  AddIntrinsics(camera, cdr);
  return cdr.bytes();
}

}  // namespace calfvo::ros
