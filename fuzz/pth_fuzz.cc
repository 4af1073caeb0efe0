// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to the PyTorch reader: as a whole file if they begin like a zip archive, else as the pickle of
// an otherwise sound archive, which a mutator would hardly ever keep sound.
#include "nn/weights/pth.h"

#include "nn/weights/test_files.h"
#include "weights_fuzz.h"

namespace {

// The reader must not care whether checksums are compared, except for refusing some files.
void Read(std::span<const std::byte> bytes, bool check_crc32) {
  try {
    calfvo::CheckWeights(calfvo::PthFile(bytes, "fuzz", {.check_crc32 = check_crc32}));
  } catch (const calfvo::Error& error) {
    calfvo::CheckMessage(error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with("PK")) {
    Read(std::as_bytes(std::span(data, size)), false);
    Read(std::as_bytes(std::span(data, size)), true);
  } else {
    const std::string file = calfvo::TestPth(std::string(text));
    Read(calfvo::AsBytes(file), true);
  }
  return 0;
}
