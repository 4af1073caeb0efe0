// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/trajectory/test_trajectory.h"

namespace calfvo {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

Camera SmallCamera() {
  Camera camera;
  camera.width = 640;
  camera.height = 360;
  return camera;
}

TEST(Colmap, WritesCameraFromWorld) {
  const TempFolder folder;
  const Trajectory trajectory = RandomTrajectory(2);
  WriteColmap(trajectory, folder.path() / "sparse", {.camera = SmallCamera(), .names = {"a.jpg", "b.jpg"}});

  std::ifstream images(folder.path() / "sparse" / "images.txt");
  std::string comment;
  std::getline(images, comment);
  for (size_t i = 0; i < 2; ++i) {
    size_t id = 0;
    int camera = 0;
    double w, x, y, z;
    Rigid3 camera_from_world;
    std::string name;
    images >> id >> w >> x >> y >> z;
    for (double& coordinate : camera_from_world.translation) images >> coordinate;
    images >> camera >> name;
    camera_from_world.rotation = Quaternion(w, x, y, z);
    EXPECT_EQ(id, i + 1);
    EXPECT_EQ(camera, 1);
    EXPECT_EQ(name, i == 0 ? "a.jpg" : "b.jpg");
    // The camera's centre in the world maps to the origin of the camera.
    EXPECT_LT((camera_from_world * trajectory.world_from_camera[i].translation).norm(), 1e-9);
  }
  EXPECT_THAT(
      ReadWholeFile(folder.path() / "sparse" / "cameras.txt"),
      EndsWith("is a guess: it was neither given nor estimated.\n1 SIMPLE_PINHOLE 640 360 480 320 180\n"));
  EXPECT_EQ(ReadWholeFile(folder.path() / "sparse" / "points3D.bin"), std::string(8, '\0'));
}

TEST(Colmap, WritesAnEstimatedCameraAndPoints) {
  const TempFolder folder;
  ColmapModel model{.camera = SmallCamera(), .points = std::vector<MapPoint>(2)};
  model.camera.focal_px = 500.5;
  model.camera.principal_point = {321, 179};
  model.camera.k1 = -0.125;
  model.camera.origin = CameraOrigin::kEstimated;
  model.points[1].x_in_world = {1, -2, 3.5};
  model.points[1].rgb[2] = 7;
  WriteColmap(RandomTrajectory(1), folder.path(), model);
  EXPECT_EQ(ReadWholeFile(folder.path() / "cameras.txt"),
            "# CAMERA_ID MODEL WIDTH HEIGHT f cx cy [k]\n1 SIMPLE_RADIAL 640 360 500.5 321 179 -0.125\n");
  EXPECT_THAT(ReadWholeFile(folder.path() / "points3D.txt"), EndsWith("\n2 1 -2 3.5 128 128 7 -1\n"));
  EXPECT_EQ(ReadWholeFile(folder.path() / "cameras.bin").size(), 8U + 4 + 4 + 8 + 8 + 4 * 8);
  EXPECT_EQ(ReadWholeFile(folder.path() / "images.bin").size(), 8U + 4 + 7 * 8 + 4 + 17 + 8);
  EXPECT_EQ(ReadWholeFile(folder.path() / "points3D.bin").size(), 8U + 2 * (8 + 3 * 8 + 3 + 8 + 8));
}

TEST(Colmap, RefusesWhatColmapCannotRead) {
  const TempFolder folder;
  const Trajectory trajectory = RandomTrajectory(2);
  EXPECT_THAT(ErrorFrom([&] { WriteColmap(trajectory, folder.path(), {}); }),
              HasSubstr("COLMAP export: the image size 0x0 is not within"));
  EXPECT_THAT(ErrorFrom([&] {
                WriteColmap(trajectory, folder.path(), {.camera = SmallCamera(), .names = {"a.png"}});
              }),
              HasSubstr("1 image names for 2 poses"));
  EXPECT_THAT(ErrorFrom([&] {
                WriteColmap(trajectory, folder.path(), {.camera = SmallCamera(), .names = {"a b.png", "c"}});
              }),
              HasSubstr("'a b.png' is empty or holds blanks"));
}

}  // namespace
}  // namespace calfvo
