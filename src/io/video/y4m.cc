// SPDX-License-Identifier: Apache-2.0
#include "io/video/y4m.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "calfvo/error.h"
#include "core/base/quoted.h"
#include "core/image/image_view.h"

namespace calfvo {
namespace {

[[noreturn]] void Fail(const std::string& name, std::string_view field, std::string_view expected) {
  throw Error(fmt::format("{}: y4m header field {}; expected {}", name, Quoted(field), expected));
}

std::optional<int> ParsePositive(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return {};
  return value;
}

int ParseSide(std::string_view field, const std::string& name) {
  const auto side = ParsePositive(field.substr(1));
  if (!side || *side > kMaxImageSide) Fail(name, field, fmt::format("1 to {} px", kMaxImageSide));
  return *side;
}

struct Fraction {
  int numerator;
  int denominator;
};

// Of a field such as F30000:1001. Both are positive.
std::optional<Fraction> ParseFraction(std::string_view field) {
  const size_t colon = std::min(field.find(':'), field.size() - 1);
  const auto numerator = ParsePositive(field.substr(1, colon - 1));
  const auto denominator = ParsePositive(field.substr(colon + 1));
  if (!numerator || !denominator) return {};
  return Fraction{*numerator, *denominator};
}

FrameRate ParseRate(std::string_view field, const std::string& name) {
  if (field == "F0:0") return {};  // "not known"
  const auto rate = ParseFraction(field);
  constexpr int64_t kMaxHertz = 1'000'000;
  constexpr int64_t kMaxSeconds = 3600;
  if (!rate || rate->numerator > kMaxHertz * rate->denominator ||
      rate->denominator > kMaxSeconds * rate->numerator) {
    Fail(name, field, "a frame rate such as F30000:1001");
  }
  const int divisor = std::gcd(rate->numerator, rate->denominator);
  return {rate->numerator / divisor, rate->denominator / divisor};
}

double ParsePixelAspect(std::string_view field, const std::string& name) {
  if (field == "A0:0") return 1.0;  // "not known"
  const auto aspect = ParseFraction(field);
  const double width_over_height =
      aspect ? static_cast<double>(aspect->numerator) / aspect->denominator : 0.0;
  if (!IsPixelAspect(width_over_height)) {
    Fail(name, field, "a pixel's width : height such as A16:15, from A1:16 to A16:1");
  }
  return width_over_height;
}

void ParseChroma(std::string_view field, const std::string& name, Y4mHeader* header) {
  const std::string_view chroma = field.substr(1);
  if (chroma == "mono") {
    header->has_chroma = false;
  } else if (chroma == "422") {
    header->chroma_shift_y = 0;
  } else if (chroma == "444") {
    header->chroma_shift_x = header->chroma_shift_y = 0;
  } else if (chroma != "420" && chroma != "420jpeg" && chroma != "420mpeg2" && chroma != "420paldv") {
    Fail(name, field, "8-bit C420, C422, C444 or Cmono");
  }
}

uint8_t Clamped(int value) {
  return static_cast<uint8_t>(std::clamp(value, 0, 255));
}

// In 1/65536.
int Fixed(double value) {
  return static_cast<int>(std::lround(value * 65536.0));
}

// A known format other than y4m, by its first bytes; empty for others.
std::string_view OtherFormat(std::string_view bytes) {
  if (bytes.size() >= 8 && bytes.substr(4, 4) == "ftyp") return "an MP4 or MOV file";
  if (bytes.starts_with("\x1a\x45\xdf\xa3")) return "a Matroska or WebM file";
  if (bytes.starts_with("RIFF")) return "an AVI file";
  if (bytes.starts_with("\x89PNG") || bytes.starts_with("\xff\xd8\xff")) return "an image";
  return "";
}

}  // namespace

size_t Y4mHeader::ImageSize() const {
  const size_t luma = static_cast<size_t>(width) * static_cast<size_t>(height);
  if (!has_chroma) return luma;
  return luma + 2 * static_cast<size_t>(ChromaWidth()) * static_cast<size_t>(ChromaHeight());
}

Y4mHeader ParseY4mHeader(std::string_view line, const std::string& name) {
  constexpr std::string_view kMagic = "YUV4MPEG2";
  if (line.empty()) throw Error(name + ": is empty; expected y4m (did the producer exit early?)");
  if (const std::string_view other = OtherFormat(line); !other.empty()) {
    throw Error(
        fmt::format("{}: is {}; expected y4m. Run `calfvo run FILE`, or convert it: ffmpeg -i FILE -pix_fmt "
                    "yuv420p -f yuv4mpegpipe - | calfvo run -",
                    name, other));
  }
  if (line.size() >= kMaxY4mHeader) {
    throw Error(fmt::format("{}: its first line is longer than {} bytes; expected y4m", name, kMaxY4mHeader));
  }
  if (!line.starts_with(kMagic) || (line.size() > kMagic.size() && line[kMagic.size()] != ' ')) {
    throw Error(
        fmt::format("{}: begins with {}; expected y4m, which begins with 'YUV4MPEG2 '", name, Quoted(line)));
  }
  if (line.ends_with('\r')) {
    throw Error(name + ": the y4m header ends with CRLF; expected LF (was the stream written in text mode?)");
  }
  Y4mHeader header;
  std::string seen;  // the letters of the fields so far
  std::string_view rest = line.substr(kMagic.size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view field = rest.substr(0, rest.find(' '));
    rest.remove_prefix(field.size());
    if (field.empty()) continue;
    if (field[0] != 'X' && seen.find(field[0]) != std::string::npos) {
      Fail(name, field, fmt::format("only one field {}", Printable(field.substr(0, 1))));
    }
    seen += field[0];
    if (field.starts_with('W')) header.width = ParseSide(field, name);
    if (field.starts_with('H')) header.height = ParseSide(field, name);
    if (field.starts_with('F')) header.rate = ParseRate(field, name);
    if (field.starts_with('A')) header.pixel_aspect = ParsePixelAspect(field, name);
    if (field.starts_with('C')) ParseChroma(field, name, &header);
    if (field == "XCOLORRANGE=FULL") header.full_range = true;
  }
  if (header.width == 0 || header.height == 0) {
    throw Error(fmt::format("{}: y4m header {} has no width or no height", name, Quoted(line)));
  }
  return header;
}

void Y4mToRgb(const Y4mHeader& header, std::span<const uint8_t> planes, Frame& frame) {
  const int y_offset = header.full_range ? 0 : 16;
  const double luma_scale = header.full_range ? 1.0 : 255.0 / 219.0;
  const double chroma_scale = header.full_range ? 1.0 : 255.0 / 224.0;
  // BT.601: R = Y + 2 (1 − Kr) Cr, B = Y + 2 (1 − Kb) Cb, and G so that Kr R + Kg G + Kb B = Y.
  constexpr double kr = 0.299;
  constexpr double kb = 0.114;
  constexpr double kg = 1.0 - kr - kb;
  const int luma = Fixed(luma_scale);
  const int red_cr = Fixed(2.0 * (1.0 - kr) * chroma_scale);
  const int green_cr = Fixed(-2.0 * (1.0 - kr) * kr / kg * chroma_scale);
  const int green_cb = Fixed(-2.0 * (1.0 - kb) * kb / kg * chroma_scale);
  const int blue_cb = Fixed(2.0 * (1.0 - kb) * chroma_scale);

  frame.width = header.width;
  frame.height = header.height;
  frame.pixel_aspect = header.pixel_aspect;
  const auto width = static_cast<size_t>(header.width);
  const auto height = static_cast<size_t>(header.height);
  frame.rgb.resize(3 * width * height);
  const auto chroma_width = static_cast<size_t>(header.ChromaWidth());
  const size_t chroma_size = chroma_width * static_cast<size_t>(header.ChromaHeight());
  const uint8_t* const cb_plane = planes.data() + width * height;
  uint8_t* rgb = frame.rgb.data();
  for (size_t y = 0; y < height; ++y) {
    const uint8_t* y_row = planes.data() + y * width;
    const size_t chroma_row = (y >> header.chroma_shift_y) * chroma_width;
    for (size_t x = 0; x < width; ++x, rgb += 3) {
      const size_t chroma_at = chroma_row + (x >> header.chroma_shift_x);
      const int cb = header.has_chroma ? cb_plane[chroma_at] - 128 : 0;
      const int cr = header.has_chroma ? cb_plane[chroma_size + chroma_at] - 128 : 0;
      const int base = luma * (y_row[x] - y_offset) + (1 << 15);
      rgb[0] = Clamped((base + red_cr * cr) >> 16);
      rgb[1] = Clamped((base + green_cr * cr + green_cb * cb) >> 16);
      rgb[2] = Clamped((base + blue_cb * cb) >> 16);
    }
  }
}

}  // namespace calfvo
