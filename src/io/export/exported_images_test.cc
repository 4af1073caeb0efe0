// SPDX-License-Identifier: Apache-2.0
#include "io/export/exported_images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/testing.h"
#include "core/image/image_decoder.h"
#include "io/export/test_run.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

Camera Distorting(double k1) {
  Camera camera = GuessedCamera(160, 120);
  camera.k1 = k1;
  return camera;
}

// A pattern of the viewing ray, seen through the distortion, comes back as the pattern.
TEST(Undistort, RestoresWhatAPinholeCameraSees) {
  const auto brightness = [](double x, double y) {
    return 127.5 + 100.0 * std::sin(9 * x) * std::cos(7 * y);
  };
  for (const double k1 : {-0.15, 0.1}) {
    const Camera camera = Distorting(k1);
    Frame distorted;
    MakeRoomForImage(160, 120, distorted);
    for (int row = 0; row < 120; ++row) {
      for (int column = 0; column < 160; ++column) {
        const Eigen::Vector2d seen =
            (Eigen::Vector2d(column + 0.5, row + 0.5) - camera.principal_point) / camera.focal_px;
        Eigen::Vector2d ray = seen;  // solved by iteration
        for (int i = 0; i < 50; ++i) ray = seen / (1.0 + k1 * ray.squaredNorm());
        for (size_t c = 0; c < 3; ++c) {
          distorted.rgb[static_cast<size_t>(row * 160 + column) * 3 + c] =
              static_cast<uint8_t>(std::lround(brightness(ray.x(), ray.y())));
        }
      }
    }
    std::vector<uint8_t> rgb;
    UndistortImage(camera, distorted, &rgb);
    int compared = 0;
    for (int row = 0; row < 120; ++row) {
      for (int column = 0; column < 160; ++column) {
        const uint8_t value = rgb[static_cast<size_t>(row * 160 + column) * 3];
        if (value == 0) continue;  // beyond the image
        const double x = (column + 0.5 - 80) / camera.focal_px;
        const double y = (row + 0.5 - 60) / camera.focal_px;
        EXPECT_NEAR(value, brightness(x, y), 2.5) << row << ' ' << column;
        ++compared;
      }
    }
    EXPECT_GT(compared, 160 * 120 * 8 / 10);
  }
}

TEST(Undistort, LeavesAnUndistortedImageAsItIs) {
  Frame frame;
  MakeRoomForImage(160, 120, frame);
  for (size_t i = 0; i < frame.rgb.size(); ++i) frame.rgb[i] = static_cast<uint8_t>(i * 7);
  std::vector<uint8_t> rgb;
  UndistortImage(Distorting(0.0), frame, &rgb);
  EXPECT_EQ(rgb, frame.rgb);
}

TEST(ExportedImages, AreOnePerPose) {
  const TempFolder folder;
  ExportedRun run = KnownMotions();
  run.open_frames = [] { return std::make_unique<FlatFrames>(64, 48, 7); };
  WriteExportedImages(run, false, folder.path() / "images");
  Frame image;
  ReadImageFile(folder.path() / "images/frame_000006.png", image);
  EXPECT_EQ(image.width, 64);
  EXPECT_EQ(image.rgb[100], 6);
}

TEST(ExportedImages, AnInputThatChangedIsAnError) {
  const TempFolder folder;
  ExportedRun run = KnownMotions();
  run.open_frames = [] { return std::make_unique<FlatFrames>(64, 48, 5); };
  EXPECT_THAT(ErrorFrom([&] { WriteExportedImages(run, false, folder.path()); }),
              HasSubstr("the input ends at frame 5 when read again"));
  run.open_frames = [] { return std::make_unique<FlatFrames>(32, 48, 7); };
  EXPECT_THAT(ErrorFrom([&] { WriteExportedImages(run, false, folder.path()); }),
              HasSubstr("frame 0 has 32x48 px, but the camera 64x48"));
}

}  // namespace
}  // namespace calfvo
