// SPDX-License-Identifier: Apache-2.0
#include "speed/window_dump.h"

#include <vector>

#include "speed/noise_pictures.h"
#include "weights/safetensors_writer.h"

namespace calfvo {

void DumpWindow(Network& network, const Backend& backend, const std::filesystem::path& path) {
  const ModelConfig& config = network.config();
  const auto frames = static_cast<size_t>(config.window);
  const size_t picture = size_t{3} * static_cast<size_t>(config.input.size * config.input.size);
  const std::vector<float> pictures = NoisePictures(frames, picture, 2);

  std::vector<FrameTokens> tokens;
  for (size_t i = 0; i < frames; ++i) tokens.push_back(network.MakeTokens());
  std::vector<FrameImages> images;
  std::vector<FrameTokens*> encoded;
  std::vector<const FrameTokens*> window;
  for (size_t i = 0; i < frames; ++i) {
    images.push_back({&pictures[(i == 0 ? 0 : i - 1) * picture], &pictures[i * picture]});
    encoded.push_back(&tokens[i]);
    window.push_back(&tokens[i]);
  }
  network.Encode(images, encoded);
  std::vector<float> values(static_cast<size_t>(network.values_per_window()));
  network.Decode(window, values);

  const NamedTensor tensors[] = {
      {"images", {pictures.data(), DType::kF32, {config.window, 3, config.input.size, config.input.size}}},
      {"values", {values.data(), DType::kF32, {config.window - 1, config.head.values_per_pair()}}}};
  WriteSafetensors(path, tensors, {{"backend", backend.Description()}});
}

}  // namespace calfvo
