// SPDX-License-Identifier: Apache-2.0
// JPEG files for tests. Included by *_test.cc files only.
#pragma once

#include <cstdio>  // jpeglib.h needs it
#include <cstdlib>
#include <string>

#include <jpeglib.h>

#include "core/image/frame.h"

namespace calfvo {

// As good as JPEG gets: smooth images come back within a few grey levels.
inline std::string EncodeJpeg(const Frame& image) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = static_cast<JDIMENSION>(image.width);
  jpeg.image_height = static_cast<JDIMENSION>(image.height);
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  jpeg.comp_info[0].h_samp_factor = 1;
  jpeg.comp_info[0].v_samp_factor = 1;
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(image.rgb.data()) + size_t{3} * jpeg.next_scanline * jpeg.image_width;
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::string encoded(reinterpret_cast<const char*>(bytes), size);
  std::free(bytes);
  return encoded;
}

}  // namespace calfvo
