// SPDX-License-Identifier: Apache-2.0
// The configuration of a network, as in the JSON of a model file. docs/network.md explains every field.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace calfvo {

enum class EncoderKind { kCroco, kDinov2, kDinov3, kPair };
enum class DecoderKind { kTimeSpace, kFull };
enum class RotationHead { kProcrustes, kGramSchmidt, kQuaternion, kEuler };
enum class ResizeRule { kCrop, kSquash };  // centre crop to a square, or both sides to the size
enum class ResizeFilter { kLanczosOrBicubic, kBicubic, kBilinear, kLanczos };
enum class PositionInterpolation { kOffset, kAntialias };

struct InputConfig {
  int size = 224;  // side of the square input, pixels
  ResizeRule resize = ResizeRule::kCrop;
  ResizeFilter filter = ResizeFilter::kLanczosOrBicubic;
  std::array<double, 3> mean = {0.5, 0.5, 0.5};
  std::array<double, 3> std = {0.5, 0.5, 0.5};
  bool aspect = false;  // width / height of the image is an input, too; only with kSquash
};

struct EncoderConfig {
  EncoderKind kind = EncoderKind::kCroco;
  int patch = 16;
  int dim = 1024;
  int depth = 24;
  int heads = 16;
  int hidden = 4096;
  double norm_eps = 1e-6;
  double rope_base = 100.0;                                              // croco, pair
  int registers = 0;                                                     // dinov2, dinov3
  int grid = 37;                                                         // dinov2
  PositionInterpolation interpolation = PositionInterpolation::kOffset;  // dinov2
  std::array<int, 4> channels = {32, 64, 128, 256};                      // pair
  std::array<int, 4> blocks = {0, 1, 1, 1};                              // pair

  int prefix_tokens() const {
    return kind == EncoderKind::kDinov2 || kind == EncoderKind::kDinov3 ? 1 + registers : 0;
  }
};

struct DecoderConfig {
  DecoderKind kind = DecoderKind::kTimeSpace;
  int dim = 1024;
  int depth = 12;
  int heads = 16;
  int hidden = 4096;
  double norm_eps = 1e-6;
};

// Errors that never change would make covariances that no number of steps brings to rest.
inline constexpr double kMaxStepCorrelation = 0.999;

struct HeadConfig {
  RotationHead rotation = RotationHead::kProcrustes;
  bool confidence = true;
  std::array<double, 3> translation_mean = {0.0, 0.0, 0.0};  // metres
  std::array<double, 3> translation_std = {1.0, 1.0, 1.0};   // metres
  std::array<double, 2> log_variance_shift = {0.0, 0.0};     // added to u_R and u_t
  // Of errors of neighbouring steps: rotation, translation. 0 to kMaxStepCorrelation.
  std::array<double, 2> step_correlation = {0.0, 0.0};

  int rotation_values() const;  // 9, 6, 4 or 3
  int values_per_pair() const { return rotation_values() + 3 + (confidence ? 2 : 0); }
};

struct ModelConfig {
  std::string name;
  std::string licence;
  std::string training;
  int window = 8;
  InputConfig input;
  EncoderConfig encoder;
  DecoderConfig decoder;
  HeadConfig head;

  int tokens_per_side() const { return input.size / encoder.patch; }
  int tokens() const { return tokens_per_side() * tokens_per_side(); }

  // Throws Error naming the field that is out of range or does not fit the others.
  void Validate() const;
};

// The two models this project is about: "calfvo-l", the paper's, and "calfvo-s", ours. Throws Error for other
// names.
ModelConfig NamedConfig(std::string_view name);

// Strict: every key but input.aspect must be there, unknown keys and absurd sizes are errors. `source` stands
// for the file in messages.
ModelConfig ParseModelConfig(std::string_view json, const std::string& source);

// What ParseModelConfig reads; the same config gives the same text.
std::string ModelConfigJson(const ModelConfig& config);

// A tensor that a model file must have.
struct TensorSpec {
  std::string name;
  std::vector<int64_t> shape;
};

// Every tensor of a model, in the order of the file; no more and no fewer.
std::vector<TensorSpec> ModelTensors(const ModelConfig& config);

int64_t ParameterCount(const std::vector<TensorSpec>& tensors);

}  // namespace calfvo
