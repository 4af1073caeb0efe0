// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to the reader of MP4 boxes.
#include "io/video/iso_media.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const bool misses_index =
      calfvo::EndsBeforeIndex(calfvo::MemoryFile({reinterpret_cast<const char*>(data), size}));
  calfvo::Check(!misses_index || size >= 8, "only files that begin like an MP4 file miss an index");
  return 0;
}
