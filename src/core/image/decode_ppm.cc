// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cctype>

#include "calfvo/error.h"
#include "core/image/image_decoder.h"

namespace calfvo {
namespace {

// The next number of the header; comments run from # to the end of the line.
uint64_t TakeNumber(std::string_view* rest) {
  bool in_comment = false;
  size_t at = 0;
  const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  for (; at < rest->size(); ++at) {
    const char c = (*rest)[at];
    if (c == '#') in_comment = true;
    if (!in_comment && !is_blank(c)) break;
    if (c == '\n') in_comment = false;
  }
  uint64_t value = 0;
  const size_t first = at;
  for (; at < rest->size() && (*rest)[at] >= '0' && (*rest)[at] <= '9'; ++at) {
    value = 10 * value + static_cast<uint64_t>((*rest)[at] - '0');
    if (value > 1'000'000'000) throw Error("a number in the PPM header is over 1000000000");
  }
  if (at == first || at == rest->size() || !(is_blank((*rest)[at]) || (*rest)[at] == '#')) {
    throw Error("the PPM header is not 'P5 or P6, width, height, highest value'");
  }
  rest->remove_prefix(at);
  return value;
}

}  // namespace

void DecodePpm(std::string_view bytes, Frame& frame) {
  const size_t channels = bytes[1] == '6' ? 3 : 1;
  std::string_view rest = bytes.substr(2);
  const uint64_t width = TakeNumber(&rest);
  const uint64_t height = TakeNumber(&rest);
  const uint64_t highest = TakeNumber(&rest);
  rest.remove_prefix(1);  // one blank ends the header
  if (highest < 1 || highest > 65535) {
    throw Error(fmt::format("the PPM header's highest value is {}; expected 1 to 65535", highest));
  }
  const size_t value_size = highest > 255 ? 2 : 1;
  const uint64_t expected = width * height * channels * value_size;
  if (width <= UINT32_MAX && height <= UINT32_MAX && rest.size() < expected) {
    throw Error(
        fmt::format("the PPM ends after {} of {} bytes of {}x{} px", rest.size(), expected, width, height));
  }
  MakeRoomForImage(width, height, frame);
  const auto* from = reinterpret_cast<const uint8_t*>(rest.data());
  const auto value = [&](size_t i) {
    const uint64_t raw = value_size == 1 ? from[i] : uint64_t{from[2 * i]} << 8 | from[2 * i + 1];
    return static_cast<uint8_t>((std::min(raw, highest) * 255 + highest / 2) / highest);
  };
  for (size_t i = 0; i < frame.rgb.size(); ++i) frame.rgb[i] = value(channels == 3 ? i : i / 3);
}

}  // namespace calfvo
