// SPDX-License-Identifier: Apache-2.0
#include "core/portable/vec3.h"

#include <gtest/gtest.h>

namespace calfvo::portable {
namespace {

void ExpectNear(Vec3 a, Vec3 b) {
  EXPECT_LT(Norm(a - b), 1e-6F) << a.x << " " << a.y << " " << a.z << " against " << b.x << " " << b.y << " "
                                << b.z;
}

TEST(Vec3, CrossIsRightHanded) {
  ExpectNear(Cross({1, 0, 0}, {0, 1, 0}), {0, 0, 1});
  EXPECT_FLOAT_EQ(Norm({3, 4, 12}), 13.0F);
  ExpectNear(Normalized({0, 0, 5}), {0, 0, 1});
}

TEST(Pose, ComposesAndInverts) {
  const Pose quarter_turn{{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {1, 2, 3}};  // x to y about z
  ExpectNear(quarter_turn * Vec3{1, 0, 0}, {1, 3, 3});
  ExpectNear(Inverse(quarter_turn) * (quarter_turn * Vec3{4, 5, 6}), {4, 5, 6});
  const Pose twice = quarter_turn * quarter_turn;
  ExpectNear(twice * Vec3{1, 0, 0}, quarter_turn * (quarter_turn * Vec3{1, 0, 0}));
}

}  // namespace
}  // namespace calfvo::portable
