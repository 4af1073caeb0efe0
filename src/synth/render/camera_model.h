// SPDX-License-Identifier: Apache-2.0
// A pinhole camera with radial distortion, for host and GPU.
//
// With (X, Y, Z) in the camera frame and x = X/Z, y = Y/Z, r² = x² + y²:
//   pixel = (fx·x·s + cx, fy·y·s + cy),  s = 1 + k1·r² + k2·r⁴.
// k1 < 0 bends straight lines outwards (barrel), k1 > 0 inwards. The way back solves for the radius by a
// fixed number of Newton steps. As in OpenCV, pixel centres have integer coordinates, so that the image
// covers [−0.5, width − 0.5] × [−0.5, height − 0.5].
#pragma once

#include "core/portable/noise.h"
#include "core/portable/random.h"
#include "synth/scene/scene.h"

namespace calfvo {

struct CameraModel {
  int width = 224;  // pixels
  int height = 224;
  float fx = 200.0F;  // pixels
  float fy = 200.0F;
  float cx = 111.5F;
  float cy = 111.5F;
  float k1 = 0.0F;
  float k2 = 0.0F;
};

namespace synth {

struct Pixel {
  float x = 0.0F;
  float y = 0.0F;
};

// The direction in the camera frame, with z = 1, that the camera sees at a pixel.
CALFVO_HD Vec3 DirectionAt(const CameraModel& camera, float x, float y) {
  const float xd = (x - camera.cx) / camera.fx;
  const float yd = (y - camera.cy) / camera.fy;
  if (camera.k1 == 0.0F && camera.k2 == 0.0F) return {xd, yd, 1.0F};
  const float q = xd * xd + yd * yd;
  const float a = camera.k1 * q;
  const float b = camera.k2 * q * q;
  float s = 1.0F;  // undistorted over distorted radius: s·(1 + a·s² + b·s⁴) = 1
  CALFVO_ROLLED
  for (int i = 0; i < 8; ++i) {
    const float s2 = s * s;
    const float value = s * (1.0F + s2 * (a + b * s2)) - 1.0F;
    const float slope = 1.0F + s2 * (3.0F * a + 5.0F * b * s2);
    s -= value / Max(slope, 0.05F);
  }
  return {xd * s, yd * s, 1.0F};
}

// Where a point or direction in front of the camera appears; false when it is behind, or so far out that the
// distortion would fold it back.
CALFVO_HD bool Project(const CameraModel& camera, Vec3 in_camera, Pixel& pixel) {
  if (in_camera.z < 1e-6F) return false;
  const float x = in_camera.x / in_camera.z;
  const float y = in_camera.y / in_camera.z;
  const float r2 = x * x + y * y;
  if (1.0F + r2 * (3.0F * camera.k1 + 5.0F * camera.k2 * r2) <= 0.0F) return false;
  const float s = 1.0F + r2 * (camera.k1 + camera.k2 * r2);
  pixel = {camera.fx * x * s + camera.cx, camera.fy * y * s + camera.cy};
  return true;
}

CALFVO_HD bool IsInImage(const CameraModel& camera, Pixel p) {
  return p.x >= -0.5F && p.y >= -0.5F && p.x <= static_cast<float>(camera.width) - 0.5F &&
         p.y <= static_cast<float>(camera.height) - 0.5F;
}

}  // namespace synth

// A sensor by ratios, from which images of any size are taken: the whole of it or a crop, scaled to
// width × height, with unequal scales where the shapes differ (a 4:3 video fed to a square network).
struct Sensor {
  float focal_over_width = 0.8F;
  float aspect = 4.0F / 3;  // width / height
  float center_x = 0.5F;    // principal point as a share of width and height
  float center_y = 0.5F;
  float distortion1 = 0.0F;  // k1·r² at the corner of the sensor
  float distortion2 = 0.0F;  // k2·r⁴ there
  float crop_left = 0.0F;    // the part that is kept, as shares of width and height
  float crop_top = 0.0F;
  float crop_width = 1.0F;
  float crop_height = 1.0F;
};

CALFVO_HD CameraModel CameraFromSensor(const Sensor& sensor, int width, int height) {
  CameraModel camera;
  camera.width = width;
  camera.height = height;
  const float scale_x = static_cast<float>(width) / sensor.crop_width;  // pixels per sensor width
  const float scale_y = static_cast<float>(height) / sensor.crop_height;
  camera.fx = sensor.focal_over_width * scale_x;
  camera.fy = sensor.focal_over_width * sensor.aspect * scale_y;
  camera.cx = (sensor.center_x - sensor.crop_left) * scale_x - 0.5F;
  camera.cy = (sensor.center_y - sensor.crop_top) * scale_y - 0.5F;
  const float half_x = 0.5F / sensor.focal_over_width;
  const float half_y = half_x / sensor.aspect;
  const float corner2 = half_x * half_x + half_y * half_y;
  camera.k1 = sensor.distortion1 / corner2;
  camera.k2 = sensor.distortion2 / (corner2 * corner2);
  return camera;
}

// Width over height of what an image shows, whatever it was scaled to: for images of a sensor, whose
// pixels are square, its aspect · crop_width / crop_height.
CALFVO_HD float ImageAspect(const CameraModel& camera) {
  return (static_cast<float>(camera.width) / camera.fx) / (static_cast<float>(camera.height) / camera.fy);
}

// What DrawSensor draws from.
struct SensorOptions {
  float min_focal_over_width = 0.45F;  // log-uniform between the two
  float max_focal_over_width = 1.4F;
  float max_center_offset = 0.04F;  // of the principal point, share of the side
  float distortion_probability = 0.5F;
  float max_barrel = 0.22F;  // at the corner, as a share of the radius
  float max_pincushion = 0.10F;
  float crop_probability = 0.25F;
  float min_crop = 0.65F;  // share of each side that a crop keeps at least

