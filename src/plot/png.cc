// SPDX-License-Identifier: Apache-2.0
#include "plot/png.h"

#include <fmt/format.h>
#include <png.h>

#include <bit>
#include <csetjmp>
#include <cstring>
#include <exception>
#include <utility>

#include "base/atomic_file.h"
#include "calfvo/error.h"

namespace calfvo {
namespace {

// What the callbacks share with the encoder. libpng reports errors by a long jump, which must not skip a
// destructor: everything with one lives in EncodeRows, above the frame that calls setjmp.
struct Sink {
  std::string bytes;
  char message[128] = "out of memory";
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
  auto* sink = static_cast<Sink*>(png_get_error_ptr(png));
  std::strncpy(sink->message, message, sizeof(sink->message) - 1);
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
      : png(png_create_write_struct(PNG_LIBPNG_VER_STRING, sink, OnError, OnWarning)) {
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

}  // namespace

std::string EncodePng(const ImageView& image) {
  CheckSize(image.width, image.height);
  int color_type = PNG_COLOR_TYPE_GRAY;
  if (image.channels == 3) {
    color_type = PNG_COLOR_TYPE_RGB;
  } else if (image.channels == 4) {
    color_type = PNG_COLOR_TYPE_RGB_ALPHA;
  } else if (image.channels != 1) {
    throw Error(fmt::format("cannot encode a PNG of {} channels: 1, 3 or 4 expected", image.channels));
  }
  if (image.pixels == nullptr || image.stride < static_cast<ptrdiff_t>(image.width) * image.channels) {
    throw Error(fmt::format("cannot encode a PNG of {}x{} px with {} channels from rows of {} bytes",
                            image.width, image.height, image.channels, image.stride));
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

}  // namespace calfvo
