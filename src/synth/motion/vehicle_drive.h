// SPDX-License-Identifier: Apache-2.0
// How a car moves: along its wheels, with a curvature it can steer, slower in bends, on springs.
#pragma once

#include <cmath>

#include "core/portable/host_device.h"
#include "core/portable/random.h"
#include "synth/motion/free_space.h"
#include "synth/motion/gaussian_process.h"
#include "synth/motion/rotation.h"

namespace calfvo::motion {

// Level axes of something that heads somewhere, in the world: unit vectors, right = down × ahead.
struct LevelAxes {
  Vec3 right;
  Vec3 down;
  Vec3 ahead;
};

class VehicleDrive {
 public:
  // What the driver would do on an open road.
  struct Wish {
    float speed_mps = 0.0F;
    float yaw_rate_radps = 0.0F;  // positive to the right
  };
  struct Motion {
    Vec3 displacement_in_world;  // of the camera, metres
    float yaw_rad = 0.0F;        // to the right
    float pitch_rad = 0.0F;      // shaking about the camera's x and z axes
    float roll_rad = 0.0F;
  };

  CALFVO_HD void Start(const Wish& wish, float step_s, portable::Random& random) {
    first_ = true;
    speed_mps_ = wish.speed_mps;
    yaw_rate_radps_ = Limited(wish.yaw_rate_radps, speed_mps_ / kMinRadiusM);
    shake_radps_ = random.LogNormal(kShakeRadps, 0.35F);
    camera_ahead_of_axle_m_ = random.Uniform(0.8F, 1.8F);
    shake_.Start({0.12F, 0.2F, 0.15F, 1.5F}, step_s, random);
    bounce_m_ = shake_.Value().y * kBounceM;
  }

  // Drives for `step_s` from `position`. Brakes and steers where the way ahead is not free; the way of this
  // one step is not checked.
  template <typename IsFree>
  CALFVO_HD Motion Advance(const IsFree& is_free, Wish wish, Vec3 position, const LevelAxes& axes,
                           float step_s, portable::Random& random) {
    shake_.Advance(random);
    const Wish possible = Avoiding(is_free, wish, position, axes);
    const float lateral_limit = kLateralMps2 / fmaxf(fabsf(possible.yaw_rate_radps), 1e-3F);
    const float target = fminf(possible.speed_mps, lateral_limit);
    // It comes to its start no faster than what is ahead allows.
    const float braking = first_ ? speed_mps_ : kBrakingMps2 * step_s;
    first_ = false;
    speed_mps_ += fminf(fmaxf(target - speed_mps_, -braking), kThrustMps2 * step_s);
    const float yaw_change = Limited(possible.yaw_rate_radps - yaw_rate_radps_, kYawRadps2 * step_s);
    yaw_rate_radps_ = Limited(yaw_rate_radps_ + yaw_change, speed_mps_ / kMinRadiusM);

    Motion motion;
    motion.yaw_rad = yaw_rate_radps_ * step_s;
    const float shaking = fminf(1.0F, speed_mps_ / 3.0F);
    motion.pitch_rad = shake_.Value().x * shake_radps_ * shaking * step_s;
    motion.roll_rad = shake_.Value().z * shake_radps_ * shaking * step_s;
    const Vec3 middle = axes.ahead * cosf(0.5F * motion.yaw_rad) + axes.right * sinf(0.5F * motion.yaw_rad);
    const Vec3 next = axes.ahead * cosf(motion.yaw_rad) + axes.right * sinf(motion.yaw_rad);
    const float bounce_m = shake_.Value().y * kBounceM * shaking;
    motion.displacement_in_world = middle * (speed_mps_ * step_s) +
                                   (next - axes.ahead) * camera_ahead_of_axle_m_ +
                                   axes.down * (bounce_m - bounce_m_);
    bounce_m_ = bounce_m;
    return motion;
  }

  // Goes on with this part of the speed; for when the way turned out blocked.
  CALFVO_HD void SlowTo(float part) {
    speed_mps_ *= part;
    yaw_rate_radps_ *= part;
  }

  CALFVO_HD float speed_mps() const { return speed_mps_; }

 private:
  static constexpr float kMinRadiusM = 5.0F;
  static constexpr float kLateralMps2 = 4.5F;
  static constexpr float kThrustMps2 = 2.5F;
  static constexpr float kBrakingMps2 = 6.0F;
  static constexpr float kYawRadps2 = 1.5F;
  static constexpr float kShakeRadps = 0.018F;
  static constexpr float kBounceM = 0.006F;
  static constexpr float kHorizonS = 2.0F;
  static constexpr int kPlaces = 12;

  CALFVO_HD static float Limited(float value, float limit) { return fminf(fmaxf(value, -limit), limit); }

  // The part of the arc of `curvature` (1/m) and `length_m` that is free, in twelfths: at the speeds of towns
  // few posts slip between the places looked at.
  template <typename IsFree>
  CALFVO_HD static float FreeArc(const IsFree& is_free, Vec3 position, const LevelAxes& axes, float curvature,
                                 float length_m) {
    for (int i = 1; i <= kPlaces; ++i) {
      const float s = length_m * static_cast<float>(i) / kPlaces;
      const float angle = curvature * s;
      const bool straight = fabsf(angle) < 1e-3F;
      const float along = straight ? s : sinf(angle) / curvature;
      const float aside = straight ? 0.5F * angle * s : (1.0F - cosf(angle)) / curvature;
      if (!is_free(position + axes.ahead * along + axes.right * aside))
        return static_cast<float>(i - 1) / kPlaces;
    }
    return 1.0F;
  }

  template <typename IsFree>
  CALFVO_HD Wish Avoiding(const IsFree& is_free, Wish wish, Vec3 position, const LevelAxes& axes) const {
    const float length_m = fmaxf(4.0F, speed_mps_ * kHorizonS);
    const float wished = wish.yaw_rate_radps / fmaxf(speed_mps_, 1.0F);
    float best_part = FreeArc(is_free, position, axes, wished, length_m);
    if (best_part >= 1.0F) return wish;
    float best_score = best_part;
    float best = wished;
    const float kCurvatures[9] = {0.0F, 0.03F, -0.03F, 0.07F, -0.07F, 0.12F, -0.12F, 0.19F, -0.19F};
    for (int i = 0; i < 9; ++i) {
      const float part = FreeArc(is_free, position, axes, kCurvatures[i], length_m);
      const float score = part - 0.5F * fabsf(kCurvatures[i] - wished);
      if (score > best_score) {
        best_score = score;
        best_part = part;
        best = kCurvatures[i];
      }
    }
    // Fast enough to get round, slow enough to stop within what is free.
    const float stopping_mps = sqrtf(kBrakingMps2 * length_m * best_part);
    const float speed_mps = fminf(wish.speed_mps, best_part < 1.0F ? 0.7F * stopping_mps : stopping_mps);
    return {speed_mps, best * fmaxf(speed_mps_, 1.0F)};
  }

  bool first_ = true;
  float speed_mps_ = 0.0F;
  float yaw_rate_radps_ = 0.0F;
  float shake_radps_ = kShakeRadps;
  float camera_ahead_of_axle_m_ = 1.3F;
  float bounce_m_ = 0.0F;
  VectorSignal shake_;
};

}  // namespace calfvo::motion
