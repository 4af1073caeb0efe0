// SPDX-License-Identifier: Apache-2.0
// Encoders out of other projects' checkpoints: DUSt3R, MASt3R and CroCo; DINOv2 and DINOv3 as Meta or Hugging
// Face name them; VGGT-Ω's DINOv3.
#pragma once

#include <cstdint>
#include <string>

#include "nn/architecture/model_file.h"
#include "nn/weights/weight_source.h"

namespace calfvo {

struct CheckpointOptions {
  std::string name = "calfvo-l";
  // Only DINOv3's weights determine the number of heads; 0 takes heads of 64 elements, which all of these
  // encoders have.
  int heads = 0;
  DecoderConfig decoder = NamedConfig("calfvo-l").decoder;
  uint64_t seed = 0;  // of the decoder's random weights
};

// A model with the checkpoint's encoder and, as no checkpoint has one, a decoder of random weights, to be
// trained. Tensors that do not belong to the encoder are ignored; missing or misshapen ones throw Error
// naming them, and so do encoders of another architecture: CroCo v1 (absolute positions), SwiGLU networks.
ModelFile ModelFromCheckpoint(const WeightSource& checkpoint, const CheckpointOptions& options);

}  // namespace calfvo
