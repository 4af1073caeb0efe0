// SPDX-License-Identifier: Apache-2.0
// The network on every backend against goldens of an independent NumPy implementation of docs/network.md in
// float64, with the same weights (tests/golden).
#include "nn/model/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/base/testing.h"
#include "nn/architecture/model_file.h"
#include "nn/backend/backends.h"
#include "nn/backend/cpu/cpu_backend.h"
#include "nn/backend/cpu/tested_kernels.h"
#include "nn/weights/weight_source.h"

namespace calfvo {
namespace {

constexpr const char* kCases[] = {
    "croco",         "croco_full", "dinov2_offset",       "dinov2_antialias",
    "dinov2_native", "dinov3",     "dinov3_no_registers", "dinov2_antialias_grow",
    "pair",          "pair_full",  "pair_aspect"};

class Golden : public testing::TestWithParam<const char*> {};

// Largest difference, relative to the largest expected value (at least 1).
double RelativeError(std::span<const float> ours, std::span<const double> expected) {
  EXPECT_EQ(ours.size(), expected.size());
  double most = 1.0;
  double error = 0.0;
  for (size_t i = 0; i < expected.size(); ++i) {
    most = std::max(most, std::abs(expected[i]));
    error = std::max(error, std::abs(static_cast<double>(ours[i]) - expected[i]));
  }
  return error / most;
}

void CheckGolden(const std::string& name, Backend& backend, double bound) {
  SCOPED_TRACE(name + " on " + backend.Description());
  const std::filesystem::path folder = CALFVO_GOLDENS;
  const ModelFile model = LoadModelFile(folder / (name + ".model.safetensors"));
  const auto golden = OpenWeights(folder / (name + ".expected.safetensors"));
  const ModelConfig& config = model.config;
  Network network(config, *model.weights, backend);
  if (config.input.aspect) network.SetAspect(golden->Get("width_over_height").Data<double>()[0]);

  const auto images = golden->Get("images").Data<float>();
  const auto frame_count = static_cast<size_t>(golden->Get("images").shape()[0]);
  const size_t image_size = images.size() / frame_count;
  std::vector<EncoderInput> frames;
  std::vector<FrameTokens> tokens;
  for (size_t i = 0; i < frame_count; ++i) {
    frames.push_back({&images[(i > 0 ? i - 1 : 0) * image_size], &images[i * image_size]});
    tokens.push_back(network.MakeTokens());
  }
  std::vector<FrameTokens*> out;
  for (FrameTokens& frame : tokens) out.push_back(&frame);
  network.Encode(frames, out);

  const auto expected_tokens = golden->Get("tokens").Data<double>();
  if (config.encoder.dim == config.decoder.dim) {  // else they have been projected already
    for (size_t i = 0; i < frame_count; ++i) {
      std::vector<float> ours(expected_tokens.size() / frame_count);
      backend.Download(tokens[i].view(), ours);
      EXPECT_LE(RelativeError(ours, expected_tokens.subspan(i * ours.size(), ours.size())), bound)
          << "frame " << i;
    }
  }

  const std::vector<const FrameTokens*> window(out.begin(), out.begin() + config.window);
  std::vector<float> values(static_cast<size_t>(network.values_per_window()));
  network.Decode(window, values);
  EXPECT_LE(RelativeError(values, golden->Get("head").Data<double>()), bound);

  const auto estimates = network.Interpret(values);
  ASSERT_EQ(static_cast<int>(estimates.size()), config.window - 1);
  std::vector<float> rotations, translations, log_variances;
  for (const PairEstimate& estimate : estimates) {
    const Eigen::Matrix3d rotation = estimate.first_from_second.rotation.toRotationMatrix();
    for (int i = 0; i < 9; ++i) rotations.push_back(static_cast<float>(rotation(i / 3, i % 3)));
    for (const double t : estimate.first_from_second.translation)
      translations.push_back(static_cast<float>(t));
    log_variances.push_back(static_cast<float>(estimate.u_rotation));
    log_variances.push_back(static_cast<float>(estimate.u_translation));
  }
  EXPECT_LE(RelativeError(rotations, golden->Get("rotations").Data<double>()), bound);
  EXPECT_LE(RelativeError(translations, golden->Get("translations").Data<double>()), bound);
  EXPECT_LE(RelativeError(log_variances, golden->Get("log_variances").Data<double>()), bound);
}

TEST_P(Golden, EveryBackendAgrees) {
  for (const BackendKind kind : AvailableBackends()) {
    const auto backend = MakeBackend(kind, /*threads=*/2);
    CheckGolden(GetParam(), *backend, kind.precision == Precision::kF32 ? 1e-5 : 5e-2);
  }
}

TEST_P(Golden, AllKernelsAgree) {
  for (const CpuKernels* kernels : TestedKernels()) {
    const auto backend = MakeCpuBackend(*kernels, /*threads=*/2);
    CheckGolden(GetParam(), *backend, kernels->bf16 || kernels->int8 != nullptr ? 5e-2 : 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(NumPy, Golden, testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param; });

// The raw outputs for one window of a model with an aspect input, for each of these aspect ratios in turn.
std::vector<std::vector<float>> ValuesForShapes(std::span<const double> shapes, Backend& backend) {
  const std::filesystem::path folder = CALFVO_GOLDENS;
  const ModelFile model = LoadModelFile(folder / "pair_aspect.model.safetensors");
  Network network(model.config, *model.weights, backend);
  const size_t image_size = 3 * static_cast<size_t>(model.config.input.size * model.config.input.size);
  const std::vector<float> image(image_size, 0.25F);
  FrameTokens tokens = network.MakeTokens();
  network.Encode({{{image.data(), image.data()}}}, {{&tokens}});
  const std::vector<const FrameTokens*> window(static_cast<size_t>(model.config.window), &tokens);
  std::vector<std::vector<float>> all;
  for (const double shape : shapes) {
    network.SetAspect(shape);
    network.Decode(window, all.emplace_back(static_cast<size_t>(network.values_per_window())));
  }
  return all;
}

TEST(Network, UsesTheAspectRatioThatWasSetLast) {
  for (const BackendKind kind : AvailableBackends()) {
    const auto backend = MakeBackend(kind, /*threads=*/1);
    const auto values = ValuesForShapes(std::array{1.0, 2.0, 0.5, 2.0, 1.0}, *backend);
    EXPECT_EQ(values[0], values[4]);
    EXPECT_EQ(values[1], values[3]);
    EXPECT_NE(values[0], values[1]);
    EXPECT_NE(values[0], values[2]);
    EXPECT_NE(values[1], values[2]);
    EXPECT_EQ(ValuesForShapes(std::array{1.0}, *backend)[0], values[0]);
  }
}

TEST(Network, RejectsAspectRatiosThatNoImageHas) {
  const auto backend = MakeBackend({"ref", Precision::kF32}, 1);
  EXPECT_EQ(ValuesForShapes(std::array{262144.0, 1.0 / 262144.0}, *backend).size(), 2U);
  for (const double shape : {0.0, -1.0, 262145.0, 1.0 / 262145.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THAT(ErrorFrom([&] { ValuesForShapes(std::array{shape}, *backend); }),
                testing::HasSubstr("images' width over height is"));
  }
}

TEST(Network, AnOutputThatIsNotFiniteIsAnErrorThatNamesTheModel) {
  const std::filesystem::path folder = CALFVO_GOLDENS;
  const ModelFile model = LoadModelFile(folder / "pair.model.safetensors");
  const auto backend = MakeBackend({"ref", Precision::kF32}, 1);
  const Network network(model.config, *model.weights, *backend);
  for (const float value : {std::nanf(""), HUGE_VALF}) {
    const std::vector<float> values(static_cast<size_t>(network.values_per_window()), value);
    EXPECT_THAT(ErrorFrom([&] { network.Interpret(values); }),
                testing::StartsWith("model " + model.config.name + ": output 0 is "));
  }
}

// A small network with random weights.
ModelConfig SmallConfig(EncoderKind kind) {
  ModelConfig config = NamedConfig("calfvo-s");
  config.window = 4;
  config.input.size = 64;
  config.encoder.kind = kind;
  config.encoder.channels = {8, 16, 24, 32};
  config.encoder.dim = 32;
  config.encoder.depth = 2;
  config.encoder.heads = 2;
  config.encoder.hidden = 64;
  config.decoder = {DecoderKind::kTimeSpace, 32, 2, 2, 64, 1e-6};
  return config;
}

std::vector<float> RandomImages(int count, int size) {
  std::vector<float> images(static_cast<size_t>(count) * 3 * static_cast<size_t>(size * size));
  for (size_t i = 0; i < images.size(); ++i) images[i] = std::sin(0.37F * static_cast<float>(i % 7919));
  return images;
}

// All frames in batches of `batch`, then all windows of K consecutive frames in batches of `window_batch`.
std::vector<float> RunAll(const ModelConfig& config, const ModelFile& model, Backend& backend,
                          const std::vector<float>& images, size_t batch, size_t window_batch) {
  Network network(config, *model.weights, backend);
  const size_t image_size = 3 * static_cast<size_t>(config.input.size * config.input.size);
  const size_t count = images.size() / image_size;
  std::vector<FrameTokens> tokens;
  for (size_t i = 0; i < count; ++i) tokens.push_back(network.MakeTokens());
  for (size_t first = 0; first < count; first += batch) {
    std::vector<EncoderInput> frames;
    std::vector<FrameTokens*> out;
    for (size_t i = first; i < std::min(first + batch, count); ++i) {
      frames.push_back({&images[(i > 0 ? i - 1 : 0) * image_size], &images[i * image_size]});
      out.push_back(&tokens[i]);
    }
    network.Encode(frames, out);
  }
  const auto window = static_cast<size_t>(config.window);
  const size_t windows = count - window + 1;
  std::vector<float> all;
  for (size_t first = 0; first < windows; first += window_batch) {
    const size_t now = std::min(window_batch, windows - first);
    std::vector<const FrameTokens*> frames;
    for (size_t w = first; w < first + now; ++w) {
      for (size_t k = 0; k < window; ++k) frames.push_back(&tokens[w + k]);
    }
    std::vector<float> values(now * static_cast<size_t>(network.values_per_window()));
    network.Decode(frames, values);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

TEST(Network, SameBitsForAnyBatchAndAnyNumberOfThreads) {
  using Make = std::function<std::unique_ptr<Backend>(int threads)>;
  std::vector<Make> backends;
  for (const BackendKind kind : AvailableBackends()) {
    backends.emplace_back([kind](int threads) { return MakeBackend(kind, threads); });
  }
  for (const CpuKernels* kernels : TestedKernels()) {
    backends.emplace_back([kernels](int threads) { return MakeCpuBackend(*kernels, threads); });
  }
  for (const EncoderKind encoder : {EncoderKind::kPair, EncoderKind::kCroco, EncoderKind::kDinov2}) {
    const ModelConfig config = SmallConfig(encoder);
    const ModelFile model = RandomModel(config, 5);
    const std::vector<float> images = RandomImages(9, config.input.size);
    for (const Make& make : backends) {
      std::vector<float> first;
      for (const int threads : {1, 2, 5}) {
        const auto backend = make(threads);
        for (const size_t batch : {1U, 4U}) {
          const std::vector<float> values = RunAll(config, model, *backend, images, batch, batch);
          if (first.empty()) first = values;
          EXPECT_EQ(values, first) << backend->Description() << ", " << threads << " threads, batch "
                                   << batch;
        }
      }
    }
  }
}

}  // namespace
}  // namespace calfvo
