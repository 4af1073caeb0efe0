// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/coverage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace calfvo {
namespace {

// Normal errors whose standard deviations, which differ, are predicted too small or too large by `predicted`.
Coverage OfNormalErrors(double predicted) {
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  CoverageCounter counter;
  for (int i = 0; i < 20000; ++i) {
    const double sigma = 0.3 + 0.2 * std::sin(i);
    const double x = normal(engine), y = normal(engine), z = normal(engine);
    counter.Add(sigma * Eigen::Vector3d(x, y, z), predicted * sigma);
  }
  return counter.Shares();
}

TEST(Coverage, NamedLevelsAreOneAndTwoSigma) {
  EXPECT_EQ(SigmaMultiple(kOneSigmaLevel), 1.0);
  EXPECT_EQ(SigmaMultiple(kTwoSigmaLevel), 2.0);
  EXPECT_EQ(SigmaMultiple(0), 1.0 / 32);
  EXPECT_EQ(SigmaMultiple(kCoverageLevels - 1), 32.0);
  EXPECT_NEAR(NormalShare(1.0), 0.682689, 1e-6);
  EXPECT_NEAR(NormalShare(2.0), 0.954500, 1e-6);
}

// 60,000 numbers: a share's own standard deviation is at most 0.002.
TEST(Coverage, OfNormalErrorsIsTheNormalShareOfThePredictedMultiple) {
  for (const double predicted : {1.0, 0.5, 2.0}) {
    const Coverage coverage = OfNormalErrors(predicted);
    ASSERT_EQ(coverage.size(), static_cast<size_t>(kCoverageLevels));
    for (int level = 0; level < kCoverageLevels; ++level) {
      EXPECT_NEAR(ShareAt(coverage, level), NormalShare(predicted * SigmaMultiple(level)), 0.008)
          << predicted << " " << level;
    }
    EXPECT_NEAR(SigmaFactor(coverage), 1.0 / predicted, 0.01 / predicted);
  }
}

// Errors between -a and a with equal chances are within k of σ in k·σ/a of the cases, so that factor
// 0.6827·a/σ is right whatever lies between levels.
TEST(Coverage, TheFactorIsInterpolated) {
  for (const double reach : {1.0, 1.3, 1.47, 3.0}) {
    CoverageCounter counter;
    for (int i = 0; i < 10000; ++i) {
      const double error = reach * (i + 0.5) / 10000;
      counter.Add({error, -error, error}, 1.0);
    }
    EXPECT_NEAR(SigmaFactor(counter.Shares()) / (0.682689 * reach), 1.0, 0.002);
  }
}

TEST(Coverage, NothingIsKnownOfNoErrors) {
  EXPECT_TRUE(CoverageCounter().Shares().empty());
  EXPECT_TRUE(std::isnan(ShareAt({}, kOneSigmaLevel)));
  EXPECT_TRUE(std::isnan(SigmaFactor({})));
  EXPECT_TRUE(MeanCoverage(std::vector<Coverage>(2)).empty());
  CoverageCounter hopeless;
  hopeless.Add({1.0, 1.0, 1.0}, 1e-3);
  EXPECT_TRUE(std::isnan(SigmaFactor(hopeless.Shares())));
}

TEST(Coverage, MeansPassOverWhatIsNotKnown) {
  const std::vector<Coverage> coverages = {
      Coverage(kCoverageLevels, 0.2), {}, Coverage(kCoverageLevels, 0.6)};
  EXPECT_NEAR(ShareAt(MeanCoverage(coverages), 3), 0.4, 1e-12);
}

}  // namespace
}  // namespace calfvo
