// SPDX-License-Identifier: Apache-2.0
// Pictures of any size to the network's square input.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "plot/png.h"
#include "weights/model_config.h"

namespace calfvo {

// Resizes and crops as the model's configuration says, to the integer as Pillow does, and normalises
// (docs/network.md, "Input"). Keeps its tables for the size it saw last; allocates only when the size
// changes, and memory does not grow with the picture's area. Not thread-safe.
class Preprocessor {
 public:
  explicit Preprocessor(const InputConfig& config);
  ~Preprocessor();

  // `picture` is RGB, 1×1 to 65535×65535; `out` [3, size, size] receives (value / 255 − mean) / std. Throws
  // Error for pictures and outputs of other sizes.
  void Run(const ImageView& picture, std::span<float> out);

  // The same without normalising: `out` [size, size, 3] receives the bytes, as training wants them.
  void Resize(const ImageView& picture, std::span<uint8_t> out);

 private:
  struct State;
  const InputConfig config_;
  std::unique_ptr<State> state_;
};

}  // namespace calfvo
