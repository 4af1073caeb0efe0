// SPDX-License-Identifier: Apache-2.0
// The network on the GPU, calibrated, at sizes that its fast kernels are for. Skipped without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "nn/backend/cuda/cuda_backend.h"
#include "nn/backend/op_cases.h"
#include "vo/calibration_images.h"
#include "vo/network_estimator.h"

namespace calfvo {
namespace {

// Raw outputs of all windows of consecutive images, with so many frames, then windows, at once.
std::vector<float> RawOutputs(const ModelFile& model, const BackendKind& kind,
                              const std::vector<float>& images, size_t batch) {
  NetworkEstimator estimator(model, kind, /*threads=*/2);
  Network& network = estimator.network();
  const size_t count = images.size() / estimator.input_size();
  std::vector<EncoderInput> frames;
  std::vector<FrameTokens> tokens;
  for (size_t i = 0; i < count; ++i) {
    frames.push_back(
        {&images[(i > 0 ? i - 1 : 0) * estimator.input_size()], &images[i * estimator.input_size()]});
    tokens.push_back(network.MakeTokens());
  }
  for (size_t first = 0; first < count; first += batch) {
    const size_t now = std::min(batch, count - first);
    std::vector<FrameTokens*> out;
    for (size_t i = first; i < first + now; ++i) out.push_back(&tokens[i]);
    network.Encode(std::span(frames).subspan(first, now), out);
  }
  const auto window = static_cast<size_t>(estimator.window());
  const auto per_window = static_cast<size_t>(network.values_per_window());
  const size_t windows = count - window + 1;
  std::vector<float> values(windows * per_window);
  for (size_t first = 0; first < windows; first += batch) {
    const size_t now = std::min(batch, windows - first);
    std::vector<const FrameTokens*> in;
    for (size_t w = first; w < first + now; ++w) {
      for (size_t k = 0; k < window; ++k) in.push_back(&tokens[w + k]);
    }
    network.Decode(in, std::span(values).subspan(first * per_window, now * per_window));
  }
  return values;
}

TEST(CudaEstimator, SameBitsForBatchesOf1And48AtWidth1024) {
  if (const std::string problem = CudaProblem(); !problem.empty()) GTEST_SKIP() << problem;
  ModelConfig config = NamedConfig("calfvo-l");
  config.encoder.depth = 1;
  config.decoder.depth = 1;
  const ModelFile model = RandomModel(config, 5);
  const std::vector<float> images = CalibrationImages(config.input, 48 + config.window - 1);
  for (const BackendKind& kind : AvailableBackends()) {
    if (kind.name != "cuda") continue;
    const std::vector<float> one = RawOutputs(model, kind, images, 1);
    const std::vector<float> many = RawOutputs(model, kind, images, 48);
    EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(float)), 0)
        << PrecisionName(kind.precision) << ": they differ by " << RelativeError(many, one);
  }
}

TEST(CudaEstimator, CalibratedFp8IsNearF32) {
  if (const std::string problem = CudaProblem(); !problem.empty()) GTEST_SKIP() << problem;
  if (!CudaHasFp8()) GTEST_SKIP() << "this GPU has no fp8";
  const ModelConfig config = NamedConfig("calfvo-s");
  const ModelFile model = RandomModel(config, 5);
  // Calibration has seen the first half of these.
  std::vector<float> images = CalibrationImages(config.input, 2 * config.window);
  images.erase(images.begin(), images.begin() + std::ssize(images) / 2);
  const std::vector<float> f32 = RawOutputs(model, {"cpu", Precision::kF32}, images, 8);
  const std::vector<float> bf16 = RawOutputs(model, {"cuda", Precision::kBF16}, images, 8);
  const std::vector<float> fp8 = RawOutputs(model, {"cuda", Precision::kFP8}, images, 8);
  EXPECT_LE(RelativeError(bf16, f32), 5e-2);
  EXPECT_LE(RelativeError(fp8, f32), 0.2);
  EXPECT_GE(RelativeError(fp8, bf16), 1e-3) << "these are hardly 8 bits";
}

}  // namespace
}  // namespace calfvo
