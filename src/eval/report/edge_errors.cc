// SPDX-License-Identifier: Apache-2.0
#include "eval/report/edge_errors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace calfvo {

std::vector<EdgeSigma> EdgeSigmas(const EvaluatedPair& pair) {
  std::vector<EdgeSigma> sigmas;
  if (pair.sigmas.empty()) return sigmas;
  const std::vector<PosePair>& pairs = pair.evaluation.pairs;
  for (size_t i = 0; i + 1 < pairs.size(); ++i) {
    EdgeSigma variance{};
    for (size_t pose = pairs[i].estimate + 1; pose <= pairs[i + 1].estimate; ++pose) {
      variance.translation_m += std::pow(pair.sigmas[pose].translation_m, 2);
      variance.rotation_deg += std::pow(pair.sigmas[pose].rotation_deg, 2);
    }
    sigmas.push_back({std::sqrt(variance.translation_m), std::sqrt(variance.rotation_deg)});
  }
  return sigmas;
}

std::vector<size_t> LargestErrors(std::span<const double> errors, size_t count, size_t apart) {
  std::vector<size_t> order(errors.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return std::isnan(errors[i]); });
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return errors[a] > errors[b]; });
  std::vector<size_t> chosen;
  for (const size_t i : order) {
    if (chosen.size() == count) break;
    const bool is_near = std::any_of(chosen.begin(), chosen.end(), [&](size_t other) {
      return std::max(i, other) - std::min(i, other) < apart;
    });
    if (!is_near) chosen.push_back(i);
  }
  return chosen;
}

}  // namespace calfvo
