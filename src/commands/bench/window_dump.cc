// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/window_dump.h"

#include <vector>

#include "commands/bench/noise_images.h"
#include "nn/weights/safetensors_writer.h"

namespace calfvo {

void DumpWindow(Network& network, const Backend& backend, const std::filesystem::path& path) {
  const ModelConfig& config = network.config();
  const auto frames = static_cast<size_t>(config.window);
  const size_t image = size_t{3} * static_cast<size_t>(config.input.size * config.input.size);
  const std::vector<float> images = NoiseImages(frames, image, 2);

  std::vector<FrameTokens> tokens;
  for (size_t i = 0; i < frames; ++i) tokens.push_back(network.MakeTokens());
  std::vector<EncoderInput> inputs;
  std::vector<FrameTokens*> encoded;
  std::vector<const FrameTokens*> window;
  for (size_t i = 0; i < frames; ++i) {
    inputs.push_back({&images[(i == 0 ? 0 : i - 1) * image], &images[i * image]});
    encoded.push_back(&tokens[i]);
    window.push_back(&tokens[i]);
  }
  network.Encode(inputs, encoded);
  std::vector<float> values(static_cast<size_t>(network.values_per_window()));
  network.Decode(window, values);

  const NamedTensor tensors[] = {
      {"images", {images.data(), DType::kF32, {config.window, 3, config.input.size, config.input.size}}},
      {"values", {values.data(), DType::kF32, {config.window - 1, config.head.values_per_pair()}}}};
  WriteSafetensors(path, tensors, {{"backend", backend.Description()}});
}

}  // namespace calfvo
