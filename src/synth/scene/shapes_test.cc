// SPDX-License-Identifier: Apache-2.0
#include "synth/scene/shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "synth/scene/scene_builder.h"
#include "synth/scene/terrain.h"

namespace calfvo::synth {
namespace {

constexpr Shape kShapes[] = {Shape::kBox,  Shape::kCylinder, Shape::kSphere,
                             Shape::kCone, Shape::kPrism,    Shape::kTapered};

// The definitions of scene.h, without any of the code under test.
bool Inside(Shape shape, double x, double y, double z) {
  const double r = std::hypot(x, y);
  if (shape == Shape::kSphere) return r * r + z * z <= 1.0;
  if (std::fabs(z) > 1.0) return false;
  const double up = (z + 1.0) / 2.0;
  switch (shape) {
    case Shape::kCylinder:
      return r <= 1.0;
    case Shape::kCone:
      return r <= 1.0 - up;
    case Shape::kPrism:
      return std::fabs(x) <= 1.0 - up && std::fabs(y) <= 1.0;
    case Shape::kTapered:
      return std::fabs(x) <= 1.0 - 0.45 * up && std::fabs(y) <= 1.0 - 0.15 * up;
    default:
      return std::fabs(x) <= 1.0 && std::fabs(y) <= 1.0;
  }
}

Primitive RandomPrimitive(Shape shape, Random& random, Scene& scene) {
  SceneBuilder builder(scene, random.Bits());
  const Vec3 half{random.Uniform(0.2F, 1.5F), random.Uniform(0.2F, 1.5F), random.Uniform(0.2F, 1.5F)};
  builder.Place({random.Uniform(-1.0F, 1.0F), random.Uniform(-1.0F, 1.0F), 0.0F}, random.Uniform(0.0F, 6.0F));
  builder.Add(shape, {0.1F, 0.2F, 0.3F}, half, 0, random.Uniform(0.0F, 6.0F), random.Uniform(-1.0F, 1.0F));
  return scene.primitives[0];
}

Ray RandomRay(Random& random) {
  const Vec3 from{random.Uniform(-4.0F, 4.0F), random.Uniform(-4.0F, 4.0F), random.Uniform(-4.0F, 4.0F)};
  const Vec3 to{random.Uniform(-1.5F, 1.5F), random.Uniform(-1.5F, 1.5F), random.Uniform(-1.5F, 1.5F)};
  return {from, Normalized(to - from)};
}

// The first t at which the ray passes the surface, found by small steps; kFar if none.
float MarchedHit(const Primitive& p, const Ray& ray) {
  constexpr double kStep = 0.002;
  const auto inside = [&](double t) {
    const Vec3 u = PointToUnit(p, ray.origin + ray.direction * static_cast<float>(t));
    return Inside(p.shape(), u.x, u.y, u.z);
  };
  const bool start = inside(kNearest);
  for (double t = kNearest; t < 12.0; t += kStep) {
    if (inside(t + kStep) != start) return static_cast<float>(t + 0.5 * kStep);
  }
  return kFar;
}

TEST(Shapes, HitsAgreeWithMarching) {
  Random random(2);
  const auto scene = std::make_unique<Scene>();
  for (const Shape shape : kShapes) {
    int hits = 0;
    for (int i = 0; i < 300; ++i) {
      const Primitive p = RandomPrimitive(shape, random, *scene);
      const Ray ray = RandomRay(random);
      const float found = IntersectPrimitive(p, ray);
      const float marched = MarchedHit(p, ray);
      if (marched == kFar && found < 12.0F) {
        // Marching may step over an edge; the found point must still lie on the surface.
        const Vec3 u = PointToUnit(p, ray.origin + ray.direction * (found + 1e-4F));
        EXPECT_TRUE(Inside(shape, u.x * 0.995, u.y * 0.995, u.z * 0.995)) << static_cast<int>(shape);
        continue;
      }
      if (marched == kFar) continue;
      ++hits;
      EXPECT_NEAR(found, marched, 0.004F) << "shape " << static_cast<int>(shape) << " ray " << i;
    }
    EXPECT_GT(hits, 40);
  }
}

TEST(Shapes, NormalsPointOutOfTheSurface) {
  Random random(3);
  const auto scene = std::make_unique<Scene>();
  for (const Shape shape : kShapes) {
    for (int i = 0; i < 300; ++i) {
      const Primitive p = RandomPrimitive(shape, random, *scene);
      const Ray ray = RandomRay(random);
      const Vec3 start = PointToUnit(p, ray.origin);
      if (Inside(shape, start.x, start.y, start.z)) continue;
      const float t = IntersectPrimitive(p, ray);
      if (t == kFar) continue;
      const Vec3 point = ray.origin + ray.direction * t;
      const Vec3 normal = NormalToWorld(p, UnitNormal(shape, PointToUnit(p, point)));
      EXPECT_NEAR(Norm(normal), 1.0F, 1e-5F);
      EXPECT_LT(Dot(normal, ray.direction), 1e-3F) << "shape " << static_cast<int>(shape);
      const Vec3 outside = PointToUnit(p, point + normal * 1e-3F);
      EXPECT_FALSE(Inside(shape, outside.x, outside.y, outside.z)) << "shape " << static_cast<int>(shape);
    }
  }
}

TEST(Shapes, BoundsHoldTheShapeAndTouchABox) {
  Random random(4);
  const auto scene = std::make_unique<Scene>();
  for (int i = 0; i < 100; ++i) {
    const Primitive p = RandomPrimitive(Shape::kBox, random, *scene);
    Vec3 low;
    Vec3 high;
    Bounds(p, low, high);
    float top = -kFar;
    for (int corner = 0; corner < 8; ++corner) {
      // world = centre + Σ ± half-axis, from the rows themselves.
      Vec3 x;
      for (int k = 0; k < 3; ++k) {
        const float half = k == 0 ? p.half_size.x : k == 1 ? p.half_size.y : p.half_size.z;
        const float unit = (corner >> k) & 1 ? 1.0F : -1.0F;
        x += Vec3{p.rows[k].x, p.rows[k].y, p.rows[k].z} * (half * half * (unit - p.rows[k].w));
      }
      EXPECT_LE(low.x, x.x);
      EXPECT_LE(low.y, x.y);
      EXPECT_GE(high.z, x.z);
      top = Max(top, x.z);
    }
    EXPECT_NEAR(top, high.z, 1e-3F);
  }
}

TEST(Terrain, RaysMeetTheHeights) {
  Terrain terrain;
  terrain.size = 50.0F;
  terrain.low = kFar;
  terrain.high = -kFar;
  Random random(5);
  float steepest = 0.0F;
  for (int j = 0; j < kTerrainSamples; ++j) {
    for (int i = 0; i < kTerrainSamples; ++i) {
      const float h = 2.0F * std::sin(0.4F * static_cast<float>(i)) * std::cos(0.3F * static_cast<float>(j));
      terrain.heights[j * kTerrainSamples + i] = h;
      terrain.low = Min(terrain.low, h);
      terrain.high = Max(terrain.high, h);
      if (i > 0) steepest = Max(steepest, std::fabs(h - terrain.heights[j * kTerrainSamples + i - 1]));
    }
  }
  terrain.slope = 1.42F * steepest * (kTerrainSamples - 1) / terrain.size;
  int hits = 0;
  for (int i = 0; i < 300; ++i) {
    const Vec3 from{random.Uniform(-20.0F, 20.0F), random.Uniform(-20.0F, 20.0F), random.Uniform(2.5F, 8.0F)};
    const Vec3 to{random.Uniform(-20.0F, 20.0F), random.Uniform(-20.0F, 20.0F), 0.0F};
    const Ray ray{from, Normalized(to - from)};
    const float t = IntersectGround(terrain, ray, kFar);
    if (t == kFar) continue;
    ++hits;
    const Vec3 p = ray.origin + ray.direction * t;
    EXPECT_NEAR(p.z, TerrainHeight(terrain, p.x, p.y), 2e-3F * t);
    // Nothing was passed on the way, but for what is less than a pixel high.
    for (float s = 0.01F; s < t - 0.1F; s += 0.05F) {
      const Vec3 q = ray.origin + ray.direction * s;
      ASSERT_GT(q.z, TerrainHeight(terrain, q.x, q.y) - 2e-3F * s - 1e-3F);
    }
  }
  EXPECT_GT(hits, 250);
}

TEST(Shapes, CrownsAreTheSkinOfASphereWithGaps) {
  Random random(31);
  auto scene = std::make_unique<Scene>();
  int leaves = 0;
  int through = 0;
  for (int i = 0; i < 2000; ++i) {
    Primitive crown = RandomPrimitive(Shape::kCrown, random, *scene);
    Primitive sphere = crown;
    sphere.info = PackInfo(Shape::kSphere, 0, -1, crown.variation());
    const Ray ray = RandomRay(random);
    const float solid = IntersectPrimitive(sphere, ray);
    const float t = IntersectPrimitive(crown, ray);
    if (solid == kFar) {
      EXPECT_EQ(t, kFar);
      continue;
    }
    EXPECT_GE(t, solid);
    if (t == kFar) {
      ++through;
      continue;
    }
    ++leaves;
    EXPECT_NEAR(Norm(PointToUnit(crown, ray.origin + ray.direction * t)), 1.0F, 1e-3F);
  }
  EXPECT_GT(leaves, 3 * through);
  EXPECT_GT(through, leaves / 20);
}

}  // namespace
}  // namespace calfvo::synth
