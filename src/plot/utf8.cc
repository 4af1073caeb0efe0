// SPDX-License-Identifier: Apache-2.0
#include "plot/utf8.h"

namespace calfvo {

uint32_t TakeCharacter(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[i])); };
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // that needs so many bytes
  const uint32_t lead = byte(0);
  const size_t length = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  uint32_t code = length == 1 ? lead : lead & (0xFFU >> (length + 1));
  bool is_valid = length > 0 && length <= text.size() && lead < 0xF8;
  for (size_t i = 1; is_valid && i < length; ++i) {
    is_valid = (byte(i) & 0xC0) == 0x80;
    code = (code << 6) | (byte(i) & 0x3F);
  }
  is_valid = is_valid && code >= kLeast[length] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  text.remove_prefix(is_valid ? length : 1);
  return is_valid ? code : kReplacementCharacter;
}

}  // namespace calfvo
