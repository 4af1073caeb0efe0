// SPDX-License-Identifier: Apache-2.0
// Text that may be a file's name, and so need not be UTF-8.
#pragma once

#include <cstdint>
#include <string_view>

namespace calfvo {

inline constexpr uint32_t kReplacementCharacter = 0xFFFD;

// Takes one character off the front of `text`, which is not empty: its code point. Of what is no UTF-8
// (overlong forms, surrogates and numbers over 0x10FFFF included) it takes one byte and returns
// kReplacementCharacter.
uint32_t TakeCharacter(std::string_view& text);

}  // namespace calfvo
