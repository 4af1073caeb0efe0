// SPDX-License-Identifier: Apache-2.0
#include "synth/render/camera_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/testing.h"

namespace calfvo {
namespace {

using portable::Random;
using synth::DirectionAt;
using synth::Pixel;
using synth::Project;
using synth::Vec3;

TEST(CameraModel, PixelToRayAndBackIsExactForEverySensorDrawn) {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    const auto kind = static_cast<SceneKind>(i % kSceneKindCount);
    const Sensor sensor = DrawSensor({}, kind, random);
    const CameraModel camera = CameraFromSensor(sensor, 224, 224);
    for (int j = 0; j < 40; ++j) {
      const Pixel at{random.Uniform(-0.5F, 223.5F), random.Uniform(-0.5F, 223.5F)};
      const Vec3 direction = DirectionAt(camera, at.x, at.y);
      Pixel back;
      ASSERT_TRUE(Project(camera, direction * random.Uniform(0.1F, 50.0F), back));
      EXPECT_NEAR(back.x, at.x, 1e-4F) << "k1 " << camera.k1 << " k2 " << camera.k2 << " fx " << camera.fx;
      EXPECT_NEAR(back.y, at.y, 1e-4F);
    }
  }
}

TEST(CameraModel, TheAspectIsThatOfThePartThatIsKept) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Sensor sensor = DrawSensor({.crop_probability = 0.5F}, SceneKind::kStreet, random);
    const float expected = sensor.aspect * sensor.crop_width / sensor.crop_height;
    for (const int width : {224, 640}) {
      EXPECT_NEAR(ImageAspect(CameraFromSensor(sensor, width, 224)) / expected, 1.0F, 1e-5F);
    }
  }
}

TEST(CameraModel, AThirdOfTheSensorsOnStreetsAreThoseOfCars) {
  Random random(2);
  int wide = 0;
  int wide_in_rooms = 0;
  for (int i = 0; i < 1000; ++i) {
    const Sensor on_street = DrawSensor({}, SceneKind::kStreet, random);
    wide_in_rooms += DrawSensor({}, SceneKind::kRoom, random).aspect > 2.0F ? 1 : 0;
    if (on_street.aspect < 2.0F) continue;
    ++wide;
    EXPECT_NEAR(on_street.aspect, 3.3F, 0.51F);
    EXPECT_GE(on_street.focal_over_width, 0.5F);
    EXPECT_LE(on_street.focal_over_width, 0.7501F);
  }
  EXPECT_NEAR(wide, 350, 50);
  EXPECT_LT(wide_in_rooms, 60);
  // What the options allow goes first.
  const SensorOptions long_focus{.min_focal_over_width = 1.0F, .max_focal_over_width = 1.2F};
  for (int i = 0; i < 50; ++i) {
    const Sensor sensor = DrawSensor(long_focus, SceneKind::kStreet, random);
    EXPECT_GE(sensor.focal_over_width, 0.9999F);
  }
}

TEST(CameraModel, FollowsTheStatedFormula) {
  const CameraModel camera{640, 480, 500.0F, 510.0F, 320.0F, 241.0F, -0.2F, 0.05F};
  const double x = 0.3;
  const double y = -0.2;
  const double r2 = x * x + y * y;
  const double s = 1.0 - 0.2 * r2 + 0.05 * r2 * r2;
  Pixel pixel;
  ASSERT_TRUE(Project(camera, {0.6F, -0.4F, 2.0F}, pixel));
  EXPECT_NEAR(pixel.x, 500.0 * x * s + 320.0, 1e-3);
  EXPECT_NEAR(pixel.y, 510.0 * y * s + 241.0, 1e-3);
}

TEST(CameraModel, RejectsPointsBehindAndFoldedOnes) {
  CameraModel camera;
  Pixel pixel;
  EXPECT_FALSE(Project(camera, {0.0F, 0.0F, -1.0F}, pixel));
  camera.k1 = -0.3F;  // turns back beyond r = 1.05
  EXPECT_FALSE(Project(camera, {1.2F, 0.0F, 1.0F}, pixel));
}

TEST(CameraModel, ACropSeesTheSameRays) {
  Sensor sensor;
  sensor.aspect = 16.0F / 9;
  sensor.distortion1 = -0.1F;
  sensor.distortion2 = 0.01F;
  const CameraModel whole = CameraFromSensor(sensor, 1600, 900);
  sensor.crop_left = 0.25F;
  sensor.crop_top = 0.5F;
  sensor.crop_width = 0.5F;
  sensor.crop_height = 0.25F;
  const CameraModel crop = CameraFromSensor(sensor, 800, 225);
  const Vec3 a = DirectionAt(whole, 400.0F + 100.0F, 450.0F + 30.0F);
  const Vec3 b = DirectionAt(crop, 100.0F, 30.0F);
  EXPECT_NEAR(a.x, b.x, 1e-6F);
  EXPECT_NEAR(a.y, b.y, 1e-6F);
}

TEST(CameraModel, ValidateNamesTheField) {
  SensorOptions options;
  options.Validate();
  options.max_barrel = 2.0F;
  EXPECT_NE(ErrorFrom([&] { options.Validate(); }).find("max_barrel"), std::string::npos);
}

}  // namespace
}  // namespace calfvo
