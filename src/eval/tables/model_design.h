// SPDX-License-Identifier: Apache-2.0
// What of a model the paper's ablations change.
#pragma once

#include "nn/architecture/model_config.h"

namespace calfvo {

struct ModelDesign {
  EncoderKind encoder = EncoderKind::kCroco;
  DecoderKind attention = DecoderKind::kTimeSpace;
  RotationHead rotation = RotationHead::kProcrustes;
  bool confidence = true;

  bool operator==(const ModelDesign&) const = default;
};

inline ModelDesign DesignOf(const ModelConfig& config) {
  return {config.encoder.kind, config.decoder.kind, config.head.rotation, config.head.confidence};
}

}  // namespace calfvo
