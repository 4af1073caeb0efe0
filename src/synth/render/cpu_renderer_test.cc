// SPDX-License-Identifier: Apache-2.0
#include "synth/render/cpu_renderer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/testing.h"
#include "core/base/thread_pool.h"
#include "synth/render/texture_pool.h"
#include "synth/scene/scene_kind.h"
#include "synth/scene/test_motion.h"

namespace calfvo {
namespace {

using portable::Random;
using synth::Scene;
using synth::WindowEffects;

CameraModel SmallCamera() {
  Sensor sensor;
  sensor.distortion1 = -0.08F;
  sensor.distortion2 = 0.01F;
  return CameraFromSensor(sensor, 64, 48);
}

TEST(CpuRenderer, SameBytesForAnyNumberOfThreads) {
  const WindowEffects effects = synth::DrawEffects({.rolling_shutter_probability = 1,
                                                    .motion_blur_probability = 1,
                                                    .noise_probability = 1,
                                                    .jpeg_probability = 1,
                                                    .sharpness_probability = 1},
                                                   2, Random(1));
  for (const SceneKind kind : {SceneKind::kRoom, SceneKind::kStreet, SceneKind::kTerrain}) {
    const auto scene = MakeScene(kind, 9);
    PosedFrame frames[2];
    synth::TestMotion(*scene, frames, 2, 0.05F, Random(4));
    std::vector<FrameOutputs> outputs;
    for (const int count : {1, 2, 5}) {
      ThreadPool threads(count);
      outputs.push_back(CpuRenderer(threads).Render(*scene, SmallCamera(), frames, 2, 0, effects, 77));
    }
    for (int i = 1; i < 3; ++i) {
      EXPECT_EQ(outputs[0].rgb, outputs[i].rgb);
      EXPECT_EQ(outputs[0].depth, outputs[i].depth);
      EXPECT_EQ(outputs[0].primitive, outputs[i].primitive);
    }
  }
}

TEST(CpuRenderer, DepthOfTheFloorIsThatOfAPlane) {
  Scene scene{};
  scene.material_count = 1;
  PosedFrame frame;
  frame.world_from_camera = synth::LookPose({0.0F, 0.0F, 1.5F}, 0.3F, -0.4F, 0.1F);
  ThreadPool threads(1);
  const CameraModel camera = SmallCamera();
  const FrameOutputs out = CpuRenderer(threads).Render(scene, camera, &frame, 1, 0, {}, 0);
  int ground = 0;
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      const synth::Vec3 direction = frame.world_from_camera.rotation *
                                    synth::DirectionAt(camera, static_cast<float>(x), static_cast<float>(y));
      const float depth = out.depth[static_cast<size_t>(y * camera.width + x)];
      if (direction.z < -1e-3F) {
        ++ground;
        EXPECT_NEAR(depth, -1.5F / direction.z, 1e-4F * depth);
      } else if (direction.z > 1e-3F) {
        EXPECT_TRUE(std::isinf(depth));
      }
    }
  }
  EXPECT_GT(ground, 500);
}

TEST(CpuRenderer, SkyTurnsWithTheCameraAndDoesNotShift) {
  Scene scene{};
  scene.material_count = 1;
  PosedFrame frames[2];
  frames[0].world_from_camera = synth::LookPose({0.0F, 0.0F, 1.5F}, 0.0F, 0.9F, 0.0F);
  frames[1].world_from_camera = synth::LookPose({5.0F, 1.0F, 1.7F}, 0.0F, 0.9F, 0.0F);
  ThreadPool threads(1);
  const FrameOutputs out = CpuRenderer(threads).Render(scene, SmallCamera(), frames, 2, 0, {}, 0);
  for (int i = 0; i < 64 * 10; ++i) {
    EXPECT_NEAR(out.motion_to_next[static_cast<size_t>(2 * i)], 0.0F, 1e-3F);
    EXPECT_NEAR(out.motion_to_next[static_cast<size_t>(2 * i + 1)], 0.0F, 1e-3F);
    EXPECT_TRUE(std::isnan(out.motion_to_previous[static_cast<size_t>(2 * i)]));
  }
}

TEST(CpuRenderer, MeteredImagesAreAsBrightAsTheyShouldBe) {
  ThreadPool threads(1);
  const CpuRenderer renderer(threads);
  const CameraModel camera = CameraFromSensor({}, 64, 64);
  for (const SceneKind kind : {SceneKind::kRoom, SceneKind::kStreet, SceneKind::kHall}) {
    const auto scene = MakeScene(kind, 5);
    synth::Light& light = scene->light;
    for (synth::Vec3* part :
         {&light.color, &light.from_above, &light.from_below, &light.zenith, &light.horizon}) {
      *part = *part * 0.2F;
    }
    PosedFrame frame;
    frame.world_from_camera = synth::LookPose({0.5F, 0.3F, 1.5F}, 0.4F, -0.1F, 0.0F);
    for (const float gamma : {1.0F, 1.6F}) {
      synth::WindowEffects effects;
      effects.target = 0.4F;
      effects.gamma = gamma;
      renderer.Meter(*scene, camera, frame, effects);
      EXPECT_GT(effects.metered_gain, 1.0F);
      const FrameOutputs out = renderer.Render(*scene, camera, &frame, 1, 0, effects, 0);
      double sum = 0.0;
      for (const uint8_t value : out.rgb) sum += value;
      EXPECT_NEAR(sum / static_cast<double>(out.rgb.size()) / 255.0, 0.4, 0.06);
    }
  }
}

