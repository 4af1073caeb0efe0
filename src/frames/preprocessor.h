// SPDX-License-Identifier: Apache-2.0
// Pictures of any size to the network's square input.
#pragma once

#include <memory>
#include <span>

#include "plot/png.h"
#include "weights/model_config.h"

namespace calfvo {

// Resizes and crops as the model's configuration says, to the integer as Pillow does, and normalises. Keeps
// its tables for the size it saw last; allocates only when the size changes. Not thread-safe.
class Preprocessor {
 public:
  explicit Preprocessor(const InputConfig& config);
  ~Preprocessor();

  // `picture` is RGB of any size from 1×1; `out` [3, size, size] receives (value / 255 − mean) / std.
  void Run(const ImageView& picture, std::span<float> out);

 private:
  struct State;
  const InputConfig config_;
  std::unique_ptr<State> state_;
};

}  // namespace calfvo
