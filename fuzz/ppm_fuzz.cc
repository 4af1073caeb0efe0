// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to the reader of PPM and PGM; what it accepts must have all its pixels.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "calfvo/error.h"
#include "core/image/image_decoder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  calfvo::Frame frame;
  try {
    calfvo::DecodeImage({reinterpret_cast<const char*>(data), size}, frame);
  } catch (const calfvo::Error&) {
    return 0;
  }
  const auto pixels = static_cast<size_t>(frame.width) * static_cast<size_t>(frame.height);
  if (pixels == 0 || frame.rgb.size() != 3 * pixels) {
    std::fprintf(stderr, "broken promise: an accepted image has all its pixels\n");
    std::abort();
  }
  return 0;
}
