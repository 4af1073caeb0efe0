// SPDX-License-Identifier: Apache-2.0
#include "nn/architecture/model_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calfvo/error.h"

namespace calfvo {
namespace {

// Bounds far above any network this runtime is meant for, and low enough that products of them stay within
// int64.
constexpr int kMaxSize = 4096;
constexpr int kMaxDim = 16384;
constexpr int kMaxDepth = 256;
constexpr int kMaxWindow = 64;

// All of these at once would still be absurd. The largest encoder of today has 7e9 parameters, and the widest
// matrix of calfvo-l, for a window, 6e6 elements.
constexpr int64_t kMaxParameters = 10'000'000'000;
constexpr int64_t kMaxWindowElements = int64_t{1} << 30;

// Attention takes the square of these, however narrow the tokens: at dim 4 a model of two megabytes would
// compute for hours.
constexpr int64_t kMaxTokens = 16384;          // of a frame
constexpr int64_t kMaxAttendedTokens = 65536;  // of a window, where all its frames attend to each other

void CheckRange(const char* field, int value, int low, int high) {
  if (value < low || value > high)
    throw Error(fmt::format("{} is {}; expected {} to {}", field, value, low, high));
}

// Sums and squares of numbers up to here are numbers, too.
constexpr double kMaxMagnitude = 1e9;

void CheckPositive(const char* field, double value) {
  if (!(value > 0.0 && value < kMaxMagnitude))
    throw Error(fmt::format("{} is {}; expected a positive number below {}", field, value, kMaxMagnitude));
}

void CheckMagnitude(const char* field, double value) {
  if (!(std::abs(value) < kMaxMagnitude))
    throw Error(fmt::format("{} is {}; expected a number within ±{}", field, value, kMaxMagnitude));
}

void CheckHeads(const char* part, int dim, int heads, int multiple) {
  if (dim % heads != 0 || dim / heads % multiple != 0) {
    throw Error(fmt::format("{}: dim {} does not split into {} heads of a multiple of {}", part, dim, heads,
                            multiple));
  }
}

void CheckEncoder(const EncoderConfig& encoder, int size) {
  CheckRange("encoder.patch", encoder.patch, 1, 128);
  CheckRange("encoder.dim", encoder.dim, 1, kMaxDim);
  CheckRange("encoder.depth", encoder.depth, 1, kMaxDepth);
  CheckRange("encoder.heads", encoder.heads, 1, 256);
  CheckRange("encoder.hidden", encoder.hidden, 1, 8 * kMaxDim);
  CheckRange("encoder.registers", encoder.registers, 0, 256);
  CheckRange("encoder.grid", encoder.grid, 1, 1024);
  CheckPositive("encoder.norm_eps", encoder.norm_eps);
  CheckPositive("encoder.rope_base", encoder.rope_base);
  const bool has_rope = encoder.kind != EncoderKind::kDinov2;
  CheckHeads("encoder", encoder.dim, encoder.heads, has_rope ? 4 : 1);
  if (size % encoder.patch != 0) {
    throw Error(fmt::format("input.size {} is not a multiple of encoder.patch {}", size, encoder.patch));
  }
  if (encoder.kind != EncoderKind::kPair) return;
  for (size_t stage = 0; stage < 4; ++stage) {
    CheckRange("encoder.channels", encoder.channels[stage], 1, kMaxDim);
    CheckRange("encoder.blocks", encoder.blocks[stage], 0, 64);
  }
  if (encoder.patch != 16)
    throw Error(fmt::format("encoder.patch is {}; a pair encoder has 16", encoder.patch));
  if (encoder.dim != encoder.channels[3]) {
    throw Error(fmt::format("encoder.dim {} differs from the last of encoder.channels, {}", encoder.dim,
                            encoder.channels[3]));
  }
}

// Elements of the widest matrix that one frame needs: no weight in the file need be as large.
int64_t WidestOfFrame(const ModelConfig& config) {
  const EncoderConfig& encoder = config.encoder;
  const DecoderConfig& decoder = config.decoder;
  const int columns = std::max(
      {3 * encoder.patch * encoder.patch, 3 * encoder.dim, encoder.hidden, 3 * decoder.dim, decoder.hidden});
  int64_t widest = (int64_t{config.tokens()} + encoder.prefix_tokens()) * columns;
  if (encoder.kind != EncoderKind::kPair) return widest;
  int in_channels = 6;
  for (size_t stage = 0; stage < encoder.channels.size(); ++stage) {
    const int64_t side = config.input.size >> (stage + 1);
    const int channels = encoder.channels[stage];
    const int convolved = encoder.blocks[stage] > 0 ? std::max(in_channels, channels) : in_channels;
    widest = std::max(widest, side * side * std::max(9 * convolved, channels));
    in_channels = channels;
  }
  return widest;
}

void CheckWhole(const ModelConfig& config) {
  int64_t encoder = 0;
  int64_t others = 0;
  for (const TensorSpec& tensor : ModelTensors(config)) {
    (tensor.name.starts_with("encoder.") ? encoder : others) += ParameterCount({tensor});
  }
  if (encoder + others > kMaxParameters) {
    throw Error(fmt::format("{} has {} parameters by its dim, hidden and depth; expected at most {} in all",
                            encoder > others ? "encoder" : "decoder", std::max(encoder, others),
                            kMaxParameters));
  }
  if (const int64_t elements = config.window * WidestOfFrame(config); elements > kMaxWindowElements) {
    throw Error(
        fmt::format("input.size {} with encoder.patch {} makes {} tokens a frame; by the sizes beside it, a "
                    "window of {} frames needs matrices of {} numbers, expected at most {}",
                    config.input.size, config.encoder.patch, config.tokens(), config.window, elements,
                    kMaxWindowElements));
  }
  if (config.tokens() > kMaxTokens) {
    throw Error(
        fmt::format("input.size {} with encoder.patch {} makes {} tokens a frame; expected at most {}",
                    config.input.size, config.encoder.patch, config.tokens(), kMaxTokens));
  }
  if (const int64_t tokens = int64_t{config.window} * config.tokens();
      config.decoder.kind == DecoderKind::kFull && tokens > kMaxAttendedTokens) {
    throw Error(
        fmt::format("decoder.kind is full, and a window of {} frames has {} tokens; expected at most {}",
                    config.window, tokens, kMaxAttendedTokens));
  }
}

}  // namespace

int HeadConfig::rotation_values() const {
  switch (rotation) {
    case RotationHead::kProcrustes:
      return 9;
    case RotationHead::kGramSchmidt:
      return 6;
    case RotationHead::kQuaternion:
      return 4;
    case RotationHead::kEuler:
      break;
  }
  return 3;
}

void ModelConfig::Validate() const {
  CheckRange("window", window, 2, kMaxWindow);
  CheckRange("input.size", input.size, 1, kMaxSize);
  for (size_t i = 0; i < 3; ++i) {
    CheckPositive("input.std", input.std[i]);
    CheckPositive("head.translation_std", head.translation_std[i]);
    CheckMagnitude("input.mean", input.mean[i]);
    CheckMagnitude("head.translation_mean", head.translation_mean[i]);
  }
  for (const double shift : head.log_variance_shift) {
    if (!(std::abs(shift) < 100.0))
      throw Error(fmt::format("head.log_variance_shift is {}; expected within ±100", shift));
  }
  for (const double correlation : head.step_correlation) {
    if (!(correlation >= 0.0 && correlation <= kMaxStepCorrelation)) {
      throw Error(
          fmt::format("head.step_correlation is {}; expected 0 to {}", correlation, kMaxStepCorrelation));
    }
  }
  if (input.aspect && input.resize != ResizeRule::kSquash) {
    throw Error("input.aspect is true, but input.resize is not squash; only squashed images need it");
  }
  CheckEncoder(encoder, input.size);
  CheckRange("decoder.dim", decoder.dim, 1, kMaxDim);
  CheckRange("decoder.depth", decoder.depth, 1, kMaxDepth);
  CheckRange("decoder.heads", decoder.heads, 1, 256);
  CheckRange("decoder.hidden", decoder.hidden, 1, 8 * kMaxDim);
  CheckPositive("decoder.norm_eps", decoder.norm_eps);
  CheckHeads("decoder", decoder.dim, decoder.heads, 1);
  CheckWhole(*this);
}

ModelConfig NamedConfig(std::string_view name) {
  ModelConfig config;  // the defaults are calfvo-l's
  config.name = name;
  if (name == "calfvo-l") return config;
  if (name != "calfvo-s") throw Error(fmt::format("unknown model '{}'; expected calfvo-l or calfvo-s", name));
  config.input.resize = ResizeRule::kSquash;
  config.input.filter = ResizeFilter::kBilinear;
  config.encoder.kind = EncoderKind::kPair;
  config.encoder.dim = 256;
  config.encoder.depth = 4;
  config.encoder.heads = 4;
  config.encoder.hidden = 1024;
  config.decoder.dim = 256;
  config.decoder.depth = 6;
  config.decoder.heads = 4;
  config.decoder.hidden = 1024;
  return config;
}

}  // namespace calfvo
