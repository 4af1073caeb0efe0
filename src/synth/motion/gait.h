// SPDX-License-Identifier: Apache-2.0
// What steps add to the motion of a camera that someone carries or wears.
#pragma once

#include <cmath>

#include "core/portable/host_device.h"
#include "core/portable/random.h"
#include "synth/motion/rotation.h"

namespace calfvo::motion {

// The head rises and falls with each step, sways and rolls with each pair of steps, and nods a little.
class Gait {
 public:
  struct Motion {
    Vec3 velocity_mps;     // right, down, ahead of the heading
    Vec3 turn_rate_radps;  // about the camera's axes
  };

  // `min_bob_m`, `max_bob_m`: range of the vertical travel from lowest to highest at a brisk walk; zero for
  // none.
  CALFVO_HD void Start(float min_bob_m, float max_bob_m, portable::Random& random) {
    steps_hz_ = random.Uniform(1.6F, 2.2F);
    bob_m_ = random.Uniform(min_bob_m, max_bob_m);
    sway_m_ = bob_m_ * random.Uniform(0.5F, 1.2F);
    surge_m_ = bob_m_ * random.Uniform(0.2F, 0.5F);
    nod_rad_ = bob_m_ > 0.0F ? random.Uniform(0.003F, 0.012F) : 0.0F;
    roll_rad_ = bob_m_ > 0.0F ? random.Uniform(0.003F, 0.015F) : 0.0F;
    steps_ = random.Uniform(0.0F, 2.0F);
  }

  // `speed_mps` is that of the walk: who stands does not bob.
  CALFVO_HD Motion Advance(float speed_mps, float step_s) {
    steps_ += steps_hz_ * step_s;
    if (steps_ >= 2.0F) steps_ -= 2.0F;  // a stride is two steps
    const float kPi = 3.14159265F;
    const float step_phase = 2.0F * kPi * steps_;
    const float stride_phase = kPi * steps_;
    const float step_rate = kPi * steps_hz_ * fminf(1.0F, speed_mps);
    const float stride_rate = 0.5F * step_rate;
    return {{sway_m_ * stride_rate * cosf(stride_phase), bob_m_ * step_rate * cosf(step_phase),
             surge_m_ * step_rate * sinf(step_phase)},
            {nod_rad_ * step_rate * sinf(step_phase), 0.0F, roll_rad_ * stride_rate * cosf(stride_phase)}};
  }

 private:
  float steps_hz_ = 1.9F;
  float steps_ = 0.0F;  // in [0, 2)
  float bob_m_ = 0.0F;
  float sway_m_ = 0.0F;
  float surge_m_ = 0.0F;
  float nod_rad_ = 0.0F;
  float roll_rad_ = 0.0F;
};

}  // namespace calfvo::motion
