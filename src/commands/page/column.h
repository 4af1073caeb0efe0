// SPDX-License-Identifier: Apache-2.0
// Numbers as base64 text, which the page reads as typed arrays.
#pragma once

#include <bit>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "eval/plot/html_page.h"

namespace calfvo {

static_assert(std::endian::native == std::endian::little, "columns are little endian");

template <typename T>
std::string Column(std::span<const T> values) {
  static_assert(std::is_arithmetic_v<T>);
  return Base64(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
}

}  // namespace calfvo
