// SPDX-License-Identifier: Apache-2.0
// Checks the geometry: a frame warped by depth, poses and intrinsics equals the next frame. The warp is
// implemented here independently, in double precision and from the definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/thread_pool.h"
#include "synth/render/cpu_renderer.h"
#include "synth/scene/scene_kind.h"
#include "synth/scene/test_kinds.h"
#include "synth/scene/test_motion.h"

namespace calfvo {
namespace {

using portable::Pose;
using portable::Random;

struct Place {
  double x, y, depth;
};

// The undistorted radius over the distorted one, by bisection.
double UndistortedScale(const CameraModel& camera, double distorted2) {
  double low = 0.0;
  double high = 3.0;
  for (int i = 0; i < 60; ++i) {
    const double s = 0.5 * (low + high);
    const double r2 = distorted2 * s * s;
    (s * (1.0 + camera.k1 * r2 + camera.k2 * r2 * r2) < 1.0 ? low : high) = s;
  }
  return 0.5 * (low + high);
}

// Where the point seen at (x, y) with `depth` by the first camera appears to the second.
Place Warp(const CameraModel& camera, const Pose& first, const Pose& second, double x, double y,
           double depth) {
  const double xd = (x - camera.cx) / camera.fx;
  const double yd = (y - camera.cy) / camera.fy;
  const double s = UndistortedScale(camera, xd * xd + yd * yd);
  const double p[3] = {xd * s * depth, yd * s * depth, depth};
  const portable::Vec3 columns[3] = {first.rotation.x, first.rotation.y, first.rotation.z};
  double world[3] = {first.translation.x, first.translation.y, first.translation.z};
  for (int i = 0; i < 3; ++i) {
    world[0] += columns[i].x * p[i];
    world[1] += columns[i].y * p[i];
    world[2] += columns[i].z * p[i];
  }
  const double d[3] = {world[0] - second.translation.x, world[1] - second.translation.y,
                       world[2] - second.translation.z};
  const auto along = [&](const portable::Vec3& axis) {
    return axis.x * d[0] + axis.y * d[1] + axis.z * d[2];
  };
  const double z = along(second.rotation.z);
  const double u = along(second.rotation.x) / z;
  const double v = along(second.rotation.y) / z;
  const double r2 = u * u + v * v;
  const double t = 1.0 + camera.k1 * r2 + camera.k2 * r2 * r2;
  return {camera.fx * u * t + camera.cx, camera.fy * v * t + camera.cy, z};
}

// A channel between pixels.
double Bilinear(const FrameOutputs& frame, double x, double y, int channel) {
  const int x0 = static_cast<int>(std::floor(x));
  const int y0 = static_cast<int>(std::floor(y));
  const double u = x - x0;
  const double v = y - y0;
  const auto at = [&](int i, int j) {
    return static_cast<double>(frame.rgb[static_cast<size_t>(3 * (j * frame.width + i) + channel)]);
  };
  return (1 - v) * ((1 - u) * at(x0, y0) + u * at(x0 + 1, y0)) +
         v * ((1 - u) * at(x0, y0 + 1) + u * at(x0 + 1, y0 + 1));
}

double Median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

class WarpTest : public testing::TestWithParam<int> {};

TEST_P(WarpTest, NextFrameWarpedThroughDepthAndThroughMotionIsThisFrame) {
  const auto kind = static_cast<SceneKind>(GetParam());
  ThreadPool threads(2);
  const CpuRenderer renderer(threads);
  int tested = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const auto scene = MakeScene(kind, seed);
    Random random(seed);
    const CameraModel camera =
        CameraFromSensor(DrawSensor({.distortion_probability = 0.7F}, kind, random), 128, 96);
    PosedFrame frames[2];
    synth::TestMotion(*scene, frames, 2, 1.0F / 20, Random(seed + 50));
    const FrameOutputs here = renderer.Render(*scene, camera, frames, 2, 0, {}, 0);
    const FrameOutputs next = renderer.Render(*scene, camera, frames, 2, 1, {}, 0);
    std::vector<double> through_depth;
    std::vector<double> through_motion;
    double worst_disagreement = 0.0;
    for (int y = 0; y < camera.height; ++y) {
      for (int x = 0; x < camera.width; ++x) {
        const auto i = static_cast<size_t>(y * camera.width + x);
        const int p = here.primitive[i];
        const bool sky = p == synth::kNothing;
        const bool moves = p >= 0 && scene->primitives[p].mover() >= 0;
        if (moves) continue;
        const double depth = sky ? 1e6 : static_cast<double>(here.depth[i]);
        const Place to = Warp(camera, frames[0].world_from_camera, frames[1].world_from_camera, x, y, depth);
        const double mx = x + static_cast<double>(here.motion_to_next[2 * i]);
        const double my = y + static_cast<double>(here.motion_to_next[2 * i + 1]);
        if (!(to.x > 0.0 && to.y > 0.0 && to.x < camera.width - 1.01 && to.y < camera.height - 1.01))
          continue;
        ASSERT_FALSE(std::isnan(mx));
        worst_disagreement = std::max(worst_disagreement, std::hypot(mx - to.x, my - to.y));
        if (!(mx >= 0.0 && my >= 0.0 && mx < camera.width - 1 && my < camera.height - 1)) continue;
        // Unoccluded: the next frame sees something as far away there.
        const auto j = static_cast<size_t>(std::lround(to.y) * camera.width + std::lround(to.x));
        const double seen = static_cast<double>(next.depth[j]);
        if (sky ? !std::isinf(seen) : !(std::fabs(seen - to.depth) < 0.03 * to.depth)) continue;
        for (int c = 0; c < 3; ++c) {
          const double value = here.rgb[3 * i + static_cast<size_t>(c)];
          through_depth.push_back(std::fabs(Bilinear(next, to.x, to.y, c) - value));
          through_motion.push_back(std::fabs(Bilinear(next, mx, my, c) - value));
        }
      }
    }
    if (through_depth.size() < 3000) continue;  // turned away, or a wall before the lens
    ++tested;
    EXPECT_LE(Median(through_depth), 2.0) << "seed " << seed;
    EXPECT_LE(Median(through_motion), 2.0) << "seed " << seed;
    EXPECT_LT(worst_disagreement, 0.05) << "seed " << seed;
  }
  EXPECT_GE(tested, 3);
}

TEST_P(WarpTest, MotionHoldsUnderRollingShutter) {
  // Under rolling shutter the middle row keeps the frame's pose, and motion still leads to the same surface.
  const auto kind = static_cast<SceneKind>(GetParam());
  ThreadPool threads(2);
  const CpuRenderer renderer(threads);
  synth::WindowEffects effects;
  effects.readout_s = 0.03F;
  const auto scene = MakeScene(kind, 2);
  const CameraModel camera = CameraFromSensor({}, 96, 72);
  PosedFrame frames[2];
  synth::TestMotion(*scene, frames, 2, 1.0F / 20, Random(52));
  const FrameOutputs here = renderer.Render(*scene, camera, frames, 2, 0, effects, 0);
  const FrameOutputs next = renderer.Render(*scene, camera, frames, 2, 1, effects, 0);
  std::vector<double> differences;
  for (size_t i = 0; i < here.depth.size(); ++i) {
    const double x = static_cast<double>(i % 96) + static_cast<double>(here.motion_to_next[2 * i]);
    const double y = static_cast<double>(i / 96) + static_cast<double>(here.motion_to_next[2 * i + 1]);
    if (!(x >= 0.0 && y >= 0.0 && x < 95.0 && y < 71.0)) continue;
    const auto j = static_cast<size_t>(std::lround(y) * 96 + std::lround(x));
    if (here.primitive[i] != next.primitive[j]) continue;
    differences.push_back(std::fabs(Bilinear(next, x, y, 1) - here.rgb[3 * i + 1]));
  }
  ASSERT_GT(differences.size(), 500U);
  EXPECT_LE(Median(differences), 2.0);
}

INSTANTIATE_TEST_SUITE_P(EveryKind, WarpTest, testing::Range(0, kSceneKindCount), KindName);

}  // namespace
}  // namespace calfvo
