// SPDX-License-Identifier: Apache-2.0
#include "io/export/ros_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/base/testing.h"
#include "core/geometry/so3.h"
#include "io/export/axes.h"
#include "io/export/ros_schemas.h"

namespace calfvo {
namespace {

// The covariance of poses that are drawn with calfvo's errors, measured in ROS's.
TEST(RosCovariance, AgreesWithSampledErrors) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  Matrix6 root = Matrix6::NullaryExpr([&] { return 1e-3 * normal(random); });
  const Matrix6 covariance = root * root.transpose();
  const Rigid3 pose{Quaternion(0.1, 0.7, -0.4, 0.5).normalized(), {1, 2, 3}};
  const Rigid3 ros_pose = InAxes(RosAxes(), pose);
  Matrix6 measured = Matrix6::Zero();
  constexpr int kSamples = 100'000;
  for (int i = 0; i < kSamples; ++i) {
    const Vector6 error = root * Vector6::NullaryExpr([&] { return normal(random); });
    const Rigid3 drawn{pose.rotation * ExpSO3(error.tail<3>()), pose.translation + error.head<3>()};
    const Rigid3 ros_drawn = InAxes(RosAxes(), drawn);
    Vector6 ros_error;
    ros_error << ros_drawn.translation - ros_pose.translation,
        LogSO3(ros_drawn.rotation * ros_pose.rotation.conjugate());
    measured += ros_error * ros_error.transpose() / kSamples;
  }
  const Matrix6 expected = ros::RosCovariance(pose, covariance);
  EXPECT_LT((measured - expected).norm(), 0.02 * expected.norm());
  EXPECT_EQ(expected, Matrix6(expected.transpose()));
}

TEST(RosTwist, IsInTheBodysAxes) {
  // Turned to the left by 90°, moving 2 m along the world's y, which is ahead then; 0.1 s.
  const Quaternion left(Eigen::AngleAxisd(1.5707963267948966, Eigen::Vector3d::UnitZ()));
  const Quaternion more(Eigen::AngleAxisd(1.5707963267948966 + 0.03, Eigen::Vector3d::UnitZ()));
  const ros::Twist twist = ros::TwistBetween({left, {0, 0, 0}}, {more, {0, 0.2, 0}}, 0.1, 0.01, 0.002);
  EXPECT_NEAR(twist.linear.x(), 2.0 * std::cos(0.03), 1e-9);
  EXPECT_NEAR(twist.linear.y(), -2.0 * std::sin(0.03), 1e-9);
  EXPECT_NEAR(twist.angular.z(), 0.3, 1e-9);
  EXPECT_NEAR(twist.linear_variance, 0.01, 1e-12);
  EXPECT_NEAR(twist.angular_variance, 4e-4, 1e-12);
}

TEST(RosSchema, HoldsEachTypeThatIsUsedOnce) {
  const std::string schema = RosSchema("nav_msgs/msg/Path");
  EXPECT_THAT(schema, testing::StartsWith("std_msgs/Header header\ngeometry_msgs/PoseStamped[] poses\n===="));
  for (const char* type : {"std_msgs/Header", "geometry_msgs/PoseStamped", "geometry_msgs/Pose",
                           "geometry_msgs/Point", "geometry_msgs/Quaternion", "builtin_interfaces/Time"}) {
    const std::string title = std::string("MSG: ") + type + "\n";
    EXPECT_NE(schema.find(title), std::string::npos) << type;
    EXPECT_EQ(schema.find(title), schema.rfind(title)) << type;
  }
  EXPECT_THAT(ErrorFrom([] { RosSchema("x/msg/Y"); }), testing::HasSubstr("'x/msg/Y' is not an exported"));
}

}  // namespace
}  // namespace calfvo
