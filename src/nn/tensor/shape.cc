// SPDX-License-Identifier: Apache-2.0
#include "nn/tensor/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "calfvo/error.h"

namespace calfvo {

std::optional<std::string> Shape::Check(std::span<const int64_t> sizes) {
  if (sizes.size() > kMaxRank) {
    return fmt::format("has {} dimensions; expected at most {}", sizes.size(), kMaxRank);
  }
  int64_t product = 1;
  for (const int64_t size : sizes) {
    if (size < 0) return fmt::format("has a size of {}; expected none below 0", size);
    if (size > 0 && __builtin_mul_overflow(product, size, &product)) {
      return "has more elements than 64 bits can count";
    }
  }
  return std::nullopt;
}

Shape::Shape(std::span<const int64_t> sizes) : rank_(sizes.size()) {
  if (const auto problem = Check(sizes)) {
    throw Error(fmt::format("shape {} {}", SizesToString(sizes), *problem));
  }
  std::copy(sizes.begin(), sizes.end(), sizes_.begin());
  element_count_ = std::find(sizes.begin(), sizes.end(), 0) == sizes.end() ? 1 : 0;
  if (element_count_ == 0) return;
  for (const int64_t size : sizes) element_count_ *= size;
}

Shape::Shape(std::initializer_list<int64_t> sizes)
    : Shape(std::span<const int64_t>(sizes.begin(), sizes.size())) {}

std::string Shape::ToString() const {
  return SizesToString(sizes());
}

std::string SizesToString(std::span<const int64_t> sizes) {
  return fmt::format("[{}]", fmt::join(sizes.begin(), sizes.end(), ", "));
}

}  // namespace calfvo