  void Validate() const;  // throws Error naming the field
};

// On streets a third of the sensors are those of cars: about 3.3:1, f/W 0.5–0.75 as far as the options allow.
CALFVO_HD Sensor DrawSensor(const SensorOptions& options, SceneKind kind, portable::Random& random) {
  Sensor sensor;
  const bool wide = random.Chance(kind == SceneKind::kStreet ? 0.35F : 0.03F);
  const float shortest = options.min_focal_over_width;
  const float longest = options.max_focal_over_width;
  const float low = wide ? synth::Clamp(0.5F, shortest, longest) : shortest;
  const float high = wide ? synth::Clamp(0.75F, shortest, longest) : longest;
  sensor.focal_over_width = low * powf(high / low, random.Uniform());
  const float draw = random.Uniform();
  // 4:3, 16:9, 3:2, square, 752×480, and portrait 3:4 and 9:16.
  sensor.aspect = wide           ? 2.8F + draw
                  : draw < 0.38F ? 1.3333F
                  : draw < 0.66F ? 1.7778F
                  : draw < 0.75F ? 1.5F
                  : draw < 0.82F ? 1.0F
                  : draw < 0.91F ? 1.5667F
                  : draw < 0.96F ? 0.75F
                                 : 0.5625F;
  // The focal length is stated against the longer side of upright images.
  if (sensor.aspect < 1.0F) sensor.focal_over_width /= sensor.aspect;
  sensor.center_x = 0.5F + options.max_center_offset * random.Uniform(-1.0F, 1.0F);
  sensor.center_y = 0.5F + options.max_center_offset * random.Uniform(-1.0F, 1.0F);
  if (random.Chance(options.distortion_probability)) {
    const float d = random.Uniform(-options.max_barrel, options.max_pincushion);
    sensor.distortion1 = d;
    // Enough of the second term to keep the map one-to-one at every radius: 9·d1² < 20·d2.
    sensor.distortion2 = d < 0.0F ? d * d * random.Uniform(0.55F, 0.9F) : 0.0F;
  }
  if (random.Chance(options.crop_probability)) {
    const float keep = random.Uniform(options.min_crop, 1.0F);
    sensor.crop_width = keep;
    sensor.crop_height = synth::Clamp(keep * random.Uniform(0.9F, 1.1F), options.min_crop, 1.0F);
    sensor.crop_left = (1.0F - sensor.crop_width) * random.Uniform();
    sensor.crop_top = (1.0F - sensor.crop_height) * random.Uniform();
  }
  return sensor;
}

}  // namespace calfvo
