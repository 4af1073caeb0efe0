// SPDX-License-Identifier: Apache-2.0
#include "eval/report/edge_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "eval/report/test_pair.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LargestErrors, InOrderAndApart) {
  const std::vector<double> errors = {1.0, 9.0, 8.0, 0.5, NAN, 7.0, 2.0};
  EXPECT_THAT(LargestErrors(errors, 2, 1), ElementsAre(1, 2));
  EXPECT_THAT(LargestErrors(errors, 2, 2), ElementsAre(1, 5));
  EXPECT_THAT(LargestErrors(errors, 9, 1), ElementsAre(1, 2, 5, 6, 0, 3));
  EXPECT_THAT(LargestErrors({}, 3, 1), IsEmpty());
}

// The distribution of the norm of three normal numbers in closed form.
TEST(EdgeErrors, TheBoundHolds95Percent) {
  const double k = k95PercentOfNorms;
  EXPECT_NEAR(
      std::erf(k / std::numbers::sqrt2) - std::sqrt(2.0 / std::numbers::pi) * k * std::exp(-k * k / 2), 0.95,
      1e-5);
}

TEST(EdgeSigmas, AnEdgeOverMissingPosesAddsVariances) {
  TestPair pair(6);
  pair.reference.timestamps_ns.erase(pair.reference.timestamps_ns.begin() + 2);
  pair.reference.world_from_camera.erase(pair.reference.world_from_camera.begin() + 2);
  pair.evaluation = Evaluate(pair.reference, pair.estimate);
  EXPECT_THAT(EdgeSigmas(pair.View()), IsEmpty());
  const std::vector<EdgeSigma> sigmas = {{9, 9}, {1, 2}, {3, 5}, {4, 12}, {5, 6}, {6, 7}};
  EvaluatedPair view = pair.View();
  view.sigmas = sigmas;
  std::vector<double> translations, rotations;
  for (const EdgeSigma& sigma : EdgeSigmas(view)) {
    translations.push_back(sigma.translation_m);
    rotations.push_back(sigma.rotation_deg);
  }
  EXPECT_THAT(translations, ElementsAre(1, 5, 5, 6));  // 5 is √(3² + 4²)
  EXPECT_THAT(rotations, ElementsAre(2, 13, 6, 7));    // 13 is √(5² + 12²)
}

}  // namespace
}  // namespace calfvo
