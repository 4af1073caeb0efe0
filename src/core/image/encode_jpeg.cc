// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <jpeglib.h>
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it
#include <cstdlib>

#include "calfvo/error.h"
#include "core/image/jpeg.h"

namespace calfvo {
namespace {

// As in decode_jpeg.cc: libjpeg's callback must not return, and the jump must not skip a destructor.
struct EncodeErrors {
  jpeg_error_mgr callbacks;  // first, so that libjpeg's pointer is ours too
  std::jmp_buf target;
  char message[JMSG_LENGTH_MAX];
};

void OnEncodeError(j_common_ptr jpeg) {
  auto* errors = reinterpret_cast<EncodeErrors*>(jpeg->err);
  (*jpeg->err->format_message)(jpeg, errors->message);
  std::longjmp(errors->target, 1);
}

struct JpegWriter {
  jpeg_compress_struct jpeg{};
  EncodeErrors errors{};
  unsigned char* bytes = nullptr;  // libjpeg allocates it
  unsigned long size = 0;          // NOLINT(google-runtime-int): libjpeg's type

  JpegWriter() {
    jpeg.err = jpeg_std_error(&errors.callbacks);
    errors.callbacks.error_exit = OnEncodeError;
  }
  ~JpegWriter() {
    jpeg_destroy_compress(&jpeg);
    std::free(bytes);
  }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;
};

// Only trivial objects in this frame. False when libjpeg jumped.
bool WriteJpeg(JpegWriter* writer, const ImageView* image, int quality) {
  if (setjmp(writer->errors.target) != 0) return false;
  jpeg_compress_struct* jpeg = &writer->jpeg;
  jpeg_create_compress(jpeg);
  jpeg_mem_dest(jpeg, &writer->bytes, &writer->size);
  jpeg->image_width = static_cast<JDIMENSION>(image->width);
  jpeg->image_height = static_cast<JDIMENSION>(image->height);
  jpeg->input_components = 3;
  jpeg->in_color_space = JCS_RGB;
  jpeg_set_defaults(jpeg);
  jpeg_set_quality(jpeg, quality, TRUE);
  jpeg->optimize_coding = TRUE;
  jpeg_start_compress(jpeg, TRUE);
  while (jpeg->next_scanline < jpeg->image_height) {
    JSAMPROW row =
        const_cast<JSAMPROW>(image->pixels + static_cast<ptrdiff_t>(jpeg->next_scanline) * image->stride);
    jpeg_write_scanlines(jpeg, &row, 1);
  }
  jpeg_finish_compress(jpeg);
  return true;
}

}  // namespace

bool CanEncodeJpeg() {
  return true;
}

std::string EncodeJpeg(const ImageView& image, int quality) {
  if (image.format != PixelFormat::kRgb8 || image.width < 1 || image.height < 1 ||
      image.width > kMaxImageSide || image.height > kMaxImageSide) {
    throw Error(fmt::format("cannot write {}x{} px of {} as JPEG; expected RGB of at most {} px", image.width,
                            image.height, PixelFormatName(image.format), kMaxImageSide));
  }
  JpegWriter writer;
  if (!WriteJpeg(&writer, &image, quality)) {
    throw Error(fmt::format("cannot write a JPEG: {}", writer.errors.message));
  }
  return {reinterpret_cast<const char*>(writer.bytes), writer.size};
}

}  // namespace calfvo
