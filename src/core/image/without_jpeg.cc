// SPDX-License-Identifier: Apache-2.0
// What stands in for decode_jpeg.cc and encode_jpeg.cc in a build without libjpeg.
#include "calfvo/error.h"
#include "core/image/image_decoder.h"
#include "core/image/jpeg.h"

namespace calfvo {

void DecodeJpeg(std::string_view, Frame&) {
  throw Error("this build has no libjpeg; convert the images to PNG");
}

bool CanEncodeJpeg() {
  return false;
}

std::string EncodeJpeg(const ImageView&, int) {
  throw Error("this build has no libjpeg and cannot write JPEG");
}

}  // namespace calfvo
