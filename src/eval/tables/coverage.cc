// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/coverage.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace calfvo {
namespace {

constexpr double kUnknownShare = std::numeric_limits<double>::quiet_NaN();

// Between levels too.
double MultipleAt(double level) {
  return std::exp2((level - kOneSigmaLevel) / (kTwoSigmaLevel - kOneSigmaLevel));
}

}  // namespace

double SigmaMultiple(int level) {
  return MultipleAt(level);
}

double NormalShare(double multiple) {
  return std::erf(multiple / std::numbers::sqrt2);
}

void CoverageCounter::Add(const Eigen::Vector3d& error, double sigma) {
  for (const double component : error) {
    ++count_;
    for (int level = 0; level < kCoverageLevels; ++level) {
      within_[static_cast<size_t>(level)] += std::abs(component) <= SigmaMultiple(level) * sigma ? 1 : 0;
    }
  }
}

Coverage CoverageCounter::Shares() const {
  Coverage shares;
  if (count_ == 0) return shares;
  for (const int64_t within : within_)
    shares.push_back(static_cast<double>(within) / static_cast<double>(count_));
  return shares;
}

double ShareAt(const Coverage& coverage, int level) {
  return coverage.empty() ? kUnknownShare : coverage[static_cast<size_t>(level)];
}

Coverage MeanCoverage(std::span<const Coverage> coverages) {
  Coverage mean;
  double count = 0.0;
  for (const Coverage& coverage : coverages) {
    if (coverage.empty()) continue;
    mean.resize(kCoverageLevels);
    for (size_t level = 0; level < mean.size(); ++level) mean[level] += coverage[level];
    ++count;
  }
  for (double& share : mean) share /= count;
  return mean;
}

double SigmaFactor(const Coverage& coverage) {
  const double wanted = NormalShare(1.0);
  for (size_t level = 1; level < coverage.size(); ++level) {
    const double below = coverage[level - 1];
    const double above = coverage[level];
    if (below > wanted || above < wanted) continue;
    const double part = above > below ? (wanted - below) / (above - below) : 1.0;
    return MultipleAt(static_cast<double>(level) - 1.0 + part);
  }
  return kUnknownShare;
}

}  // namespace calfvo
