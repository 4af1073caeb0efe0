// SPDX-License-Identifier: Apache-2.0
// The twin against the runtime's reference backend, and against itself through a model file.
#include "network/train_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/base/testing.h"
#include "core/portable/random.h"
#include "nn/architecture/model_file.h"
#include "nn/backend/backends.h"
#include "nn/model/network.h"

namespace calfvo::train {
namespace {

struct Case {
  std::string name;
  ModelConfig config;
};

ModelConfig TinyConfig(EncoderKind kind) {
  ModelConfig config = NamedConfig("calfvo-s");
  config.window = 3;
  config.input.size = 48;
  config.input.mean = {0.485, 0.456, 0.406};
  config.input.std = {0.229, 0.224, 0.225};
  config.encoder.kind = kind;
  config.encoder.channels = {8, 16, 24, 32};
  config.encoder.blocks = {1, 0, 2, 1};
  config.encoder.dim = 32;
  config.encoder.depth = 2;
  config.encoder.heads = 2;
  config.encoder.hidden = 48;
  config.encoder.grid = 5;
  config.decoder = {DecoderKind::kTimeSpace, 32, 2, 4, 64, 1e-6};
  return config;
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  const auto add = [&](const char* name, EncoderKind kind) -> ModelConfig& {
    cases.push_back({name, TinyConfig(kind)});
    return cases.back().config;
  };
  add("croco", EncoderKind::kCroco).head.rotation = RotationHead::kGramSchmidt;
  add("croco_full", EncoderKind::kCroco).decoder.kind = DecoderKind::kFull;
  add("dinov2_offset", EncoderKind::kDinov2).head.rotation = RotationHead::kQuaternion;
  add("dinov2_offset_registers", EncoderKind::kDinov2).encoder.registers = 2;
  for (const int grid : {2, 3, 5}) {
    ModelConfig& config = add(("dinov2_antialias_" + std::to_string(grid)).c_str(), EncoderKind::kDinov2);
    config.encoder.interpolation = PositionInterpolation::kAntialias;
    config.encoder.grid = grid;
    config.encoder.registers = grid - 2;
  }
  add("dinov3", EncoderKind::kDinov3).encoder.registers = 4;
  add("dinov3_no_registers", EncoderKind::kDinov3).head.rotation = RotationHead::kEuler;
  add("pair", EncoderKind::kPair);
  add("pair_without_confidence", EncoderKind::kPair).head.confidence = false;
  add("pair_full", EncoderKind::kPair).decoder.kind = DecoderKind::kFull;
  add("pair_wider_decoder", EncoderKind::kPair).decoder.dim = 48;
  add("pair_aspect", EncoderKind::kPair).input.aspect = true;
  ModelConfig& full_aspect = add("croco_full_aspect", EncoderKind::kCroco);
  full_aspect.decoder.kind = DecoderKind::kFull;
  full_aspect.input.aspect = true;
  return cases;
}

// Random bytes [windows, 1 + K, S, S, 3]: the frame before each window, and its own.
at::Tensor RandomFrames(const ModelConfig& config, int64_t windows, uint64_t seed) {
  const int64_t size = config.input.size;
  at::Tensor frames = at::empty({windows, 1 + config.window, size, size, 3}, at::kByte);
  portable::Random random(seed);
  auto* bytes = frames.data_ptr<uint8_t>();
  for (int64_t i = 0; i < frames.numel(); ++i) bytes[i] = static_cast<uint8_t>(random.Index(256));
  return frames;
}

// Width over height of the images of each window, for networks with input.aspect.
constexpr float kAspects[] = {16.0F / 9, 0.75F};

NetworkOutput Forward(TrainNetwork& network, const at::Tensor& frames) {
  const at::Tensor log_aspect =
      at::log2(torch::tensor(at::ArrayRef<float>(kAspects))).narrow(0, 0, frames.size(0));
  return network->forward(frames.narrow(1, 1, frames.size(1) - 1), frames.select(1, 0), log_aspect);
}

// What the runtime makes of one window of frames [1 + K, S, S, 3].
std::vector<float> RuntimeValues(const ModelConfig& config, const WeightSource& weights,
                                 const at::Tensor& frames, float width_over_height = kAspects[0]) {
  const auto backend = MakeBackend({"ref", Precision::kF32}, /*threads=*/1);
  Network network(config, weights, *backend);
  network.SetAspect(width_over_height);
  const int64_t plane = int64_t{config.input.size} * config.input.size;
  std::vector<std::vector<float>> images;
  std::vector<FrameTokens> tokens;
  for (int k = 0; k <= config.window; ++k) {
    const uint8_t* bytes = frames.data_ptr<uint8_t>() + k * 3 * plane;
    std::vector<float> image(static_cast<size_t>(3 * plane));
    for (int64_t i = 0; i < 3 * plane; ++i) {
      const auto c = static_cast<size_t>(i % 3);
      image[c * static_cast<size_t>(plane) + static_cast<size_t>(i / 3)] =
          static_cast<float>((bytes[i] / 255.0 - config.input.mean[c]) / config.input.std[c]);
    }
    images.push_back(std::move(image));
    if (k > 0) tokens.push_back(network.MakeTokens());
  }
  std::vector<EncoderInput> inputs;
  std::vector<FrameTokens*> out;
  for (size_t k = 0; k < tokens.size(); ++k) {
    inputs.push_back({images[k].data(), images[k + 1].data()});
    out.push_back(&tokens[k]);
  }
  network.Encode(inputs, out);
  std::vector<float> values(static_cast<size_t>(network.values_per_window()));
  network.Decode(std::vector<const FrameTokens*>(out.begin(), out.end()), values);
  return values;
}

// Largest difference, relative to the largest expected value.
double RelativeError(const at::Tensor& ours, const std::vector<float>& expected) {
  const at::Tensor flat = ours.detach().contiguous().flatten();
  EXPECT_EQ(flat.numel(), static_cast<int64_t>(expected.size()));
  double most = 0.0;
  double error = 0.0;
  for (size_t i = 0; i < expected.size(); ++i) {
    most = std::max(most, std::abs(static_cast<double>(expected[i])));
    error = std::max(error, std::abs(static_cast<double>(flat.data_ptr<float>()[i] - expected[i])));
  }
  return error / most;
}

class Twin : public testing::TestWithParam<Case> {};

TEST_P(Twin, AgreesWithTheRuntime) {
  const ModelConfig& config = GetParam().config;
  const ModelFile model = RandomModel(config, 7);
  const at::Tensor frames = RandomFrames(config, /*windows=*/2, 11);
  for (const bool bf16 : {false, true}) {
    NetworkOptions options;
    options.bf16 = bf16;
    TrainNetwork network(config, options);
    LoadWeights(*network, *model.weights);
    const at::Tensor values = Forward(network, frames).values;
    for (int64_t window = 0; window < 2; ++window) {
      const std::vector<float> expected =
          RuntimeValues(config, *model.weights, frames[window], kAspects[window]);
      EXPECT_LE(RelativeError(values[window], expected), bf16 ? 5e-2 : 1e-4) << (bf16 ? "bf16" : "f32");
    }
  }
}

TEST_P(Twin, HasTheTensorsOfModelFilesAndGradientsOfAll) {
  const ModelConfig& config = GetParam().config;
  NetworkOptions options;
  options.motion_head = true;
  TrainNetwork network(config, options);
  const NetworkOutput output = Forward(network, RandomFrames(config, 1, 3));
  (output.values.square().sum() + output.motion.square().sum()).backward();
  std::set<std::string> expected = {"motion.weight", "motion.bias"};
  for (const TensorSpec& spec : ModelTensors(config)) {
    if (spec.name != "encoder.rope_periods") expected.insert(spec.name);
  }
  std::set<std::string> names;
  for (const auto& item : network->named_parameters()) {
    names.insert(item.key());
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_TRUE(item.value().grad().isfinite().all().item<bool>()) << item.key();
  }
  EXPECT_EQ(names, expected);
}

TEST_P(Twin, TheDecodersGradientIsItsSlope) {
  const ModelConfig& config = GetParam().config;
  TrainNetwork network(config, NetworkOptions{});
  LoadWeights(*network, *RandomModel(config, 7).weights);
  torch::manual_seed(1);
  at::Tensor tokens = at::randn({2, config.window, config.tokens(), config.encoder.dim}).requires_grad_();
  const at::Tensor step = 1e-2 * at::randn(tokens.sizes());
  const at::Tensor log_aspect = at::randn({2});
  const auto loss = [&](const at::Tensor& x) { return network->Decode(x, log_aspect).values.square().sum(); };
  loss(tokens).backward();
  const double expected = (loss(tokens + step) - loss(tokens - step)).item<double>();
  EXPECT_NEAR(2.0 * (tokens.grad() * step).sum().item<double>(), expected, 1e-2 * std::abs(expected));
}

INSTANTIATE_TEST_SUITE_P(Every, Twin, testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

// decoder.aspect is added log_aspect times to what decoder.time_embed is added to, in every frame.
TEST(Aspect, ItsGradientIsThatOfAllTimesTimesItself) {
  ModelConfig config = TinyConfig(EncoderKind::kPair);
  config.input.aspect = true;
  TrainNetwork network(config, NetworkOptions{.motion_head = false});
  const auto parameters = network->named_parameters();
  EXPECT_EQ(parameters["decoder.aspect"].abs().max().item<float>(), 0.0F);  // what training begins with
  Forward(network, RandomFrames(config, 1, 3)).values.square().sum().backward();
  const at::Tensor expected = parameters["decoder.time_embed"].grad().sum(0) * std::log2(kAspects[0]);
  EXPECT_GT(expected.abs().max().item<float>(), 0.0F);
  EXPECT_TRUE(at::allclose(parameters["decoder.aspect"].grad(), expected, 1e-5, 1e-9));
}

TEST(Aspect, IsRequiredWhereTheNetworkTakesIt) {
  ModelConfig config = TinyConfig(EncoderKind::kPair);
  config.input.aspect = true;
  TrainNetwork network(config, NetworkOptions{});
  EXPECT_EQ(ErrorFrom([&] { network->forward(RandomFrames(config, 1, 3).narrow(1, 1, 3)); }),
            "input.aspect is true, but the batch has no log_aspect");
}

// All gradients in one row.
at::Tensor Gradients(const ModelConfig& config, const WeightSource& weights, bool bf16) {
  NetworkOptions options;
  options.bf16 = bf16;
  TrainNetwork network(config, options);
  LoadWeights(*network, weights);
  Forward(network, RandomFrames(config, 2, 3)).values.square().sum().backward();
  std::vector<at::Tensor> rows;
  for (const at::Tensor& parameter : network->parameters()) rows.push_back(parameter.grad().flatten());
  return at::cat(rows);
}

// Rounding the stream and the factors to 8 bits may blur the direction of descent, but not turn it.
TEST(Bf16, GradientsPointTheSameWay) {
  ModelConfig config = TinyConfig(EncoderKind::kPair);
  config.encoder.depth = 4;
  config.decoder.depth = 6;
  const ModelFile model = RandomModel(config, 7);
  const at::Tensor exact = Gradients(config, *model.weights, /*bf16=*/false);
  const at::Tensor rounded = Gradients(config, *model.weights, /*bf16=*/true);
  const double cosine =
      exact.dot(rounded).item<double>() / (exact.norm().item<double>() * rounded.norm().item<double>());
  EXPECT_GT(cosine, 0.999);
}

TEST(SaveModel, WritesWhatTheRuntimeReads) {
  const ModelConfig config = TinyConfig(EncoderKind::kPair);
  NetworkOptions options;
  options.motion_head = true;
  options.seed = 5;
  TrainNetwork network(config, options);
  const TempFolder folder;
  const auto path = folder.path() / "model.safetensors";
  SaveModel(*network, config, DType::kF32, path);

  const ModelFile model = LoadModelFile(path);  // refuses tensors that are not the model's
  const at::Tensor frames = RandomFrames(config, 1, 3);
  EXPECT_LE(RelativeError(Forward(network, frames).values, RuntimeValues(config, *model.weights, frames[0])),
            1e-4);

  options.seed = 6;
  TrainNetwork other(config, options);
  LoadWeights(*other, *model.weights);
  EXPECT_TRUE(Forward(other, frames).values.equal(Forward(network, frames).values));
}

TEST(LoadWeights, NamesTheMisshapenTensor) {
  ModelConfig config = TinyConfig(EncoderKind::kPair);
  TrainNetwork network(config, NetworkOptions{});
  config.window = 4;
  const ModelFile model = RandomModel(config, 1);
  EXPECT_EQ(ErrorFrom([&] { LoadWeights(*network, *model.weights); }),
            "random weights: tensor decoder.time_embed has shape [4, 32]; expected [3, 32]");
}

TEST(InitialWeights, StartNearTheIdentity) {
  for (const RotationHead rotation : {RotationHead::kProcrustes, RotationHead::kGramSchmidt,
                                      RotationHead::kQuaternion, RotationHead::kEuler}) {
    ModelConfig config = TinyConfig(EncoderKind::kPair);
    config.head.rotation = rotation;
    config.head.translation_mean = {0.0, 0.1, 0.5};
    config.head.translation_std = {0.1, 0.2, 0.5};
    TrainNetwork network(config, NetworkOptions{});
    const at::Tensor values = Forward(network, RandomFrames(config, 1, 3)).values.detach().contiguous();
    const auto per_pair = static_cast<size_t>(config.head.values_per_pair());
    const PairEstimate estimate = InterpretPair(config.head, {values.data_ptr<float>(), per_pair});
    EXPECT_LT(estimate.first_from_second.rotation.angularDistance(Eigen::Quaterniond::Identity()), 0.1);
    EXPECT_LT(estimate.first_from_second.translation.norm(), 0.1);
    EXPECT_LT(std::abs(estimate.u_rotation), 0.1);
  }
}

// Each cell of the motion head's output comes from the token that covers it.
TEST(MotionHead, PutsCellsWhereTheirPatchIs) {
  const ModelConfig config = TinyConfig(EncoderKind::kPair);
  NetworkOptions options;
  options.motion_head = true;
  TrainNetwork network(config, options);
  const at::NoGradGuard no_grad;
  const auto parameters = network->named_parameters();
  parameters["motion.weight"].zero_();
  parameters["motion.bias"].copy_(at::arange(8, at::kFloat));
  parameters["motion.weight"][3][0] = 100.0F;  // y of the top right cell
  at::Tensor tokens = at::zeros({1, 3, 9, 32});
  tokens[0][2][5][0] = 1.0F;  // the last frame's patch in row 1, column 2
  const at::Tensor motion = network->Decode(tokens).motion;
  ASSERT_EQ(motion.sizes().vec(), (std::vector<int64_t>{1, 3, 6, 6, 2}));
  EXPECT_EQ(motion[0][2][2][5][1].item<float>(), 103.0F);
  EXPECT_EQ(motion[0][2][2][4][1].item<float>(), 1.0F);
  EXPECT_EQ(motion[0][2][3][5][1].item<float>(), 7.0F);
  EXPECT_EQ(motion[0][1][2][5][1].item<float>(), 3.0F);
}

TEST(FrozenEncoder, GetsNoGradients) {
  const ModelConfig config = TinyConfig(EncoderKind::kPair);
  NetworkOptions options;
  options.train_encoder = false;
  TrainNetwork network(config, options);
  Forward(network, RandomFrames(config, 1, 3)).values.sum().backward();
  for (const auto& item : network->named_parameters()) {
    EXPECT_EQ(item.value().grad().defined(), !item.key().starts_with("encoder.")) << item.key();
  }
}

}  // namespace
}  // namespace calfvo::train
