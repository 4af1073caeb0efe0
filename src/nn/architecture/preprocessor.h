// SPDX-License-Identifier: Apache-2.0
// Images of any size to the network's square input.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "core/image/image_view.h"
#include "core/image/resize.h"
#include "nn/architecture/model_config.h"

namespace calfvo {

// How `image` is resized and cropped. Throws Error for sides outside 1 to 65535.
ResizePlan PlanInput(const InputConfig& config, const ImageView& image);

// [3, 256]: what each channel's bytes become, (value / 255 − mean) / std.
using NormalisedBytes = std::array<float, 3 * 256>;
NormalisedBytes NormaliseBytes(const InputConfig& config);

// Resizes and crops as configured, with exactly the integers of Pillow, and normalises
// (docs/network.md, "Input"). Keeps its tables for the size it saw last; allocates only when the size
// changes, and memory does not grow with the image's area. Not thread-safe.
class Preprocessor {
 public:
  explicit Preprocessor(const InputConfig& config);
  ~Preprocessor();

  // `image` as PlanInput takes it; `out` [3, size, size] receives NormaliseBytes' values. Throws Error for
  // images and outputs of other sizes.
  void Run(const ImageView& image, std::span<float> out);

  // The same without normalising: `out` [size, size, 3] receives the bytes, as training wants them.
  void Resize(const ImageView& image, std::span<uint8_t> out);

 private:
  struct State;
  const InputConfig config_;
  std::unique_ptr<State> state_;
};

}  // namespace calfvo
