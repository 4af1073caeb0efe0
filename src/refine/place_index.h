// SPDX-License-Identifier: Apache-2.0
// Which images look alike: bags of binary words with tf-idf weights.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "refine/hamming.h"

namespace calfvo {

// Words are learned from the images themselves. Deterministic.
class PlaceIndex {
 public:
  // The descriptors of each image, the strongest features first.
  explicit PlaceIndex(const std::vector<std::span<const Descriptor>>& images);

  // Cosine of the angle between two images' word vectors, 0 to 1.
  double Similarity(size_t a, size_t b) const;

 private:
  std::vector<std::vector<float>> vectors_;  // of unit norm, one number per word
};

}  // namespace calfvo
