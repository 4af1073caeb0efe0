// SPDX-License-Identifier: Apache-2.0
// One pixel of a frame: its light, its depth and where its surface goes in another frame. The host's and the
// GPU's renderers call these functions and nothing else for what an image shows.
#pragma once

#include "synth/render/camera_model.h"
#include "synth/render/candidates.h"
#include "synth/render/effects.h"
#include "synth/render/shade.h"
#include "synth/scene/posed_frame.h"

namespace calfvo::synth {

// A frame to render: everything is borrowed.
struct FrameView {
  const Scene* scene = nullptr;
  const MoverTable* movers = nullptr;  // at the frame's time
  const CameraModel* camera = nullptr;
  const PosedFrame* frame = nullptr;
  const WindowEffects* effects = nullptr;
  TextureView textures;
};

CALFVO_HD Ray RayAt(const FrameView& view, float x, float y, float dt) {
  const Vec3 in_camera = DirectionAt(*view.camera, x, y);
  return {PositionAt(*view.frame, dt), Normalized(DirectionToWorld(*view.frame, dt, in_camera))};
}

// A ray through a pixel, at an instant of its exposure.
struct Sample {
  Ray ray;
  float dt = 0.0F;
};

// Ray i of `samples` through pixel (x, y), which are spread over its area and over the exposure.
CALFVO_HD Sample SampleAt(const FrameView& view, int x, int y, int i, int samples) {
  const float share = 1.0F / static_cast<float>(samples);
  // Neighbouring pixels look at different instants, so that few samples blur without ghosts.
  const float jitter = view.effects->exposure_s > 0.0F ? UpperUnit(HashCell(x, y, 77U)) : 0.5F;
  const float along = (static_cast<float>(i) + 0.5F) * share;
  // Places on a line of slope −1/2 or so cover both directions with few samples.
  const float px = static_cast<float>(x) + along - 0.5F;
  const float across = samples <= 1 ? 0.5F : along * 2.0F - Floor(along * 2.0F);
  const float py = static_cast<float>(y) + (samples == 2 ? 0.5F - along : across - 0.5F);
  const float dt = SampleTime(*view.effects, static_cast<float>(y), view.camera->height,
                              (static_cast<float>(i) + jitter) * share);
  return {RayAt(view, px, py, dt), dt};
}

// Where the rays through rows `top` to `bottom` start.
CALFVO_HD Box SampleOrigins(const FrameView& view, int top, int bottom) {
  const int height = view.camera->height;
  Box origins;
  Include(PositionAt(*view.frame, SampleTime(*view.effects, static_cast<float>(top), height, 0.0F)), origins);
  Include(PositionAt(*view.frame, SampleTime(*view.effects, static_cast<float>(bottom), height, 1.0F)),
          origins);
  return origins;
}

// The light of a pixel's samples, added up.
struct PixelSum {
  Vec3 light;
  int shadow_of = kNothing;  // the primitive of the last shadow ray, and what it found
  float lit = 1.0F;
};

// Shadow rays start so far from a surface, along its normal.
inline constexpr float kShadowOffset = 2e-3F;

// Includes the point from which AddSample may trace a shadow ray: none when the last was of the same
// primitive, `shadow_of`.
CALFVO_HD void IncludeShadowed(const Sample& sample, const Hit& hit, int& shadow_of, Box& points) {
  if (hit.primitive == kNothing || hit.primitive == shadow_of) return;
  shadow_of = hit.primitive;
  Include(sample.ray.origin + sample.ray.direction * hit.t, points);
}

// The shadow rays of such points.
CALFVO_HD RayBounds ShadowBounds(const Light& light, const Box& points) {
  constexpr float kReach = 1.5F * kShadowOffset;  // with some room for rounding
  const Vec3 reach{kReach, kReach, kReach};
  RayBounds bounds;
  bounds.origins = {points.low - reach, points.high + reach};
  bounds.directions = {light.direction, light.direction};
  if (light.is_lamp != 0) {
    // Longer than unit vectors, so that boxes seem nearer than they are, which is allowed.
    constexpr float kLength = 1e3F;
    bounds.directions = {(light.position - points.high) * kLength, (light.position - points.low) * kLength};
  }
  return bounds;
}

// Adds the light of a sample. is_hidden(ray, distance) answers for shadow rays at its time.
template <typename IsHiddenFunction>
CALFVO_HD void AddSample(const FrameView& view, const Sample& sample, const Hit& hit,
                         const IsHiddenFunction& is_hidden, PixelSum& sum) {
  const Scene& scene = *view.scene;
  const Ray& ray = sample.ray;
  const float pixel_angle = 1.0F / sqrtf(view.camera->fx * view.camera->fy);
  if (hit.primitive == kNothing) {
    sum.light += SkyColor(scene.light, ray.direction, pixel_angle);
    return;
  }
  const Surface surface = SurfaceAt(scene, *view.movers, sample.dt, ray, hit, pixel_angle);
  if (hit.primitive != sum.shadow_of) {  // samples on one primitive share a shadow ray
    sum.shadow_of = hit.primitive;
    float distance = 0.0F;
    const Vec3 to_light = ToLight(scene.light, surface.point, distance);
    sum.lit = 0.0F;
    if (Dot(surface.normal, to_light) > 0.0F) {
      const Ray shadow{surface.point + surface.normal * kShadowOffset, to_light};
      sum.lit = is_hidden(shadow, distance) ? 0.0F : 1.0F;
    }
  }
  sum.light += ShadeSurface(scene, ray, surface, hit.t, sum.lit, view.textures);
}

// A camera's meter looks at 8 × 8 places of the first frame.
inline constexpr int kMeterSide = 8;
inline constexpr int kMeterPlaces = kMeterSide * kMeterSide;

// What it sees at one of them.
CALFVO_HD float MeterAt(const FrameView& view, int place) {
  const int x = (2 * (place % kMeterSide) + 1) * view.camera->width / (2 * kMeterSide);
  const int y = (2 * (place / kMeterSide) + 1) * view.camera->height / (2 * kMeterSide);
  const Sample sample = SampleAt(view, x, y, 0, 1);
  PixelSum sum;
  const auto is_hidden = [&](const Ray& shadow, float distance) {
    return IsHidden(*view.scene, *view.movers, sample.dt, shadow, distance);
  };
  AddSample(view, sample, Trace(*view.scene, *view.movers, sample.dt, sample.ray), is_hidden, sum);
  return Compress(Grey(sum.light));
}

// The distance along the optical axis, at the middle of the pixel and of its exposure; kFar for sky.
CALFVO_HD float PixelDepth(const FrameView& view, float x, float y, Hit& hit) {
  const float dt = SampleTime(*view.effects, y, view.camera->height, 0.5F);
  const Ray ray = RayAt(view, x, y, dt);
  hit = Trace(*view.scene, *view.movers, dt, ray);
  if (hit.primitive == kNothing) return kFar;
  return hit.t * Dot(ray.direction, DirectionToWorld(*view.frame, dt, {0.0F, 0.0F, 1.0F}));
}

// Where what `view` shows at (x, y), a surface known by `hit` or the sky, appears in `other`, less (x, y).
// Objects move on in between; under rolling shutter the row at which the point arrives sets its time. False
// when it is not in the other image. Whether something else covers it there is not asked.
CALFVO_HD bool PixelMotion(const FrameView& view, const FrameView& other, float x, float y, const Hit& hit,
                           Pixel& motion) {
  const CameraModel& camera = *view.camera;
  const float dt = SampleTime(*view.effects, y, camera.height, 0.5F);
  const Ray ray = RayAt(view, x, y, dt);
  const bool sky = hit.primitive == kNothing;
  const int mover = hit.primitive >= 0 ? view.scene->primitives[hit.primitive].mover() : -1;
  Vec3 point = sky ? ray.direction : ray.origin + ray.direction * hit.t;
  if (mover >= 0) point = point - view.movers->OffsetAt(mover, dt);

  Pixel there{x, y};
  const int rounds = other.effects->readout_s > 0.0F ? 4 : 1;
  CALFVO_ROLLED
  for (int i = 0; i < rounds; ++i) {
    const float other_dt = SampleTime(*other.effects, there.y, camera.height, 0.5F);
    Vec3 towards = point;
    if (!sky) towards = towards - PositionAt(*other.frame, other_dt);
    if (mover >= 0) towards += other.movers->OffsetAt(mover, other_dt);
    if (!Project(camera, DirectionToCamera(*other.frame, other_dt, towards), there)) return false;
  }
  if (!IsInImage(camera, there)) return false;
  motion = {there.x - x, there.y - y};
  return true;
}

// The middle of a square cell of `cell` pixels; between pixels when `cell` is even.
CALFVO_HD Pixel CellMiddle(int column, int row, int cell) {
  const float side = static_cast<float>(cell);
  return {(static_cast<float>(column) + 0.5F) * side - 0.5F, (static_cast<float>(row) + 0.5F) * side - 0.5F};
}

}  // namespace calfvo::synth
