// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "nn/architecture/model_config.h"

namespace calfvo {
namespace {

class TensorList {
 public:
  void Add(std::string name, std::vector<int64_t> shape) {
    tensors_.push_back({std::move(name), std::move(shape)});
  }

  void AddLinear(const std::string& name, int64_t out, int64_t in) {
    Add(name + ".weight", {out, in});
    Add(name + ".bias", {out});
  }
  void AddConvolution(const std::string& name, int64_t out, int64_t in, int64_t size) {
    Add(name + ".weight", {out, in, size, size});
    Add(name + ".bias", {out});
  }
  void AddNorm(const std::string& name, int64_t dim) {
    Add(name + ".weight", {dim});
    Add(name + ".bias", {dim});
  }

  std::vector<TensorSpec> Take() { return std::move(tensors_); }

 private:
  std::vector<TensorSpec> tensors_;
};

void AddStem(const EncoderConfig& encoder, TensorList* list) {
  int64_t in = 6;
  for (size_t stage = 0; stage < 4; ++stage) {
    const int64_t channels = encoder.channels[stage];
    const std::string name = fmt::format("encoder.stem.{}", stage);
    list->AddConvolution(name + ".conv", channels, in, 3);
    list->AddNorm(name + ".norm", channels);
    for (int block = 0; block < encoder.blocks[stage]; ++block) {
      const std::string inner = fmt::format("{}.blocks.{}", name, block);
      list->AddConvolution(inner + ".conv1", channels, channels, 3);
      list->AddNorm(inner + ".norm", channels);
      list->AddConvolution(inner + ".conv2", channels, channels, 3);
    }
    in = channels;
  }
}

void AddEncoder(const EncoderConfig& encoder, TensorList* list) {
  const int64_t dim = encoder.dim;
  const bool is_dino = encoder.kind == EncoderKind::kDinov2 || encoder.kind == EncoderKind::kDinov3;
  if (encoder.kind == EncoderKind::kPair) {
    AddStem(encoder, list);
  } else {
    list->AddConvolution("encoder.patch_embed", dim, 3, encoder.patch);
  }
  if (is_dino) list->Add("encoder.cls_token", {dim});
  if (is_dino && encoder.registers > 0) list->Add("encoder.registers", {encoder.registers, dim});
  if (encoder.kind == EncoderKind::kDinov2) {
    list->Add("encoder.pos_embed", {1 + int64_t{encoder.grid} * encoder.grid, dim});
  }
  if (encoder.kind == EncoderKind::kDinov3) list->Add("encoder.rope_periods", {dim / encoder.heads / 4});
  for (int i = 0; i < encoder.depth; ++i) {
    const std::string block = fmt::format("encoder.blocks.{}", i);
    list->AddNorm(block + ".norm1", dim);
    list->AddLinear(block + ".attn.qkv", 3 * dim, dim);
    list->AddLinear(block + ".attn.proj", dim, dim);
    if (is_dino) list->Add(block + ".ls1", {dim});
    list->AddNorm(block + ".norm2", dim);
    list->AddLinear(block + ".mlp.fc1", encoder.hidden, dim);
    list->AddLinear(block + ".mlp.fc2", dim, encoder.hidden);
    if (is_dino) list->Add(block + ".ls2", {dim});
  }
  list->AddNorm("encoder.norm", dim);
}

void AddDecoder(const ModelConfig& config, TensorList* list) {
  const DecoderConfig& decoder = config.decoder;
  const int64_t dim = decoder.dim;
  if (config.encoder.dim != decoder.dim) list->AddLinear("decoder.input", dim, config.encoder.dim);
  list->Add("decoder.pos_embed", {config.tokens(), dim});
  list->Add("decoder.time_embed", {config.window, dim});
  list->Add("decoder.camera", {dim});
  if (config.input.aspect) list->Add("decoder.aspect", {dim});
  for (int i = 0; i < decoder.depth; ++i) {
    const std::string block = fmt::format("decoder.blocks.{}", i);
    if (decoder.kind == DecoderKind::kTimeSpace) {
      list->AddNorm(block + ".time.norm", dim);
      list->AddLinear(block + ".time.qkv", 3 * dim, dim);
      list->AddLinear(block + ".time.proj", dim, dim);
      list->AddLinear(block + ".time.out", dim, dim);
    }
    list->AddNorm(block + ".space.norm", dim);
    list->AddLinear(block + ".space.qkv", 3 * dim, dim);
    list->AddLinear(block + ".space.proj", dim, dim);
    list->AddNorm(block + ".ffn.norm", dim);
    list->AddLinear(block + ".ffn.fc1", decoder.hidden, dim);
    list->AddLinear(block + ".ffn.fc2", dim, decoder.hidden);
  }
}

}  // namespace

std::vector<TensorSpec> ModelTensors(const ModelConfig& config) {
  TensorList list;
  AddEncoder(config.encoder, &list);
  AddDecoder(config, &list);
  list.AddLinear("head", int64_t{config.window - 1} * config.head.values_per_pair(),
                 int64_t{config.window + 1} * config.decoder.dim);
  return list.Take();
}

int64_t ParameterCount(const std::vector<TensorSpec>& tensors) {
  int64_t count = 0;
  for (const TensorSpec& tensor : tensors) {
    int64_t elements = 1;
    for (const int64_t size : tensor.shape) elements *= size;
    count += elements;
  }
  return count;
}

}  // namespace calfvo
