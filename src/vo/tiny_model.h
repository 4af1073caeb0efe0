// SPDX-License-Identifier: Apache-2.0
// A network small enough for tests. Included by tests only.
#pragma once

#include "nn/architecture/model_config.h"

namespace calfvo {

inline ModelConfig TinyConfig() {
  ModelConfig config = NamedConfig("calfvo-s");
  config.name = "tiny";
  config.input.size = 32;
  config.encoder.channels = {8, 8, 16, 32};
  config.encoder.dim = 32;
  config.encoder.depth = 1;
  config.encoder.heads = 2;
  config.encoder.hidden = 64;
  config.decoder.dim = 32;
  config.decoder.depth = 2;
  config.decoder.heads = 2;
  config.decoder.hidden = 64;
  return config;
}

}  // namespace calfvo
