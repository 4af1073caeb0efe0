// SPDX-License-Identifier: Apache-2.0
// What stands in for decode_jpeg.cc in a build without libjpeg.
#include "calfvo/error.h"
#include "frames/image_decoder.h"

namespace calfvo {

void DecodeJpeg(std::string_view, Frame&) {
  throw Error("this build has no libjpeg; convert the images to PNG");
}

}  // namespace calfvo
