// SPDX-License-Identifier: Apache-2.0
#include "synth/motion/rotation.h"

#include <gtest/gtest.h>

#include "core/portable/random.h"

namespace calfvo::motion {
namespace {

TEST(RotationTest, LogInvertsExpUpToHalfATurn) {
  portable::Random random(1);
  for (const float angle : {0.0F, 1e-6F, 5e-4F, 2e-3F, 0.1F, 1.5F, 3.0F, 3.13F}) {
    for (int i = 0; i < 50; ++i) {
      const Vec3 v = Normalized(Vec3{random.Normal(), random.Normal(), random.Normal()}) * angle;
      EXPECT_LT(Norm(LogRotation(ExpRotation(v)) - v), 2e-6F + 2e-6F * angle) << angle;
    }
  }
}

TEST(RotationTest, TurnsTheRightWay) {
  const Vec3 turned = ExpRotation({0, 0, 1.5707963F}) * Vec3{1, 0, 0};
  EXPECT_NEAR(turned.y, 1.0F, 1e-6F);
}

TEST(RotationTest, OrthonormalizedRepairsRounding) {
  Mat3 m = ExpRotation({0.3F, -0.2F, 0.9F});
  m.x = m.x * 1.01F;
  m.y = m.y + Vec3{0.01F, 0.0F, 0.0F};
  const Mat3 repaired = Orthonormalized(m);
  EXPECT_NEAR(Dot(repaired.x, repaired.y), 0.0F, 1e-6F);
  EXPECT_NEAR(Norm(repaired.y), 1.0F, 1e-6F);
  EXPECT_NEAR(Dot(Cross(repaired.x, repaired.y), repaired.z), 1.0F, 1e-6F);
}

TEST(RotationTest, PoseBetweenMeetsItsEndsAndKeepsTheTwist) {
  const Pose a{ExpRotation({0.1F, 0.2F, 0.3F}), {1, 2, 3}};
  const Pose b{ExpRotation({-0.1F, 0.5F, 0.2F}), {1.5F, 1, 3}};
  for (const float s : {0.0F, 0.25F, 1.0F}) {
    const Pose between = PoseBetween(a, b, s);
    EXPECT_LT(Norm(between.translation - (a.translation + (b.translation - a.translation) * s)), 1e-5F);
    const Vec3 turned = LogRotation(Transposed(a.rotation) * between.rotation);
    EXPECT_LT(Norm(turned - LogRotation(Transposed(a.rotation) * b.rotation) * s), 1e-5F);
  }
}

}  // namespace
}  // namespace calfvo::motion
