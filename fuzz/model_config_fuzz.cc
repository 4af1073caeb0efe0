// SPDX-License-Identifier: Apache-2.0
// Feeds text to the reader of model configurations. What it accepts must be valid, name a finite list of
// tensors, and survive being written and read again.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "calfvo/error.h"
#include "nn/architecture/model_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  calfvo::ModelConfig config;
  try {
    config = calfvo::ParseModelConfig(text, "fuzz");
  } catch (const calfvo::Error&) {
    return 0;
  }
  const std::string json = calfvo::ModelConfigJson(config);
  const bool survives = calfvo::ModelConfigJson(calfvo::ParseModelConfig(json, "again")) == json;
  const bool counts = calfvo::ParameterCount(calfvo::ModelTensors(config)) > 0;
  if (!survives || !counts) {
    std::fprintf(stderr, "broken promise: an accepted configuration survives and counts\n");
    std::abort();
  }
  return 0;
}
