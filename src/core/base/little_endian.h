// SPDX-License-Identifier: Apache-2.0
// Numbers as little-endian bytes, for binary files.
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <type_traits>

namespace calfvo {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

// `Number` is stated by the caller, so that no conversion changes the layout of a file.
template <typename Number>
void AppendLittleEndian(std::type_identity_t<Number> value, std::string* bytes) {
  static_assert(std::is_arithmetic_v<Number>);
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename Number>
Number ReadLittleEndian(const char* bytes) {
  static_assert(std::is_arithmetic_v<Number>);
  Number value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

}  // namespace calfvo
