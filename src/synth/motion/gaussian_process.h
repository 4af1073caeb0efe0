// SPDX-License-Identifier: Apache-2.0
// Random signals in time: Gaussian, of mean 0 and standard deviation 1 at every moment, started in their
// stationary state and advanced exactly for any time step. What a signal looks like does not depend on the
// frame rate it is sampled at.
#pragma once

#include <cmath>

#include "core/portable/host_device.h"
#include "core/portable/random.h"
#include "core/portable/vec3.h"

namespace calfvo::motion {

// How a signal moves: a smooth part and, as a share of its variance, a quicker tremor.
struct Timing {
  float smooth_s = 1.0F;      // time constant of the smooth part
  float tremor_share = 0.0F;  // in [0, 1]
  float tremor_s = 0.1F;      // how long the tremor remembers itself
  float tremor_hz = 0.0F;     // what it swings at; 0 swings at nothing
};

// White noise through two equal low-pass filters (critically damped, AR(2)): its rate of change is continuous
// noise rather than white, so that it looks steered and not shaken.
struct SmoothSignal {
  float inner = 0.0F;
  float outer = 0.0F;

  // With x AR(1) of coefficient a and variance 1, and y ← a·y + (1 − a)·x, in the stationary state
  // cov(x, y) = 1/(1 + a) and var(y) = (1 + a²)/(1 + a)².
  CALFVO_HD void Start(float a, portable::Random& random) {
    inner = random.Normal();
    outer = (inner + a * random.Normal()) / (1.0F + a);
  }
  CALFVO_HD void Advance(float a, float normal) {
    inner = a * inner + sqrtf(1.0F - a * a) * normal;
    outer = a * outer + (1.0F - a) * inner;
  }
  CALFVO_HD float Value(float a) const { return outer * (1.0F + a) / sqrtf(1.0F + a * a); }
};

// A damped pendulum under white noise: correlation exp(−t/tremor_s)·cos(2π·tremor_hz·t).
struct TremorSignal {
  float value = 0.0F;
  float quadrature = 0.0F;

  CALFVO_HD void Start(portable::Random& random) {
    value = random.Normal();
    quadrature = random.Normal();
  }
  CALFVO_HD void Advance(float a, float cosine, float sine, float normal, float other_normal) {
    const float noise = sqrtf(1.0F - a * a);
    const float turned = a * (cosine * value - sine * quadrature) + noise * normal;
    quadrature = a * (sine * value + cosine * quadrature) + noise * other_normal;
    value = turned;
  }
};

// Three independent signals of the same timing.
class VectorSignal {
 public:
  CALFVO_HD void Start(const Timing& timing, float step_s, portable::Random& random) {
    smooth_coefficient_ = expf(-step_s / timing.smooth_s);
    tremor_coefficient_ = expf(-step_s / timing.tremor_s);
    cosine_ = cosf(6.2831853F * timing.tremor_hz * step_s);
    sine_ = sinf(6.2831853F * timing.tremor_hz * step_s);
    smooth_weight_ = sqrtf(1.0F - timing.tremor_share);
    tremor_weight_ = sqrtf(timing.tremor_share);
    for (int i = 0; i < 3; ++i) {
      smooth_[i].Start(smooth_coefficient_, random);
      tremor_[i].Start(random);
    }
  }

  CALFVO_HD void Advance(portable::Random& random) {
    for (int i = 0; i < 3; ++i) {
      smooth_[i].Advance(smooth_coefficient_, random.Normal());
      const float normal = random.Normal();
      tremor_[i].Advance(tremor_coefficient_, cosine_, sine_, normal, random.Normal());
    }
  }

  CALFVO_HD portable::Vec3 Value() const { return {Axis(0), Axis(1), Axis(2)}; }

 private:
  CALFVO_HD float Axis(int i) const {
    return smooth_weight_ * smooth_[i].Value(smooth_coefficient_) + tremor_weight_ * tremor_[i].value;
  }

  SmoothSignal smooth_[3];
  TremorSignal tremor_[3];
  float smooth_coefficient_ = 0.0F;
  float tremor_coefficient_ = 0.0F;
  float cosine_ = 1.0F;
  float sine_ = 0.0F;
  float smooth_weight_ = 1.0F;
  float tremor_weight_ = 0.0F;
};

}  // namespace calfvo::motion
