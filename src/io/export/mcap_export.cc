// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>

#include "calfvo/error.h"
#include "core/image/png.h"
#include "io/export/axes.h"
#include "io/export/export_formats.h"
#include "io/export/exported_images.h"
#include "io/export/ros_messages.h"
#include "io/export/ros_schemas.h"
#include "io/recording/mcap_writer.h"

namespace calfvo {
namespace {

// For topics that are sent once: subscribers that come later get the last message. In rosbag2's YAML.
constexpr const char* kLatched = R"(- history: 1
  depth: 1
  reliability: 1
  durability: 1
  deadline:
    sec: 9223372036
    nsec: 854775807
  lifespan:
    sec: 9223372036
    nsec: 854775807
  liveliness: 1
  liveliness_lease_duration:
    sec: 9223372036
    nsec: 854775807
  avoid_ros_namespace_conventions: false
)";

// Topics of ROS types in one file; schemas and channels are added as they are first used.
class RosTopics {
 public:
  explicit RosTopics(McapWriter& writer) : writer_(writer) {}

  void Add(const std::string& topic, const std::string& type, int64_t time_ns, const std::string& message,
           bool latched = false) {
    const auto [place, is_new] = channels_.try_emplace(topic, uint16_t{0});
    if (is_new) {
      const auto [schema, is_new_type] = schemas_.try_emplace(type, uint16_t{0});
      if (is_new_type) schema->second = writer_.AddSchema(type, "ros2msg", RosSchema(type));
      place->second = writer_.AddChannel(schema->second, topic, "cdr",
                                         {{"offered_qos_profiles", latched ? kLatched : ""}});
    }
    writer_.AddMessage(place->second, time_ns, message);
  }

 private:
  McapWriter& writer_;
  std::map<std::string, uint16_t> schemas_;
  std::map<std::string, uint16_t> channels_;
};

// The relative pose that leads to pose `i`; of the first, the one that leads away from it.
ros::Twist TwistAt(const ExportedRun& run, size_t i) {
  const Trajectory& trajectory = run.trajectory;
  if (trajectory.size() < 2) return {};
  const size_t end = i == 0 ? 1 : i;
  const EdgeRecord edge = run.edges.empty() ? EdgeRecord() : run.edges[end];
  const auto interval_ns =
      static_cast<double>(trajectory.timestamps_ns[end] - trajectory.timestamps_ns[end - 1]);
  return ros::TwistBetween(InAxes(RosAxes(), trajectory.world_from_camera[end - 1]),
                           InAxes(RosAxes(), trajectory.world_from_camera[end]), 1e-9 * interval_ns,
                           edge.sigma_translation_m, edge.sigma_rotation_rad);
}

void CheckRosTimes(const Trajectory& trajectory, const std::filesystem::path& path) {
  constexpr int64_t kEndNs = (int64_t{1} << 31) * 1'000'000'000;
  if (trajectory.timestamps_ns.front() >= 0 && trajectory.timestamps_ns.back() < kEndNs) return;
  throw Error(fmt::format("{}: ROS messages hold times from 1970 to 2038 only; these are {} to {} ns",
                          path.string(), trajectory.timestamps_ns.front(), trajectory.timestamps_ns.back()));
}

// What holds for the whole run, at the time of its first pose.
void AddConstants(const ExportedRun& run, RosTopics& topics) {
  const int64_t start_ns = run.trajectory.timestamps_ns.front();
  const Rigid3 body_from_optical{RosAxes().camera_from_calfvo, Eigen::Vector3d::Zero()};
  topics.Add("/tf_static", "tf2_msgs/msg/TFMessage", start_ns,
             ros::TransformMessage(start_ns, ros::kBodyFrame, ros::kOpticalFrame, body_from_optical), true);
  topics.Add("/calfvo/path", "nav_msgs/msg/Path", start_ns, ros::PathMessage(run.trajectory), true);
  topics.Add("/calfvo/poses", "foxglove_msgs/msg/PosesInFrame", start_ns,
             ros::FoxglovePosesMessage(run.trajectory), true);
  topics.Add("/camera/calibration", "foxglove_msgs/msg/CameraCalibration", start_ns,
             ros::FoxgloveCameraMessage(start_ns, run.camera), true);
  if (!run.points.empty()) {
    topics.Add("/calfvo/points", "sensor_msgs/msg/PointCloud2", start_ns,
               ros::PointCloudMessage(start_ns, run.points), true);
  }
}

}  // namespace

void WriteMcap(const ExportedRun& run, const ExportOptions& options, const std::filesystem::path& path) {
  const Trajectory& trajectory = run.trajectory;
  CheckRosTimes(trajectory, path);
  ExportedRun constants = run;
  if (options.undistort) constants.camera = UndistortedCamera(run.camera);
  McapWriter writer(path, {.profile = "ros2", .compression = options.compression});
  RosTopics topics(writer);
  AddConstants(constants, topics);
  std::optional<ExportedImages> images;
  if (options.images) images.emplace(run, options.undistort);
  for (size_t i = 0; i < trajectory.size(); ++i) {
    const int64_t time_ns = trajectory.timestamps_ns[i];
    const Rigid3& world_from_camera = trajectory.world_from_camera[i];
    const Rigid3 pose = InAxes(RosAxes(), world_from_camera);
    const Matrix6 covariance = trajectory.covariances.empty()
                                   ? Matrix6::Zero()
                                   : ros::RosCovariance(world_from_camera, trajectory.covariances[i]);
    topics.Add("/tf", "tf2_msgs/msg/TFMessage", time_ns,
               ros::TransformMessage(time_ns, ros::kWorldFrame, ros::kBodyFrame, pose));
    topics.Add("/calfvo/odometry", "nav_msgs/msg/Odometry", time_ns,
               ros::OdometryMessage(time_ns, pose, covariance, TwistAt(run, i)));
    topics.Add("/calfvo/pose", "geometry_msgs/msg/PoseWithCovarianceStamped", time_ns,
               ros::PoseMessage(time_ns, pose, covariance));
    topics.Add("/camera/camera_info", "sensor_msgs/msg/CameraInfo", time_ns,
               ros::CameraInfoMessage(time_ns, constants.camera));
    if (images) {
      topics.Add("/camera/image/compressed", "sensor_msgs/msg/CompressedImage", time_ns,
                 ros::CompressedImageMessage(time_ns, "png", EncodePng(images->Next().view())));
    }
  }
  writer.Finish();
}

}  // namespace calfvo
