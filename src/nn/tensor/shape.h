// SPDX-License-Identifier: Apache-2.0
// The sizes of a tensor along its dimensions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

namespace calfvo {

// Up to kMaxRank sizes, none negative, held in place. The product of the sizes other than zero fits int64, so
// that neither the count of elements nor any row-major stride can overflow. Rank 0 is one element.
class Shape {
 public:
  static constexpr size_t kMaxRank = 8;

  Shape() = default;

  // Both throw Error for what Check does not accept.
  Shape(std::initializer_list<int64_t> sizes);
  explicit Shape(std::span<const int64_t> sizes);

  // What is wrong with `sizes` ("has a size of -1"), or nothing if they make a Shape. For readers of files,
  // which put the name of the file and of the tensor before it.
  static std::optional<std::string> Check(std::span<const int64_t> sizes);

  size_t rank() const { return rank_; }
  int64_t operator[](size_t dimension) const { return sizes_[dimension]; }
  std::span<const int64_t> sizes() const { return {sizes_.data(), rank_}; }
  int64_t element_count() const { return element_count_; }

  // Unused sizes are zero, so comparing all of them compares the used ones.
  bool operator==(const Shape& other) const = default;

  // "[2, 3]", and "[]" for rank 0.
  std::string ToString() const;

 private:
  std::array<int64_t, kMaxRank> sizes_ = {};
  size_t rank_ = 0;
  int64_t element_count_ = 1;
};

// "[2, 3]" for any number of sizes.
std::string SizesToString(std::span<const int64_t> sizes);

}  // namespace calfvo
