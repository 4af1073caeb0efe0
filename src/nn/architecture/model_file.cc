// SPDX-License-Identifier: Apache-2.0
#include "nn/architecture/model_file.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <numbers>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "core/portable/random.h"
#include "nn/tensor/tensor.h"
#include "nn/weights/memory_weights.h"
#include "nn/weights/safetensors_writer.h"

namespace calfvo {
namespace {

constexpr const char* kConfigKey = "config";

// FNV-1a: the same on every platform, unlike std::hash.
uint64_t HashOf(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

// Infinities and NaNs are what has every bit of `exponent`. To the end in any case, so that it vectorises.
template <typename Value, typename Bits>
bool NoneIsSpecial(std::span<const Value> values, Bits exponent) {
  Bits specials = 0;
  for (const Value value : values) {
    specials |= static_cast<Bits>((std::bit_cast<Bits>(value) & exponent) == exponent);
  }
  return specials == 0;
}

bool AllFinite(const TensorView& view) {
  if (view.dtype() == DType::kBF16) return NoneIsSpecial(view.Data<BFloat16>(), uint16_t{0x7F80});
  if (view.dtype() == DType::kF16) return NoneIsSpecial(view.Data<Float16>(), uint16_t{0x7C00});
  return NoneIsSpecial(view.Data<float>(), uint32_t{0x7F800000});
}

void CheckTensors(const ModelConfig& config, const WeightSource& weights) {
  std::set<std::string, std::less<>> expected;
  for (const TensorSpec& spec : ModelTensors(config)) {
    const TensorView& tensor = weights.Get(spec.name);
    const auto fail = [&](const std::string& what) {
      throw Error(fmt::format("{}: tensor {} {}", weights.file_name(), spec.name, what));
    };
    if (tensor.shape() != Shape(spec.shape)) {
      fail(fmt::format("has shape {}; expected {}", tensor.shape().ToString(), SizesToString(spec.shape)));
    }
    const DType dtype = tensor.dtype();
    if (dtype != DType::kF32 && dtype != DType::kBF16 && dtype != DType::kF16) {
      fail(fmt::format("is {}; expected F32, BF16 or F16", DTypeName(dtype)));
    }
    if (!AllFinite(tensor)) fail("holds NaN or infinity");
    expected.insert(spec.name);
  }
  for (const std::string& name : weights.names()) {
    if (expected.count(name) == 0) {
      throw Error(fmt::format("{}: tensor {:.80} does not belong to this model", weights.file_name(), name));
    }
  }
}

}  // namespace

bool IsModelFile(const WeightSource& weights) {
  return weights.metadata().contains(kConfigKey);
}

ModelFile LoadModelFile(const std::filesystem::path& path) {
  ModelFile model;
  model.weights = OpenWeights(path);
  const auto& metadata = model.weights->metadata();
  const auto config = metadata.find(kConfigKey);
  if (config == metadata.end()) {
    throw Error(fmt::format(
        "{}: has no '{}' in its metadata, so it is not a calfvo model; `calfvo convert` makes one "
        "from a checkpoint",
        path.string(), kConfigKey));
  }
  model.config = ParseModelConfig(config->second, path.string());
  CheckTensors(model.config, *model.weights);
  return model;
}

Tensor RandomWeight(const TensorSpec& spec, uint64_t seed) {
  Tensor tensor = Tensor::Uninitialized(DType::kF32, Shape(spec.shape));
  const auto values = tensor.MutableData<float>();
  if (spec.name == "encoder.rope_periods") {
    for (size_t j = 0; j < values.size(); ++j) {
      values[j] = std::pow(100.0F, static_cast<float>(j) / static_cast<float>(values.size()));
    }
    return tensor;
  }
  float mean = 0.0F;
  float sigma = 0.02F;  // biases, embeddings
  if (spec.name.ends_with(".weight")) {
    if (spec.shape.size() == 1) mean = 1.0F;  // gain of a norm
    if (spec.shape.size() >= 2) {
      const int64_t fan_in = tensor.shape().element_count() / spec.shape[0];
      sigma = 1.0F / std::sqrt(static_cast<float>(fan_in));
    }
  }
  if (spec.name.ends_with(".ls1") || spec.name.ends_with(".ls2")) mean = 0.5F;
  portable::Random random = portable::Random(seed).Fork(HashOf(spec.name));
  const float range = std::numbers::sqrt3_v<float> * sigma;
  for (float& value : values) value = mean + random.Uniform(-range, range);
  return tensor;
}

ModelFile RandomModel(const ModelConfig& config, uint64_t seed) {
  config.Validate();
  auto weights = std::make_unique<MemoryWeights>("random weights");
  for (const TensorSpec& spec : ModelTensors(config)) weights->Add(spec.name, RandomWeight(spec, seed));
  return {config, std::move(weights)};
}

void SaveModelFile(const ModelConfig& config, const WeightSource& weights, DType dtype,
                   const std::filesystem::path& path) {
  config.Validate();
  CheckTensors(config, weights);
  std::vector<SafetensorsWriter::Entry> entries;
  for (const TensorSpec& spec : ModelTensors(config))
    entries.push_back({spec.name, dtype, Shape(spec.shape)});
  SafetensorsWriter writer(path, std::move(entries), {{kConfigKey, ModelConfigJson(config)}});
  for (const auto& entry : writer.entries()) {
    const Tensor converted = ConvertTo(dtype, weights.Get(entry.name));
    if (!AllFinite(converted.view())) {
      throw Error(fmt::format("{}: tensor {} holds values that {} cannot; choose F32", weights.file_name(),
                              entry.name, DTypeName(dtype)));
    }
    writer.Append(converted.view());
  }
  writer.Commit();
}

}  // namespace calfvo
