// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <exception>

#include "calfvo/error.h"
#include "frames/image_decoder.h"

namespace calfvo {
namespace {

// What the callbacks share with the decoder. libpng reports errors by a long jump, which must not skip a
// destructor: everything with one lives in DecodePng, above the frames that call setjmp.
struct Source {
  std::string_view rest;
  char message[128] = "out of memory";
};

void OnError(png_structp png, png_const_charp message) {
  auto* source = static_cast<Source*>(png_get_error_ptr(png));
  std::strncpy(source->message, message, sizeof(source->message) - 1);
  png_longjmp(png, 1);
}

void OnWarning(png_structp, png_const_charp) {}

void OnRead(png_structp png, png_bytep to, size_t size) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (size > source->rest.size()) png_error(png, "the file ends early");
  std::memcpy(to, source->rest.data(), size);
  source->rest.remove_prefix(size);
}

struct PngReader {
  png_structp png = nullptr;
  png_infop info = nullptr;

  explicit PngReader(Source* source)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, source, OnError, OnWarning)) {
    if (png != nullptr) info = png_create_info_struct(png);
    if (info == nullptr) throw std::bad_alloc();
  }
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
};

// Only trivial objects in these frames. False when libpng jumped.
bool ReadHeader(png_structp png, png_infop info, Source* source) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_read_fn(png, source, OnRead);
  // The size is refused later, with a better message.
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_WARN_DISCARD);
  png_read_info(png, info);
  return true;
}

bool ReadRows(png_structp png, png_infop info, uint8_t* rgb, int width, int height) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_expand(png);  // palettes, and fewer than 8 bits
  png_set_scale_16(png);
  png_set_strip_alpha(png);
  png_set_gray_to_rgb(png);
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  const size_t row = size_t{3} * static_cast<size_t>(width);
  if (png_get_rowbytes(png, info) != row) png_error(png, "its pixels cannot be turned into RGB");
  for (int pass = 0; pass < passes; ++pass) {
    for (int y = 0; y < height; ++y) png_read_row(png, rgb + static_cast<size_t>(y) * row, nullptr);
  }
  png_read_end(png, nullptr);
  return true;
}

// Deflate writes at most 258 bytes for two bits. What claims more is refused before room is made for it.
bool CanHold(size_t bytes, size_t row_bytes, size_t rows) {
  constexpr size_t kMostPerByte = 1032;
  return rows <= kMostPerByte * bytes / row_bytes;
}

}  // namespace

void DecodePng(std::string_view bytes, Frame& frame) {
  Source source{bytes};
  const PngReader reader(&source);
  if (!ReadHeader(reader.png, reader.info, &source)) {
    throw Error(fmt::format("the PNG is damaged: {}", source.message));
  }
  const size_t width = png_get_image_width(reader.png, reader.info);
  const size_t height = png_get_image_height(reader.png, reader.info);
  CheckPictureSize(width, height);
  if (!CanHold(bytes.size(), png_get_rowbytes(reader.png, reader.info), height)) {
    throw Error(
        fmt::format("the PNG is damaged: its {} bytes cannot hold {}x{} px", bytes.size(), width, height));
  }
  MakeRoomForPicture(width, height, frame);
  if (!ReadRows(reader.png, reader.info, frame.rgb.data(), frame.width, frame.height)) {
    throw Error(fmt::format("the PNG is damaged: {}", source.message));
  }
}

}  // namespace calfvo