TEST(CpuRenderer, MovingObjectsCarryTheirOwnMotion) {
  const auto scene = MakeScene(SceneKind::kStreet, 3);
  ASSERT_GT(scene->mover_count, 0);
  // A camera at rest that looks at the first mover.
  const synth::Mover& mover = scene->movers[0];
  const synth::Vec3 middle = (mover.box.low + mover.box.high) * 0.5F;
  PosedFrame frames[2];
  for (int i = 0; i < 2; ++i) {
    frames[i].world_from_camera =
        synth::LookPose(middle + synth::Vec3{0.0F, 0.0F, 6.0F}, 0.0F, -1.5707F, 0.0F);
    frames[i].time_s = 0.05F * static_cast<float>(i);
  }
  Sensor sensor;
  sensor.focal_over_width = 1.4F;
  sensor.aspect = 1.0F;
  const CameraModel camera = CameraFromSensor(sensor, 64, 64);
  ThreadPool threads(1);
  const FrameOutputs out = CpuRenderer(threads).Render(*scene, camera, frames, 2, 0, {}, 0);
  int moving = 0;
  for (size_t i = 0; i < out.primitive.size(); ++i) {
    const int p = out.primitive[i];
    if (p < 0 || std::isnan(out.motion_to_next[2 * i])) continue;
    const float length = std::hypot(out.motion_to_next[2 * i], out.motion_to_next[2 * i + 1]);
    const int m = scene->primitives[p].mover();
    if (m < 0) {
      EXPECT_LT(length, 1e-2F);
    } else {
      ++moving;
      const float metres = Norm(synth::MoverOffset(scene->movers[m], 0.05F));
      EXPECT_NEAR(length, metres * camera.fx / out.depth[i], 0.05F * length + 0.05F);
    }
  }
  EXPECT_GT(moving, 20);
}

TEST(CpuRenderer, CellsAgreeWithPixels) {
  const auto scene = MakeScene(SceneKind::kRoom, 3);
  PosedFrame frames[2];
  synth::TestMotion(*scene, frames, 2, 0.1F, Random(8));
  ThreadPool threads(2);
  const CpuRenderer renderer(threads);
  const CameraModel camera = SmallCamera();
  const FrameOutputs full = renderer.Render(*scene, camera, frames, 2, 0, {}, 0);
  const CellOutputs cells = renderer.RenderCells(*scene, camera, frames, 2, 0, {}, 1);
  EXPECT_EQ(cells.depth, full.depth);
  const CellOutputs coarse = renderer.RenderCells(*scene, camera, frames, 2, 0, {}, 8);
  EXPECT_EQ(coarse.columns, 8);
  EXPECT_EQ(coarse.rows, 6);
}

TEST(CpuRenderer, RollingShutterBendsWhatPassesByAndBlurSoftensIt) {
  const auto scene = MakeScene(SceneKind::kCorridor, 3);
  PosedFrame frames[2];
  synth::TestMotion(*scene, frames, 2, 0.05F, Random(8));
  frames[0].angular_velocity = {0.0F, 1.5F, 0.0F};
  ThreadPool threads(2);
  const CpuRenderer renderer(threads);
  const auto render = [&](float readout_s, float exposure_s) {
    WindowEffects effects;
    effects.readout_s = readout_s;
    effects.exposure_s = exposure_s;
    effects.samples = exposure_s > 0.0F ? 8 : 0;
    return renderer.Render(*scene, SmallCamera(), frames, 2, 0, effects, 0);
  };
  const auto edges = [](const FrameOutputs& out) {
    double sum = 0.0;
    for (size_t i = 3; i < out.rgb.size(); ++i) sum += std::abs(out.rgb[i] - out.rgb[i - 3]);
    return sum;
  };
  const FrameOutputs sharp = render(0.0F, 0.0F);
  const FrameOutputs rolling = render(0.03F, 0.0F);
  // The middle row is the frame's own time, the first and last are not.
  const auto row_difference = [&](size_t row) {
    double sum = 0.0;
    for (size_t i = row * 64; i < (row + 1) * 64; ++i) sum += std::fabs(sharp.depth[i] - rolling.depth[i]);
    return sum / 64;
  };
  EXPECT_LT(row_difference(24), row_difference(0) + row_difference(47));
  EXPECT_LT(edges(render(0.0F, 0.05F)), 0.97 * edges(sharp));
}

TEST(CpuRenderer, TexturesShowOnSurfaces) {
  const auto scene = MakeScene(SceneKind::kHall, 3);
  PosedFrame frames[1];
  synth::TestMotion(*scene, frames, 1, 0.1F, Random(8));
  std::vector<uint8_t> rgb(3 * 16 * 16, 200);
  TexturePool pool;
  pool.Add(rgb.data(), 16, 16);
  ThreadPool threads(2);
  const FrameOutputs plain = CpuRenderer(threads).Render(*scene, SmallCamera(), frames, 1, 0, {}, 0);
  const FrameOutputs textured =
      CpuRenderer(threads, pool.view()).Render(*scene, SmallCamera(), frames, 1, 0, {}, 0);
  EXPECT_EQ(plain.depth, textured.depth);
  EXPECT_NE(plain.rgb, textured.rgb);
}

TEST(CpuRenderer, RejectsAFrameThatIsNotThere) {
  ThreadPool threads(1);
  const PosedFrame frame;
  const auto scene = MakeScene(SceneKind::kRoom, 1);
  EXPECT_NE(ErrorFrom([&] { CpuRenderer(threads).Render(*scene, {}, &frame, 1, 3, {}, 0); }).find("frame 3"),
            std::string::npos);
}

}  // namespace
}  // namespace calfvo
