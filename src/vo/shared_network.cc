// SPDX-License-Identifier: Apache-2.0
#include "vo/shared_network.h"

#include "vo/calibration_images.h"

namespace calfvo {

SharedNetwork::SharedNetwork(const ModelFile& model, const BackendKind& kind, int threads)
    : backend(MakeBackend(kind, threads)), network(model.config, *model.weights, *backend) {
  if (!backend->BeginCalibration()) return;
  Calibrate();
  backend->EndCalibration();
}

void SharedNetwork::Calibrate() {
  const InputConfig& input = network.config().input;
  const auto frames = static_cast<size_t>(network.config().window);
  const std::vector<float> images = CalibrationImages(input, network.config().window);
  const size_t image_size = images.size() / frames;
  std::vector<EncoderInput> inputs;
  std::vector<FrameTokens> tokens;
  std::vector<FrameTokens*> encoded;
  std::vector<const FrameTokens*> window;
  tokens.reserve(frames);
  for (size_t i = 0; i < frames; ++i) {
    inputs.push_back({&images[(i == 0 ? 0 : i - 1) * image_size], &images[i * image_size]});
    tokens.push_back(network.MakeTokens());
    encoded.push_back(&tokens.back());
    window.push_back(&tokens.back());
  }
  network.Encode(inputs, encoded);
  std::vector<float> values(static_cast<size_t>(network.values_per_window()));
  network.Decode(window, values);  // the estimates of noise are not needed
  backend->Synchronize();
}

void SharedNetwork::Collect() {
  if (expected_ == nullptr) return;
  network.FinishDecode(*expected_);
  expected_ = nullptr;
}

void SharedNetwork::Abandon(const std::vector<float>& values) noexcept {
  if (!Expects(values)) return;
  try {
    Collect();
  } catch (...) {
    expected_ = nullptr;  // a device that has failed writes nothing more
  }
}

}  // namespace calfvo
