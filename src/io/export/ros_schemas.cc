// SPDX-License-Identifier: Apache-2.0
#include "io/export/ros_schemas.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "calfvo/error.h"

namespace calfvo {
namespace {

struct RosType {
  std::string_view fields;
  std::vector<std::string_view> uses;  // types of its fields
};

const std::map<std::string_view, RosType>& RosTypes() {
  static const std::map<std::string_view, RosType> types = {
      {"builtin_interfaces/Time", {"int32 sec\nuint32 nanosec\n", {}}},
      {"std_msgs/Header", {"builtin_interfaces/Time stamp\nstring frame_id\n", {"builtin_interfaces/Time"}}},
      {"geometry_msgs/Point", {"float64 x\nfloat64 y\nfloat64 z\n", {}}},
      {"geometry_msgs/Vector3", {"float64 x\nfloat64 y\nfloat64 z\n", {}}},
      {"geometry_msgs/Quaternion", {"float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n", {}}},
      {"geometry_msgs/Pose",
       {"geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n",
        {"geometry_msgs/Point", "geometry_msgs/Quaternion"}}},
      {"geometry_msgs/PoseStamped",
       {"std_msgs/Header header\ngeometry_msgs/Pose pose\n", {"std_msgs/Header", "geometry_msgs/Pose"}}},
      {"geometry_msgs/PoseWithCovariance",
       {"geometry_msgs/Pose pose\nfloat64[36] covariance\n", {"geometry_msgs/Pose"}}},
      {"geometry_msgs/PoseWithCovarianceStamped",
       {"std_msgs/Header header\ngeometry_msgs/PoseWithCovariance pose\n",
        {"std_msgs/Header", "geometry_msgs/PoseWithCovariance"}}},
      {"geometry_msgs/Twist",
       {"geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular\n", {"geometry_msgs/Vector3"}}},
      {"geometry_msgs/TwistWithCovariance",
       {"geometry_msgs/Twist twist\nfloat64[36] covariance\n", {"geometry_msgs/Twist"}}},
      {"geometry_msgs/Transform",
       {"geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n",
        {"geometry_msgs/Vector3", "geometry_msgs/Quaternion"}}},
      {"geometry_msgs/TransformStamped",
       {"std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n",
        {"std_msgs/Header", "geometry_msgs/Transform"}}},
      {"tf2_msgs/TFMessage",
       {"geometry_msgs/TransformStamped[] transforms\n", {"geometry_msgs/TransformStamped"}}},
      {"nav_msgs/Odometry",
       {"std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n"
        "geometry_msgs/TwistWithCovariance twist\n",
        {"std_msgs/Header", "geometry_msgs/PoseWithCovariance", "geometry_msgs/TwistWithCovariance"}}},
      {"nav_msgs/Path",
       {"std_msgs/Header header\ngeometry_msgs/PoseStamped[] poses\n",
        {"std_msgs/Header", "geometry_msgs/PoseStamped"}}},
      {"sensor_msgs/RegionOfInterest",
       {"uint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify\n", {}}},
      {"sensor_msgs/CameraInfo",
       {"std_msgs/Header header\nuint32 height\nuint32 width\nstring distortion_model\nfloat64[] d\n"
        "float64[9] k\nfloat64[9] r\nfloat64[12] p\nuint32 binning_x\nuint32 binning_y\n"
        "sensor_msgs/RegionOfInterest roi\n",
        {"std_msgs/Header", "sensor_msgs/RegionOfInterest"}}},
      {"sensor_msgs/CompressedImage",
       {"std_msgs/Header header\nstring format\nuint8[] data\n", {"std_msgs/Header"}}},
      {"sensor_msgs/PointField", {"string name\nuint32 offset\nuint8 datatype\nuint32 count\n", {}}},
      {"sensor_msgs/PointCloud2",
       {"std_msgs/Header header\nuint32 height\nuint32 width\nsensor_msgs/PointField[] fields\n"
        "bool is_bigendian\nuint32 point_step\nuint32 row_step\nuint8[] data\nbool is_dense\n",
        {"std_msgs/Header", "sensor_msgs/PointField"}}},
      {"foxglove_msgs/PosesInFrame",
       {"builtin_interfaces/Time timestamp\nstring frame_id\ngeometry_msgs/Pose[] poses\n",
        {"builtin_interfaces/Time", "geometry_msgs/Pose"}}},
      {"foxglove_msgs/CameraCalibration",
       {"builtin_interfaces/Time timestamp\nstring frame_id\nuint32 width\nuint32 height\n"
        "string distortion_model\nfloat64[] d\nfloat64[9] k\nfloat64[9] r\nfloat64[12] p\n",
        {"builtin_interfaces/Time"}}},
  };
  return types;
}

}  // namespace

std::string RosSchema(std::string_view type) {
  constexpr std::string_view kMiddle = "/msg/";
  std::string name(type);
  if (const size_t middle = name.find(kMiddle); middle != std::string::npos) {
    name.replace(middle, kMiddle.size(), "/");
  }
  if (!RosTypes().contains(name)) throw Error(fmt::format("'{}' is not an exported message type", type));
  std::vector<std::string_view> order = {name};  // each type once, users first
  std::string schema;
  for (size_t i = 0; i < order.size(); ++i) {
    const RosType& part = RosTypes().at(order[i]);
    if (i > 0) schema += fmt::format("{:=<80}\nMSG: {}\n", "", order[i]);
    schema += part.fields;
    for (const std::string_view used : part.uses) {
      if (std::find(order.begin(), order.end(), used) == order.end()) order.push_back(used);
    }
  }
  return schema;
}

}  // namespace calfvo
