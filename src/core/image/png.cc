// SPDX-License-Identifier: Apache-2.0
#include "core/image/png.h"

#include <fmt/format.h>
#include <png.h>

#include <bit>
#include <csetjmp>
#include <cstring>
#include <exception>
#include <utility>

#include "calfvo/error.h"
#include "core/base/atomic_file.h"
#include "core/image/image_decoder.h"

namespace calfvo {
namespace {

// libpng reports errors by a long jump, which must not skip a destructor: everything with one lives in
// EncodeRows and DecodePng, above the frames that call setjmp.
struct Failure {
  char message[128] = "out of memory";
};

// What the callbacks share with the encoder and the decoder.
struct Sink : Failure {
  std::string bytes;
};
struct Source : Failure {
  std::string_view rest;
};

struct Rows {
  int width;
  int height;
  int bit_depth;
  int color_type;
  const uint8_t* pixels;
  ptrdiff_t stride;
};

void OnError(png_structp png, png_const_charp message) {
  auto* failure = static_cast<Failure*>(png_get_error_ptr(png));
  std::strncpy(failure->message, message, sizeof(failure->message) - 1);
  png_longjmp(png, 1);
}

void OnWarning(png_structp, png_const_charp) {}

void OnWrite(png_structp png, png_bytep data, size_t size) {
  auto* sink = static_cast<Sink*>(png_get_io_ptr(png));
  bool stored = true;
  try {
    sink->bytes.append(reinterpret_cast<const char*>(data), size);
  } catch (const std::exception&) {
    stored = false;  // must not fly through C frames
  }
  if (!stored) png_error(png, "out of memory");
}

void OnFlush(png_structp) {}

// Only trivial objects in this frame. False when libpng jumped.
bool WriteRows(png_structp png, png_infop info, Sink* sink, const Rows* rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, sink, OnWrite, OnFlush);
  png_set_IHDR(png, info, static_cast<png_uint_32>(rows->width), static_cast<png_uint_32>(rows->height),
               rows->bit_depth, rows->color_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  // Files are big-endian.
  if (rows->bit_depth == 16 && std::endian::native == std::endian::little) png_set_swap(png);
  for (int y = 0; y < rows->height; ++y) png_write_row(png, rows->pixels + y * rows->stride);
  png_write_end(png, info);
  return true;
}

struct PngWriter {
  png_structp png = nullptr;
  png_infop info = nullptr;

  explicit PngWriter(Sink* sink)
      : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, static_cast<Failure*>(sink), OnError, OnWarning)) {
    if (png != nullptr) info = png_create_info_struct(png);
  }
  ~PngWriter() { png_destroy_write_struct(&png, &info); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;
};

std::string EncodeRows(const Rows& rows) {
  Sink sink;
  const PngWriter writer(&sink);
  if (writer.info == nullptr || !WriteRows(writer.png, writer.info, &sink, &rows)) {
    throw Error(fmt::format("cannot encode a PNG of {}x{} px: {}", rows.width, rows.height, sink.message));
  }
  return std::move(sink.bytes);
}

void CheckSize(int width, int height) {
  if (width <= 0 || height <= 0) {
    throw Error(fmt::format("cannot encode a PNG of {}x{} px: both sides must be positive", width, height));
  }
}

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
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, static_cast<Failure*>(source), OnError,
                                   OnWarning)) {
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

std::string EncodePng(const ImageView& image) {
  CheckSize(image.width, image.height);
  int color_type = PNG_COLOR_TYPE_GRAY;
  if (image.format == PixelFormat::kRgb8) {
    color_type = PNG_COLOR_TYPE_RGB;
  } else if (image.format == PixelFormat::kRgba8) {
    color_type = PNG_COLOR_TYPE_RGB_ALPHA;
  } else if (image.format != PixelFormat::kGray8) {
    throw Error(fmt::format("cannot encode a PNG of {} pixels: gray8, rgb8 or rgba8 expected",
                            PixelFormatName(image.format)));
  }
  if (image.pixels == nullptr || image.stride < RowBytes(image.format, image.width)) {
    throw Error(fmt::format("cannot encode a PNG of {}x{} {} px from rows of {} bytes", image.width,
                            image.height, PixelFormatName(image.format), image.stride));
  }
  return EncodeRows({image.width, image.height, 8, color_type, image.pixels, image.stride});
}

std::string EncodePng16(int width, int height, std::span<const uint16_t> pixels) {
  CheckSize(width, height);
  if (pixels.size() != static_cast<size_t>(width) * static_cast<size_t>(height)) {
    throw Error(fmt::format("cannot encode a PNG of {}x{} px from {} values", width, height, pixels.size()));
  }
  return EncodeRows({width, height, 16, PNG_COLOR_TYPE_GRAY, reinterpret_cast<const uint8_t*>(pixels.data()),
                     static_cast<ptrdiff_t>(width) * 2});
}

void WritePng(const std::filesystem::path& path, const ImageView& image) {
  WriteFileAtomically(path, EncodePng(image));
}

void WritePng16(const std::filesystem::path& path, int width, int height, std::span<const uint16_t> pixels) {
  WriteFileAtomically(path, EncodePng16(width, height, pixels));
}

void DecodePng(std::string_view bytes, Frame& frame) {
  Source source;
  source.rest = bytes;
  const PngReader reader(&source);
  if (!ReadHeader(reader.png, reader.info, &source)) {
    throw Error(fmt::format("the PNG is damaged: {}", source.message));
  }
  const size_t width = png_get_image_width(reader.png, reader.info);
  const size_t height = png_get_image_height(reader.png, reader.info);
  CheckImageSize(width, height);
  if (!CanHold(bytes.size(), png_get_rowbytes(reader.png, reader.info), height)) {
    throw Error(
        fmt::format("the PNG is damaged: its {} bytes cannot hold {}x{} px", bytes.size(), width, height));
  }
  MakeRoomForImage(width, height, frame);
  if (!ReadRows(reader.png, reader.info, frame.rgb.data(), frame.width, frame.height)) {
    throw Error(fmt::format("the PNG is damaged: {}", source.message));
  }
}

}  // namespace calfvo
