// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <jerror.h>
#include <jpeglib.h>
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it

#include "calfvo/error.h"
#include "frames/image_decoder.h"

namespace calfvo {
namespace {

// libjpeg reports errors by a callback that must not return: a long jump, which must not skip a destructor.
struct ErrorHandler {
  jpeg_error_mgr callbacks;  // first, so that libjpeg's pointer is ours too
  std::jmp_buf target;
  char message[JMSG_LENGTH_MAX];
};

void OnError(j_common_ptr jpeg) {
  auto* handler = reinterpret_cast<ErrorHandler*>(jpeg->err);
  (*jpeg->err->format_message)(jpeg, handler->message);
  std::longjmp(handler->target, 1);
}

// Warnings below 0 tell of corrupt data, for which libjpeg would invent pixels. Some are harmless.
void OnMessage(j_common_ptr jpeg, int level) {
  const int code = jpeg->err->msg_code;
  const bool harmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_ADOBE_XFORM || code == JWRN_JFIF_MAJOR ||
                        code == JWRN_BOGUS_ICC;
  if (level < 0 && !harmless) OnError(jpeg);
}

struct JpegReader {
  jpeg_decompress_struct jpeg{};
  ErrorHandler handler{};

  JpegReader() {
    jpeg.err = jpeg_std_error(&handler.callbacks);
    handler.callbacks.error_exit = OnError;
    handler.callbacks.emit_message = OnMessage;
  }
  ~JpegReader() { jpeg_destroy_decompress(&jpeg); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
};

// Only trivial objects in these frames. False when libjpeg jumped.
bool ReadHeader(JpegReader* reader, const uint8_t* bytes, size_t size) {
  if (setjmp(reader->handler.target) != 0) return false;
  jpeg_create_decompress(&reader->jpeg);
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

}  // namespace

void DecodeJpeg(std::string_view bytes, Frame& frame) {
  JpegReader reader;
  if (!ReadHeader(&reader, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size())) {
    throw Error(fmt::format("the JPEG is damaged: {}", reader.handler.message));
  }
  MakeRoomForPicture(reader.jpeg.image_width, reader.jpeg.image_height, frame);
  if (!ReadRows(&reader, frame.rgb.data())) {
    throw Error(fmt::format("the JPEG is damaged: {}", reader.handler.message));
  }
}

}  // namespace calfvo
