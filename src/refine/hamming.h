// SPDX-License-Identifier: Apache-2.0
// Distances of binary descriptors of 256 bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace calfvo {

using Descriptor = std::array<uint64_t, 4>;

// Differing bits.
int HammingDistance(const Descriptor& a, const Descriptor& b);

// The descriptor nearest to a query, the first of equals, and how far the next one is.
struct NearestDescriptor {
  static constexpr int kNone = 257;  // more than any distance

  int index = -1;
  int distance = kNone;
  int second_distance = kNone;
};

NearestDescriptor FindNearest(const Descriptor& query, std::span<const Descriptor> descriptors);

}  // namespace calfvo
