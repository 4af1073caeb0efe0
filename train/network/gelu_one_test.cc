// SPDX-License-Identifier: Apache-2.0
#include "network/gelu_one.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace calfvo::train {
namespace {

TEST(Gelu, IsTheExactOneToSixDigits) {
  for (int i = -1000; i <= 1000; ++i) {
    const double z = 0.01 * i;
    const double share = 0.5 * std::erfc(-z / std::numbers::sqrt2);
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
    EXPECT_NEAR(Gelu(static_cast<float>(z)), z * share, 1e-6) << z;
    EXPECT_NEAR(GeluDerivative(static_cast<float>(z)), share + z * density, 1e-6) << z;
  }
}

}  // namespace
}  // namespace calfvo::train
