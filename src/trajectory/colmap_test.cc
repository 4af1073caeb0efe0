// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "trajectory/test_trajectory.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

TEST(Colmap, WritesCameraFromWorld) {
  const TempFolder folder;
  const Trajectory trajectory = RandomTrajectory(2);
  WriteColmap(trajectory, folder.path() / "sparse",
              {.width = 640, .height = 480, .names = {"a.jpg", "b.jpg"}});

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
      HasSubstr("is a guess: calfvo estimates no intrinsics.\n1 SIMPLE_PINHOLE 640 480 512 320 240\n"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "sparse" / "points3D.txt"));
}

TEST(Colmap, RefusesWhatColmapCannotRead) {
  const TempFolder folder;
  const Trajectory trajectory = RandomTrajectory(2);
  EXPECT_THAT(ErrorFrom([&] { WriteColmap(trajectory, folder.path(), {.width = 0, .height = 480}); }),
              HasSubstr("image size 0x480 must be positive"));
  EXPECT_THAT(ErrorFrom([&] {
                WriteColmap(trajectory, folder.path(), {.width = 1, .height = 1, .names = {"a.png"}});
              }),
              HasSubstr("1 image names for 2 poses"));
  EXPECT_THAT(ErrorFrom([&] {
                WriteColmap(trajectory, folder.path(), {.width = 1, .height = 1, .names = {"a b.png", "c"}});
              }),
              HasSubstr("'a b.png' is empty or holds blanks"));
}

}  // namespace
}  // namespace calfvo
