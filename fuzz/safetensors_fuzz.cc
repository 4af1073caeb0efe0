// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to the safetensors reader; what it accepts must survive being written and read again.
#include "nn/weights/safetensors.h"

#include "weights_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    calfvo::CheckWeights(calfvo::SafetensorsFile(std::as_bytes(std::span(data, size)), "fuzz"));
  } catch (const calfvo::Error& error) {
    calfvo::CheckMessage(error);
  }
  return 0;
}
