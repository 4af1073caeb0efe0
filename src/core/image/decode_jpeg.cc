// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <jerror.h>
#include <jpeglib.h>
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it

#include "calfvo/error.h"
#include "core/image/image_decoder.h"

namespace calfvo {
namespace {

// Progressive files have some ten. Each goes over the whole image again, however few bytes it takes: a
// small file of many could keep us busy for minutes.
constexpr int kMaxScans = 100;

// libjpeg reports errors by a callback that must not return: a long jump, which must not skip a destructor.
struct ErrorHandler {
  jpeg_error_mgr callbacks;  // first, so that libjpeg's pointer is ours too
  std::jmp_buf target;
  char message[JMSG_LENGTH_MAX];
  bool too_many_scans;
};

void OnError(j_common_ptr jpeg) {
  auto* handler = reinterpret_cast<ErrorHandler*>(jpeg->err);
  (*jpeg->err->format_message)(jpeg, handler->message);
  std::longjmp(handler->target, 1);
}

// Warnings below 0 report corrupt data, for which libjpeg would fill in pixels. Some are harmless.
void OnMessage(j_common_ptr jpeg, int level) {
  const int code = jpeg->err->msg_code;
  const bool harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR ||
                        code == JWRN_BOGUS_ICC;
  if (level < 0 && !harmless) OnError(jpeg);
}

void OnProgress(j_common_ptr jpeg) {
  if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= kMaxScans) return;
  auto* handler = reinterpret_cast<ErrorHandler*>(jpeg->err);
  handler->too_many_scans = true;
  std::longjmp(handler->target, 1);
}

struct JpegReader {
  jpeg_decompress_struct jpeg{};
  ErrorHandler handler{};
  jpeg_progress_mgr progress{};

  JpegReader() {
    jpeg.err = jpeg_std_error(&handler.callbacks);
    handler.callbacks.error_exit = OnError;
    handler.callbacks.emit_message = OnMessage;
    progress.progress_monitor = OnProgress;
  }
  ~JpegReader() { jpeg_destroy_decompress(&jpeg); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
};

// Only trivial objects in these frames. False when libjpeg jumped.
bool ReadHeader(JpegReader* reader, const uint8_t* bytes, size_t size) {
  if (setjmp(reader->handler.target) != 0) return false;
  jpeg_create_decompress(&reader->jpeg);
  reader->jpeg.progress = &reader->progress;
  jpeg_mem_src(&reader->jpeg, bytes, size);
  jpeg_read_header(&reader->jpeg, TRUE);
  return true;
}

bool ReadRows(JpegReader* reader, uint8_t* rgb) {
  if (setjmp(reader->handler.target) != 0) return false;
  jpeg_decompress_struct* jpeg = &reader->jpeg;
  jpeg->out_color_space = JCS_RGB;
  jpeg_start_decompress(jpeg);
  while (jpeg->output_scanline < jpeg->output_height) {
    JSAMPROW row = rgb + static_cast<size_t>(jpeg->output_scanline) * jpeg->output_width * 3;
    jpeg_read_scanlines(jpeg, &row, 1);
  }
  jpeg_finish_decompress(jpeg);
  return true;
}

// A Huffman code has at least one bit, and each block of each component at least one code: for its mean. What
// claims more blocks is refused before room is made for them. Arithmetic coding knows no such bound.
bool CanHold(size_t bytes, const jpeg_decompress_struct& jpeg) {
  if (jpeg.arith_code != FALSE) return true;
  uint64_t blocks = 0;
  for (int i = 0; i < jpeg.num_components; ++i) {
    blocks += uint64_t{jpeg.comp_info[i].width_in_blocks} * jpeg.comp_info[i].height_in_blocks;
  }
  return blocks <= 8 * uint64_t{bytes};
}

[[noreturn]] void Fail(const ErrorHandler& handler) {
  if (handler.too_many_scans) {
    throw Error(
        fmt::format("the JPEG has over {} scans, many more than images need; save it anew", kMaxScans));
  }
  throw Error(fmt::format("the JPEG is damaged: {}", handler.message));
}

}  // namespace

void DecodeJpeg(std::string_view bytes, Frame& frame) {
  JpegReader reader;
  if (!ReadHeader(&reader, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size())) {
    Fail(reader.handler);
  }
  if (reader.jpeg.jpeg_color_space == JCS_CMYK || reader.jpeg.jpeg_color_space == JCS_YCCK) {
    throw Error("CMYK JPEG is not supported; convert it to RGB");
  }
  CheckImageSize(reader.jpeg.image_width, reader.jpeg.image_height);
  if (!CanHold(bytes.size(), reader.jpeg)) {
    throw Error(fmt::format("the JPEG is damaged: its {} bytes cannot hold {}x{} px", bytes.size(),
                            reader.jpeg.image_width, reader.jpeg.image_height));
  }
  MakeRoomForImage(reader.jpeg.image_width, reader.jpeg.image_height, frame);
  if (!ReadRows(&reader, frame.rgb.data())) Fail(reader.handler);
}

}  // namespace calfvo
