// SPDX-License-Identifier: Apache-2.0
#include "core/base/quoted.h"

#include <fmt/format.h>

#include <cstdint>

namespace calfvo {
namespace {

struct Character {
  size_t bytes = 1;
  bool is_printable = false;
};

// Decodes the first character of `text`, which is not empty. Refuses what the Unicode standard calls
// ill-formed: bad continuation bytes, overlong forms, surrogates, and code points above U+10FFFF.
Character FirstCharacter(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {1, lead >= 0x20 && lead != 0x7F};
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  uint32_t code = lead & (0x7FU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  const bool is_overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  if (is_overlong || is_surrogate || code > 0x10FFFF) return {};
  const bool is_c1_control = code < 0xA0;
  return {bytes, !is_c1_control};
}

std::string Escaped(std::string_view text, std::string_view kept_controls) {
  std::string printable;
  printable.reserve(text.size());
  while (!text.empty()) {
    const Character first = FirstCharacter(text);
    const std::string_view bytes = text.substr(0, first.bytes);
    text.remove_prefix(first.bytes);
    if (first.is_printable || kept_controls.find(bytes) != std::string_view::npos) {
      printable += bytes;
    } else {
      for (const char c : bytes) printable += fmt::format("\\x{:02x}", static_cast<uint8_t>(c));
    }
  }
  return printable;
}

}  // namespace

std::string Printable(std::string_view text) {
  return Escaped(text, "");
}

std::string PrintableLines(std::string_view text) {
  return Escaped(text, "\n");
}

std::string Quoted(std::string_view text) {
  constexpr size_t kMaxBytes = 80;
  if (text.size() <= kMaxBytes) return fmt::format("'{}'", Printable(text));
  size_t end = kMaxBytes;  // not inside a character, unless the text is not UTF-8
  while (end > kMaxBytes - 4 && (static_cast<uint8_t>(text[end]) & 0xC0U) == 0x80) --end;
  return fmt::format("'{}…'", Printable(text.substr(0, end)));
}

}  // namespace calfvo
