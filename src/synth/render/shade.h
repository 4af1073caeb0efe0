// SPDX-License-Identifier: Apache-2.0
// Light that a ray brings back: sky, or a surface under sun or lamp, ambient light and haze.
#pragma once

#include "synth/render/material.h"
#include "synth/scene/trace.h"

namespace calfvo::synth {

// The sky in a direction of unit length; `blur` is the size of a pixel in radians.
CALFVO_HD Vec3 SkyColor(const Light& light, Vec3 d, float blur) {
  const float up = Saturate(d.z);
  Vec3 color = Mix(light.horizon, light.zenith, sqrtf(up));
  if (light.clouds > 0.0F && d.z > 0.02F) {
    const float scale = 1.3F / (d.z + 0.08F);
    const float noise = FractalNoise(d.x * scale, d.y * scale, blur * scale * 3.0F, light.seed);
    const float cover = Saturate((noise + light.clouds * 1.6F - 0.9F) * 1.6F) * Saturate(d.z * 6.0F);
    color = Mix(color, light.horizon * 0.35F + Vec3{0.55F, 0.56F, 0.58F}, cover);
  }
  const float sun = Saturate(Dot(d, light.direction));
  const float glow = sun * sun * sun * sun;
  return color + light.color * (light.is_lamp != 0 ? 0.0F : 0.05F * glow * glow);
}

// What shading needs to know of a point on a surface.
struct Surface {
  Vec3 point;   // world
  Vec3 normal;  // world, unit, towards the ray's origin
  SurfacePoint place;
  int material = 0;
};

// Turns around a circle, 0..4, without trigonometry: equal quarters, nearly even inside.
CALFVO_HD float QuarterTurns(float x, float y) {
  const float sum = fabsf(x) + fabsf(y) + 1e-12F;
  const float part = y / sum;
  return x >= 0.0F ? (y >= 0.0F ? part : 4.0F + part) : 2.0F - part;
}

CALFVO_HD void PlaceOnPrimitive(const Primitive& p, Vec3 unit, Vec3 unit_normal, SurfacePoint& place) {
  const Vec3 h = p.half_size;
  const Vec3 n = unit_normal;
  const float ax = fabsf(n.x);
  const float ay = fabsf(n.y);
  const float az = fabsf(n.z);
  const Shape shape = p.shape();
  if ((shape == Shape::kCylinder || shape == Shape::kCone) && az <= 0.5F * (ax + ay)) {
    const float radius = 0.5F * (h.x + h.y);
    place.u = (QuarterTurns(unit.x, unit.y) - 2.0F) * 1.5707963F * radius;
    place.half_u = 3.1415927F * radius;
    place.v = unit.z * h.z;
    place.half_v = h.z;
    return;
  }
  const bool top = az >= ax && az >= ay;
  const bool side_x = !top && ax >= ay;
  place.u = side_x ? unit.y * h.y : unit.x * h.x;
  place.half_u = side_x ? h.y : h.x;
  place.v = top ? unit.y * h.y : unit.z * h.z;
  place.half_v = top ? h.y : h.z;
}

// `pixel_angle` is the angle between neighbouring pixels.
CALFVO_HD Surface SurfaceAt(const Scene& scene, const MoverTable& table, float dt, const Ray& ray,
                            const Hit& hit, float pixel_angle) {
  Surface surface;
  surface.point = ray.origin + ray.direction * hit.t;
  if (hit.primitive == kGround) {
    surface.normal = TerrainNormal(scene.terrain, surface.point.x, surface.point.y);
    surface.material = scene.ground_material;
    surface.place.u = surface.point.x;
    surface.place.v = surface.point.y;
  } else {
    const Primitive& p = scene.primitives[hit.primitive];
    Vec3 local = surface.point;
    if (p.mover() >= 0) local = local - table.OffsetAt(p.mover(), dt);
    const Vec3 unit = PointToUnit(p, local);
    const Vec3 unit_normal = UnitNormal(p.shape(), unit);
    surface.normal = NormalToWorld(p, unit_normal);
    surface.material = p.material();
    surface.place.variation = p.variation();
    PlaceOnPrimitive(p, unit, unit_normal, surface.place);
  }
  const float facing = Dot(surface.normal, ray.direction);
  if (facing > 0.0F) surface.normal = -surface.normal;
  // A pixel covers more of a surface seen at a slant; the root is a compromise between both directions.
  surface.place.footprint = hit.t * pixel_angle / sqrtf(Max(fabsf(facing), 0.04F));
  return surface;
}

// The direction to the light from a point, and how far a shadow ray goes.
CALFVO_HD Vec3 ToLight(const Light& light, Vec3 point, float& distance) {
  if (light.is_lamp != 0) {
    const Vec3 to = light.position - point;
    distance = Norm(to);
    const Vec3 direction = to * (1.0F / Max(distance, 1e-3F));
    distance -= 0.25F;  // the lamp does not shade itself
    return direction;
  }
  distance = light.ceiling < 1e8F ? (light.ceiling - point.z) / Max(light.direction.z, 0.05F) : kFar;
  return light.direction;
}

// Darkening towards the floor and, indoors, towards walls and ceiling.
CALFVO_HD float Openness(const Scene& scene, const Surface& s) {
  const float height = Max(s.point.z, 0.0F);
  const float k = scene.light.occlusion;
  const float upright = 1.0F - fabsf(s.normal.z);
  float open = 1.0F - k * 0.5F * upright * 0.3F / (0.3F + height);
  if (scene.light.ceiling < 1e8F) {
    const float to_top = Max(scene.light.ceiling - s.point.z, 0.0F);
    open *= 1.0F - k * 0.4F * upright * 0.25F / (0.25F + to_top);
    const float to_wall = Max(Min(s.point.y - scene.space_low[0].y, scene.space_high[0].y - s.point.y), 0.0F);
    open *= 1.0F - k * 0.4F * (1.0F - fabsf(s.normal.y)) * 0.25F / (0.25F + to_wall);
  }
  return open;
}

// Light from a surface towards the eye; `lit` is 1 where the sun or lamp reaches it.
CALFVO_HD Vec3 ShadeSurface(const Scene& scene, const Ray& ray, const Surface& s, float distance, float lit,
                            TextureView textures) {
  const Light& light = scene.light;
  const Material& m = scene.materials[s.material];
  const Vec3 albedo = MaterialColor(m, s.place, textures);

  float to_light_distance = 0.0F;
  const Vec3 to_light = ToLight(light, s.point, to_light_distance);
  float strength = lit;
  if (light.is_lamp != 0) {
    const float ratio = light.range / Max(to_light_distance + 0.25F, 0.3F);
    strength *= Min(ratio * ratio, 2.5F);
  }
  const float facing = Saturate(Dot(s.normal, to_light));
  // Upright faces differ a little by where they look, as under a sky that is not even.
  const float side = 1.0F + 0.14F * s.normal.x - 0.08F * s.normal.y;
  const Vec3 ambient =
      Mix(light.from_below, light.from_above, 0.5F + 0.5F * s.normal.z) * (side * Openness(scene, s));
  Vec3 color = albedo * (ambient + light.color * (strength * facing));

  if (m.specular > 0.0F) {
    const Vec3 half = Normalized(to_light - ray.direction);
    float shine = Saturate(Dot(half, s.normal));
    shine *= shine;
    shine *= shine;
    shine *= shine;
    shine *= shine;
    shine *= shine;
    const float grazing = 1.0F + Dot(s.normal, ray.direction);
    const Vec3 reflected = ray.direction - s.normal * (2.0F * Dot(s.normal, ray.direction));
    const Vec3 around = Mix(light.from_below, light.horizon, Saturate(0.5F + 2.0F * reflected.z));
    color += (light.color * (shine * strength) + around * (0.15F + grazing * grazing * grazing)) *
             (0.5F * m.specular);
  }
  color += albedo * (static_cast<float>(m.emission) * (1.0F / 256));
  const float haze = light.haze * distance;
  return Mix(color, light.horizon, haze / (1.0F + haze));
}

}  // namespace calfvo::synth
