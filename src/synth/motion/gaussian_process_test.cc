// SPDX-License-Identifier: Apache-2.0
#include "synth/motion/gaussian_process.h"

#include <gtest/gtest.h>

namespace calfvo::motion {
namespace {

struct Moments {
  double variance = 0.0;
  double lag1 = 0.0;
};

Moments Measured(const Timing& timing, float step_s) {
  Moments moments;
  int count = 0;
  for (uint64_t clip = 0; clip < 400; ++clip) {
    portable::Random random(clip);
    VectorSignal signal;
    signal.Start(timing, step_s, random);
    for (int i = 0; i < 200; ++i) {
      const portable::Vec3 before = signal.Value();
      signal.Advance(random);
      moments.variance += Dot(before, before) / 3.0;
      moments.lag1 += Dot(before, signal.Value()) / 3.0;
      ++count;
    }
  }
  moments.variance /= count;
  moments.lag1 /= count;
  return moments;
}

TEST(VectorSignalTest, HasUnitVarianceAtAnyTimeStepFromTheStart) {
  for (const float step_s : {1.0F / 60.0F, 0.1F}) {
    EXPECT_NEAR(Measured({0.3F, 0.3F, 0.05F, 6.0F}, step_s).variance, 1.0, 0.04);
    EXPECT_NEAR(Measured({2.0F, 0.0F, 0.1F, 0.0F}, step_s).variance, 1.0, 0.12);
  }
}

TEST(VectorSignalTest, SmoothPartIsSmooth) {
  // A critically damped signal loses (t/τ)²/2 of its correlation, one of first order would lose t/τ.
  EXPECT_GT(Measured({0.5F, 0.0F, 0.1F, 0.0F}, 0.05F).lag1, 0.98);
}

TEST(VectorSignalTest, TremorSwings) {
  // Half a period apart it has the opposite sign.
  const Moments moments = Measured({1.0F, 1.0F, 1.0F, 5.0F}, 0.1F);
  EXPECT_NEAR(moments.lag1 / moments.variance, -std::exp(-0.1), 0.02);
}

}  // namespace
}  // namespace calfvo::motion
