// SPDX-License-Identifier: Apache-2.0
// How often errors are within multiples of their predicted standard deviations.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace calfvo {

// Multiples are looked at in steps of an eighth of an octave, from 1/32 to 32 standard deviations.
inline constexpr int kCoverageLevels = 81;
inline constexpr int kOneSigmaLevel = 40;
inline constexpr int kTwoSigmaLevel = 48;
double SigmaMultiple(int level);

// The share of normal errors within so many standard deviations: 0.683 at 1, 0.954 at 2.
double NormalShare(double multiple);

// Shares (0 … 1) of errors within SigmaMultiple(level), for each level; empty where there are no errors.
using Coverage = std::vector<double>;

class CoverageCounter {
 public:
  // Each component is an error of its own, with this standard deviation.
  void Add(const Eigen::Vector3d& error, double sigma);
  Coverage Shares() const;

 private:
  int64_t count_ = 0;
  std::array<int64_t, kCoverageLevels> within_{};
};

// Unknown (NaN) where there are no errors.
double ShareAt(const Coverage& coverage, int level);

// Level by level over those that know something; empty where none does.
Coverage MeanCoverage(std::span<const Coverage> coverages);

// The factor by which standard deviations would have to be larger for 68.3 % of the errors to be within one
// of them; to about 0.2 %. Unknown where there are no errors, or where it is beyond 1/32 to 32.
double SigmaFactor(const Coverage& coverage);

}  // namespace calfvo
