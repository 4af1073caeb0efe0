// SPDX-License-Identifier: Apache-2.0
// Intersections of rays with the unit shapes of scene.h, and surface normals.
#pragma once

#include "core/portable/noise.h"
#include "synth/scene/scene.h"

namespace calfvo::synth {

// A point of the ray is origin + t · direction; the direction need not have unit length, so that t keeps its
// meaning when the ray is mapped into unit space.
struct Ray {
  Vec3 origin;
  Vec3 direction;
};

// Hits nearer than this are ignored: a ray that leaves a surface does not hit it again.
inline constexpr float kNearest = 1e-3F;
inline constexpr float kFar = 1e30F;

CALFVO_HD Ray ToUnit(const Primitive& p, const Ray& ray) {
  const Vec3 o = ray.origin;
  const Vec3 d = ray.direction;
  Ray unit;
  unit.origin.x = p.rows[0].x * o.x + p.rows[0].y * o.y + p.rows[0].z * o.z + p.rows[0].w;
  unit.origin.y = p.rows[1].x * o.x + p.rows[1].y * o.y + p.rows[1].z * o.z + p.rows[1].w;
  unit.origin.z = p.rows[2].x * o.x + p.rows[2].y * o.y + p.rows[2].z * o.z + p.rows[2].w;
  unit.direction.x = p.rows[0].x * d.x + p.rows[0].y * d.y + p.rows[0].z * d.z;
  unit.direction.y = p.rows[1].x * d.x + p.rows[1].y * d.y + p.rows[1].z * d.z;
  unit.direction.z = p.rows[2].x * d.x + p.rows[2].y * d.y + p.rows[2].z * d.z;
  return unit;
}

CALFVO_HD float SafeInverse(float x) {
  return 1.0F / (fabsf(x) > 1e-12F ? x : copysignf(1e-12F, x));
}

// The part [near, far] of a ray inside something convex; empty when near > far.
struct Interval {
  float near = -kFar;
  float far = kFar;
};

CALFVO_HD void ClipSlab(float origin, float direction, Interval& in) {
  const float inverse = SafeInverse(direction);
  const float a = (-1.0F - origin) * inverse;
  const float b = (1.0F - origin) * inverse;
  in.near = Max(in.near, Min(a, b));
  in.far = Min(in.far, Max(a, b));
}

// Keeps the side where value + t · change ≤ 0.
CALFVO_HD void ClipPlane(float value, float change, Interval& in) {
  const float t = -value * SafeInverse(change);
  if (change < 0.0F) {
    in.near = Max(in.near, t);
  } else {
    in.far = Min(in.far, t);
  }
}

// Keeps a·t² + 2·b·t + c ≤ 0 for a ≥ 0.
CALFVO_HD void ClipQuadric(float a, float b, float c, Interval& in) {
  const float discriminant = b * b - a * c;
  if (discriminant <= 0.0F) {
    in.far = -kFar;
    return;
  }
  const float inverse = 1.0F / Max(a, 1e-20F);
  const float root = sqrtf(discriminant);
  in.near = Max(in.near, (-b - root) * inverse);
  in.far = Min(in.far, (-b + root) * inverse);
}

// Half-angle terms of the shapes bounded by planes ±x + kx·z ≤ 1 − kx and ±y + ky·z ≤ 1 − ky.
CALFVO_HD float TaperX(Shape shape) {
  return shape == Shape::kPrism ? 0.5F : 0.225F;
}
CALFVO_HD float TaperY(Shape shape) {
  return shape == Shape::kPrism ? 0.0F : 0.075F;
}

CALFVO_HD float IntersectCone(const Ray& r) {
  const Vec3 o = r.origin;
  const Vec3 d = r.direction;
  const float h = 0.5F * (1.0F - o.z);  // radius of the cone at the height of the origin
  const float g = -0.5F * d.z;
  const float a = d.x * d.x + d.y * d.y - g * g;
  const float b = o.x * d.x + o.y * d.y - h * g;
  const float c = o.x * o.x + o.y * o.y - h * h;
  float best = kFar;
  const float discriminant = b * b - a * c;
  if (discriminant > 0.0F) {
    const float root = sqrtf(discriminant);
    const float inverse = SafeInverse(a);
    for (int i = 0; i < 2; ++i) {
      const float t = (-b + (i == 0 ? -root : root)) * inverse;
      const float z = o.z + t * d.z;
      if (t > kNearest && t < best && z >= -1.0F && z <= 1.0F) best = t;
    }
  }
  const float t = (-1.0F - o.z) * SafeInverse(d.z);
  const float x = o.x + t * d.x;
  const float y = o.y + t * d.y;
  if (t > kNearest && t < best && x * x + y * y <= 1.0F) best = t;
  return best;
}

// Whether there is a gap between the leaves at a point of the unit sphere. Gaps are about a tenth of
// its radius wide and make up more than a third of it.
CALFVO_HD bool IsLeafGap(Vec3 p, uint32_t variation) {
  return ValueNoise(10.0F * p.x, 10.0F * p.y, 10.0F * p.z, variation) < 0.44F;
}

// The leaves of the near side, or through a gap those of the far side.
CALFVO_HD float IntersectLeaves(const Ray& r, Interval in, uint32_t variation) {
  if (in.near > kNearest && !IsLeafGap(r.origin + r.direction * in.near, variation)) return in.near;
  return in.far > kNearest && !IsLeafGap(r.origin + r.direction * in.far, variation) ? in.far : kFar;
}

// The nearest t ≥ kNearest at which the ray meets the primitive's surface, or kFar.
CALFVO_HD float IntersectPrimitive(const Primitive& primitive, const Ray& ray) {
  const Ray r = ToUnit(primitive, ray);
  const Vec3 o = r.origin;
  const Vec3 d = r.direction;
  const Shape shape = primitive.shape();
  if (shape == Shape::kCone) return IntersectCone(r);
  Interval in;
  if (shape == Shape::kSphere || shape == Shape::kCrown) {
    ClipQuadric(Dot(d, d), Dot(o, d), Dot(o, o) - 1.0F, in);
  } else {
    ClipSlab(o.z, d.z, in);
    if (shape == Shape::kBox) {
      ClipSlab(o.x, d.x, in);
      ClipSlab(o.y, d.y, in);
    } else if (shape == Shape::kCylinder) {
      ClipQuadric(d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y, o.x * o.x + o.y * o.y - 1.0F, in);
    } else {
      const float kx = TaperX(shape);
      const float ky = TaperY(shape);
      const float zx = kx * o.z - 1.0F + kx;
      const float zy = ky * o.z - 1.0F + ky;
      ClipPlane(o.x + zx, d.x + kx * d.z, in);
      ClipPlane(-o.x + zx, -d.x + kx * d.z, in);
      ClipPlane(o.y + zy, d.y + ky * d.z, in);
      ClipPlane(-o.y + zy, -d.y + ky * d.z, in);
    }
  }
  if (in.near > in.far) return kFar;
  if (shape == Shape::kCrown) return IntersectLeaves(r, in, primitive.variation());
  if (in.near > kNearest) return in.near;
  return in.far > kNearest ? in.far : kFar;
}

// The outward normal in unit space at a point on the surface; not of unit length.
CALFVO_HD Vec3 UnitNormal(Shape shape, Vec3 p) {
  const float radius2 = p.x * p.x + p.y * p.y;
  if (shape == Shape::kSphere || shape == Shape::kCrown) return p;
  if (shape == Shape::kBox) {
    const float ax = fabsf(p.x);
    const float ay = fabsf(p.y);
    const float az = fabsf(p.z);
    if (az >= ax && az >= ay) return {0.0F, 0.0F, p.z};
    return ax >= ay ? Vec3{p.x, 0.0F, 0.0F} : Vec3{0.0F, p.y, 0.0F};
  }
  if (shape == Shape::kCylinder) {
    return p.z * p.z > radius2 ? Vec3{0.0F, 0.0F, p.z} : Vec3{p.x, p.y, 0.0F};
  }
  if (shape == Shape::kCone) {
    return p.z < -0.9999F ? Vec3{0.0F, 0.0F, -1.0F} : Vec3{p.x, p.y, 0.5F * sqrtf(radius2)};
  }
  const float kx = TaperX(shape);
  const float ky = TaperY(shape);
  const float over_x = fabsf(p.x) + kx * (p.z + 1.0F) - 1.0F;
  const float over_y = fabsf(p.y) + ky * (p.z + 1.0F) - 1.0F;
  const float over_z = fabsf(p.z) - 1.0F;
  if (over_z >= over_x && over_z >= over_y) return {0.0F, 0.0F, p.z};
  if (over_x >= over_y) return {copysignf(1.0F, p.x), 0.0F, kx};
  return {0.0F, copysignf(1.0F, p.y), ky};
}

// A normal in unit space to the world, of unit length.
CALFVO_HD Vec3 NormalToWorld(const Primitive& p, Vec3 n) {
  return Normalized(Vec3{p.rows[0].x * n.x + p.rows[1].x * n.y + p.rows[2].x * n.z,
                         p.rows[0].y * n.x + p.rows[1].y * n.y + p.rows[2].y * n.z,
                         p.rows[0].z * n.x + p.rows[1].z * n.y + p.rows[2].z * n.z});
}

CALFVO_HD Vec3 PointToUnit(const Primitive& p, Vec3 x) {
  return {p.rows[0].x * x.x + p.rows[0].y * x.y + p.rows[0].z * x.z + p.rows[0].w,
          p.rows[1].x * x.x + p.rows[1].y * x.y + p.rows[1].z * x.z + p.rows[1].w,
          p.rows[2].x * x.x + p.rows[2].y * x.y + p.rows[2].z * x.z + p.rows[2].w};
}

}  // namespace calfvo::synth
