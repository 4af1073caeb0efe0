// SPDX-License-Identifier: Apache-2.0
// Known motions arrive as such in each tool's axes. What was written is read back here, independently of the
// functions that wrote it.
#include "io/export/axes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "core/base/testing.h"
#include "io/export/ros_messages.h"
#include "io/export/test_run.h"

namespace calfvo {
namespace {

// Where right, up and ahead point, in the axes of a world or a camera.
struct Directions {
  Eigen::Vector3d right;
  Eigen::Vector3d up;
  Eigen::Vector3d ahead;
};
const Directions kOpenCv{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}};
const Directions kOpenGl{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
const Directions kZUp{{1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
const Directions kRos{{0, -1, 0}, {0, 0, 1}, {1, 0, 0}};

using Poses = std::vector<Eigen::Isometry3d>;  // world from camera

void ExpectKnownMotions(const Poses& poses, const Directions& world, const Directions& camera) {
  ASSERT_EQ(poses.size(), 7U);
  const auto near = [](const Eigen::Vector3d& a, const Eigen::Vector3d& b) { return (a - b).norm() < 1e-6; };
  const auto expect = [&](size_t pose, const Eigen::Vector3d& place, const Directions& seen) {
    EXPECT_TRUE(near(poses[pose].translation(), place)) << pose;
    EXPECT_TRUE(near(poses[pose].linear() * camera.right, seen.right)) << pose;
    EXPECT_TRUE(near(poses[pose].linear() * camera.up, seen.up)) << pose;
    EXPECT_TRUE(near(poses[pose].linear() * camera.ahead, seen.ahead)) << pose;
  };
  const Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  expect(0, origin, world);
  expect(1, world.right, world);
  expect(2, world.up, world);
  expect(3, world.ahead, world);
  expect(4, origin, {-world.ahead, world.up, world.right});  // yaw to the right
  expect(5, origin, {world.right, -world.ahead, world.up});  // pitch up
  expect(6, origin, {-world.up, world.right, world.ahead});  // roll clockwise
}

Eigen::Isometry3d Pose(const Eigen::Quaterniond& rotation, const Eigen::Vector3d& place) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = rotation.toRotationMatrix();
  pose.translation() = place;
  return pose;
}

class AxesOf : public testing::Test {
 protected:
  void Export(const char* format) { WriteExports(run_, {.formats = {format}}, folder_.path()); }
  std::string Text(const char* name) const { return ReadWholeFile(folder_.path() / name); }

  const ExportedRun run_ = KnownMotions();
  const TempFolder folder_;
};

TEST_F(AxesOf, TumKittiAndEuroc) {
  for (const char* format : {"tum", "kitti", "euroc"}) {
    Export(format);
    Poses poses;
    for (const Rigid3& pose :
         ReadTrajectory(folder_.path() / (std::string("trajectory.") + format)).world_from_camera) {
      poses.push_back(Pose(pose.rotation, pose.translation));
    }
    ExpectKnownMotions(poses, kOpenCv, kOpenCv);
  }
}

TEST_F(AxesOf, Colmap) {
  Export("colmap");
  std::istringstream lines(Text("colmap/sparse/0/images.txt"));
  std::string line;
  std::getline(lines, line);
  Poses poses;
  while (std::getline(lines, line)) {
    if (line.empty()) continue;
    std::istringstream fields(line);
    int id = 0;
    Eigen::Quaterniond q;
    Eigen::Vector3d t;
    fields >> id >> q.w() >> q.x() >> q.y() >> q.z() >> t.x() >> t.y() >> t.z();
    poses.push_back(Pose(q, t).inverse());
  }
  ExpectKnownMotions(poses, kOpenCv, kOpenCv);
}

TEST_F(AxesOf, Nerfstudio) {
  Export("nerfstudio");
  Poses poses;
  const auto json = nlohmann::json::parse(Text("nerfstudio/transforms.json"));
  for (const auto& frame : json["frames"]) {
    Eigen::Isometry3d pose;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) pose(i, j) = frame["transform_matrix"][i][j];
    }
    poses.push_back(pose);
  }
  ExpectKnownMotions(poses, kZUp, kOpenGl);
}

TEST_F(AxesOf, BlenderScript) {
  Export("blender");
  const std::string text = Text("blender/add_camera.py");
  const std::regex row(R"(\n    \(\S+, \((\S+), (\S+), (\S+)\), \((\S+), (\S+), (\S+), (\S+)\)\),)");
  Poses poses;
  for (std::sregex_iterator match(text.begin(), text.end(), row), end; match != end; ++match) {
    double v[7];
    for (size_t i = 0; i < 7; ++i) v[i] = std::stod((*match)[i + 1]);
    poses.push_back(Pose({v[3], v[4], v[5], v[6]}, {v[0], v[1], v[2]}));
  }
  ExpectKnownMotions(poses, kZUp, kOpenGl);
}

TEST_F(AxesOf, Gltf) {
  Export("blender");
  const std::string bytes = Text("blender/camera.glb");
  uint32_t json_bytes = 0;
  std::memcpy(&json_bytes, bytes.data() + 12, 4);
  const auto json = nlohmann::json::parse(bytes.substr(20, json_bytes));
  const size_t binary = 20 + json_bytes + 8;
  const auto floats = [&](size_t accessor, size_t index, size_t width) {
    const auto& view = json["bufferViews"][json["accessors"][accessor]["bufferView"].get<size_t>()];
    std::vector<float> values(width);
    std::memcpy(values.data(), bytes.data() + binary + view["byteOffset"].get<size_t>() + index * width * 4,
                width * 4);
    return values;
  };
  const auto& samplers = json["animations"][0]["samplers"];
  Poses poses;
  for (size_t i = 0; i < json["accessors"][samplers[0]["input"].get<size_t>()]["count"]; ++i) {
    const auto t = floats(samplers[0]["output"], i, 3);
    const auto q = floats(samplers[1]["output"], i, 4);
    EXPECT_EQ(floats(samplers[0]["input"], i, 1)[0], static_cast<float>(i));
    poses.push_back(Pose({q[3], q[0], q[1], q[2]}, {t[0], t[1], t[2]}));
  }
  ExpectKnownMotions(poses, kOpenGl, kOpenGl);
}

// The pose in the bytes of a PoseWithCovarianceStamped: after the time and the frame "odom".
TEST_F(AxesOf, Ros) {
  Poses poses;
  for (const Rigid3& pose : run_.trajectory.world_from_camera) {
    const std::string bytes = ros::PoseMessage(1, InAxes(RosAxes(), pose), Matrix6::Zero());
    constexpr size_t kPoseOffset = 4 + 24;  // header of CDR; time, length and text, aligned to 8 bytes
    double v[7];
    std::memcpy(v, bytes.data() + kPoseOffset, sizeof(v));
    poses.push_back(Pose({v[6], v[3], v[4], v[5]}, {v[0], v[1], v[2]}));
  }
  ExpectKnownMotions(poses, kRos, kRos);
}

}  // namespace
}  // namespace calfvo
