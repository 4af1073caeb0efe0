// SPDX-License-Identifier: Apache-2.0
// Pictures of any size to the network's square input.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "base/image_view.h"
#include "frames/resize.h"
#include "weights/model_config.h"

namespace calfvo {

// How `picture` is resized and cropped. Throws Error for what is not RGB of 1×1 to 65535×65535 pixels.
ResizePlan PlanInput(const InputConfig& config, const ImageView& picture);

// [3, 256]: what each channel's bytes become, (value / 255 − mean) / std.
using NormalisedBytes = std::array<float, 3 * 256>;
NormalisedBytes NormaliseBytes(const InputConfig& config);

// Resizes and crops as the model's configuration says, to the integer as Pillow does, and normalises
// (docs/network.md, "Input"). Keeps its tables for the size it saw last; allocates only when the size
// changes, and memory does not grow with the picture's area. Not thread-safe.
class Preprocessor {
 public:
  explicit Preprocessor(const InputConfig& config);
  ~Preprocessor();

  // `picture` as PlanInput takes it; `out` [3, size, size] receives NormaliseBytes' values. Throws Error for
  // pictures and outputs of other sizes.
  void Run(const ImageView& picture, std::span<float> out);

  // The same without normalising: `out` [size, size, 3] receives the bytes, as training wants them.
  void Resize(const ImageView& picture, std::span<uint8_t> out);

 private:
  struct State;
  const InputConfig config_;
  std::unique_ptr<State> state_;
};

}  // namespace calfvo
