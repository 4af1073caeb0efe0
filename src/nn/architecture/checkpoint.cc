// SPDX-License-Identifier: Apache-2.0
#include "nn/architecture/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "nn/tensor/tensor.h"
#include "nn/weights/memory_weights.h"

namespace calfvo {
namespace {

// How a family of checkpoints names the tensors that docs/network.md names. Within blocks, "{}" is the
// block's number.
struct Naming {
  std::string_view title;
  EncoderKind kind;
  std::string_view prefix;  // before every name
  std::string_view patch;   // + .weight, .bias
  std::string_view block;   // + the names below
  std::string_view norm1, qkv, proj, norm2, fc1, fc2, scale1, scale2;
  std::string_view query, key, value;  // where qkv is empty
  std::string_view norm, cls, registers, positions, periods;
};

constexpr Naming MetaDino(std::string_view title, EncoderKind kind, std::string_view prefix,
                          std::string_view registers) {
  return {.title = title,
          .kind = kind,
          .prefix = prefix,
          .patch = "patch_embed.proj",
          .block = "blocks.{}.",
          .norm1 = "norm1",
          .qkv = "attn.qkv",
          .proj = "attn.proj",
          .norm2 = "norm2",
          .fc1 = "mlp.fc1",
          .fc2 = "mlp.fc2",
          .scale1 = "ls1.gamma",
          .scale2 = "ls2.gamma",
          .norm = "norm",
          .cls = "cls_token",
          .registers = registers,
          .positions = kind == EncoderKind::kDinov2 ? "pos_embed" : "",
          .periods = kind == EncoderKind::kDinov3 ? "rope_embed.periods" : ""};
}

constexpr Naming kNamings[] = {
    {.title = "CroCo, DUSt3R or MASt3R",
     .kind = EncoderKind::kCroco,
     .patch = "patch_embed.proj",
     .block = "enc_blocks.{}.",
     .norm1 = "norm1",
     .qkv = "attn.qkv",
     .proj = "attn.proj",
     .norm2 = "norm2",
     .fc1 = "mlp.fc1",
     .fc2 = "mlp.fc2",
     .norm = "enc_norm"},
    MetaDino("DINOv3", EncoderKind::kDinov3, "", "storage_tokens"),
    MetaDino("VGGT-Omega", EncoderKind::kDinov3, "aggregator.patch_embed.", "storage_tokens"),
    MetaDino("DINOv2", EncoderKind::kDinov2, "", "register_tokens"),
    {.title = "DINOv2 of Hugging Face",
     .kind = EncoderKind::kDinov2,
     .patch = "embeddings.patch_embeddings.projection",
     .block = "encoder.layer.{}.",
     .norm1 = "norm1",
     .proj = "attention.output.dense",
     .norm2 = "norm2",
     .fc1 = "mlp.fc1",
     .fc2 = "mlp.fc2",
     .scale1 = "layer_scale1.lambda1",
     .scale2 = "layer_scale2.lambda1",
     .query = "attention.attention.query",
     .key = "attention.attention.key",
     .value = "attention.attention.value",
     .norm = "layernorm",
     .cls = "embeddings.cls_token",
     .registers = "embeddings.register_tokens",
     .positions = "embeddings.position_embeddings"},
    {.title = "DINOv3 of Hugging Face",
     .kind = EncoderKind::kDinov3,
     .patch = "embeddings.patch_embeddings",
     .block = "layer.{}.",
     .norm1 = "norm1",
     .proj = "attention.o_proj",
     .norm2 = "norm2",
     .fc1 = "mlp.up_proj",
     .fc2 = "mlp.down_proj",
     .scale1 = "layer_scale1.lambda1",
     .scale2 = "layer_scale2.lambda1",
     .query = "attention.q_proj",
     .key = "attention.k_proj",
     .value = "attention.v_proj",
     .norm = "norm",
     .cls = "embeddings.cls_token",
     .registers = "embeddings.register_tokens"},
};

constexpr std::string_view kCrocoPositions = "RoPE100";

class CheckpointReader {
 public:
  CheckpointReader(const WeightSource& source, const Naming& naming) : source_(source), naming_(naming) {}

  std::string Name(std::string_view part) const { return fmt::format("{}{}", naming_.prefix, part); }
  std::string BlockName(int block, std::string_view part) const {
    return Name(fmt::format(fmt::runtime(fmt::format("{}{}", naming_.block, part)), block));
  }
  const TensorView* Find(const std::string& name) const { return source_.Find(name); }

  // Whether the file looks like this family: by the tensors that set it apart.
  bool Recognised() const {
    const bool has_positions = naming_.positions.empty() || Find(Name(naming_.positions)) != nullptr;
    const bool has_periods = naming_.periods.empty() || Find(Name(naming_.periods)) != nullptr;
    const std::string_view attention = naming_.qkv.empty() ? naming_.query : naming_.qkv;
    return has_positions && has_periods && Find(Name(naming_.patch) + ".weight") != nullptr &&
           Find(BlockName(0, attention) + ".weight") != nullptr;
  }

  // Throws Error for encoders whose tensors would fit, but mean something else.
  void CheckArchitecture() const {
    const auto positions = source_.metadata().find("croco_kwargs.pos_embed");
    const bool has_other = positions != source_.metadata().end() && positions->second != kCrocoPositions;
    if (naming_.kind == EncoderKind::kCroco && (has_other || Find("enc_pos_embed") != nullptr)) {
      throw Error(fmt::format(
          "{}: {}; calfvo's croco encoder has the rotary positions {} of CroCo v2, DUSt3R and MASt3R, so its "
          "features would be wrong. Convert one of those",
          source_.file_name(),
          has_other ? fmt::format("croco_kwargs.pos_embed is '{}'", positions->second)
                    : "tensor enc_pos_embed, the absolute positions of CroCo v1, is there",
          kCrocoPositions));
    }
    for (const std::string_view gate : {"mlp.w12", "mlp.w1", "mlp.weights_in", "mlp.gate_proj"}) {
      const std::string name = BlockName(0, gate) + ".weight";
      if (Find(name) == nullptr) continue;
      throw Error(
          fmt::format("{}: tensor {} belongs to a SwiGLU feed-forward network, which is not supported; "
                      "expected an encoder "
                      "with GELU, such as the ViT-S, ViT-B or ViT-L of its family",
                      source_.file_name(), name));
    }
  }

  // The sizes, from the shapes of tensors.
  EncoderConfig Sizes(int heads) const {
    EncoderConfig encoder;
    encoder.kind = naming_.kind;
    const Shape patch = source_.Get(Name(naming_.patch) + ".weight").shape();
    if (patch.rank() != 4 || patch[1] != 3 || patch[2] != patch[3] || patch[0] < 1 || patch[0] > 16384 ||
        patch[2] < 1 || patch[2] > 128) {
      Fail(Name(naming_.patch) + ".weight", patch, "[dim, 3, patch, patch]");
    }
    encoder.dim = static_cast<int>(patch[0]);
    encoder.patch = static_cast<int>(patch[2]);
    encoder.heads = std::max(encoder.dim / 64, 1);
    const TensorView* periods = naming_.periods.empty() ? nullptr : Find(Name(naming_.periods));
    if (periods != nullptr &&
        periods->shape().element_count() > 0) {  // one for every four elements of a head
      encoder.heads = std::max(static_cast<int>(encoder.dim / (4 * periods->shape().element_count())), 1);
    } else if (heads > 0) {
      encoder.heads = heads;
    }
    encoder.depth = 0;
    while (encoder.depth < 256 && Find(BlockName(encoder.depth, naming_.norm1) + ".weight") != nullptr)
      ++encoder.depth;
    const Shape fc1 = source_.Get(BlockName(0, naming_.fc1) + ".weight").shape();
    if (fc1.rank() != 2 || fc1[0] > 131072) Fail(BlockName(0, naming_.fc1) + ".weight", fc1, "[hidden, dim]");
    encoder.hidden = static_cast<int>(fc1[0]);
    if (naming_.kind == EncoderKind::kDinov3) encoder.norm_eps = 1e-5;
    const TensorView* registers = naming_.registers.empty() ? nullptr : Find(Name(naming_.registers));
    if (registers != nullptr)
      encoder.registers = static_cast<int>(registers->shape().element_count() / encoder.dim);
    if (!naming_.positions.empty()) {
      const int64_t positions = source_.Get(Name(naming_.positions)).shape().element_count() / encoder.dim;
      encoder.grid = static_cast<int>(std::lround(std::sqrt(static_cast<double>(positions - 1))));
      encoder.interpolation =
          encoder.registers > 0 ? PositionInterpolation::kAntialias : PositionInterpolation::kOffset;
    }
    return encoder;
  }

  // Our tensor `spec` in f32.
  Tensor Load(const TensorSpec& spec) const {
    std::string_view name = spec.name;
    const auto take = [&](std::string_view prefix) {
      const bool matches = name.starts_with(prefix);
      if (matches) name.remove_prefix(prefix.size());
      return matches;
    };
    take("encoder.");
    if (take("patch_embed")) return Reshaped(Name(naming_.patch) + std::string(name), spec);
    if (take("norm")) return Reshaped(Name(naming_.norm) + std::string(name), spec);
    if (name == "cls_token") return Reshaped(Name(naming_.cls), spec);
    if (name == "registers") return Reshaped(Name(naming_.registers), spec);
    if (name == "pos_embed") return Reshaped(Name(naming_.positions), spec);
    if (name == "rope_periods")
      return naming_.periods.empty() ? Periods(spec) : Reshaped(Name(naming_.periods), spec);
    take("blocks.");
    const size_t dot = name.find('.');
    const int block = std::stoi(std::string(name.substr(0, dot)));
    name.remove_prefix(dot + 1);
    if (name == "ls1") return Reshaped(BlockName(block, naming_.scale1), spec);
    if (name == "ls2") return Reshaped(BlockName(block, naming_.scale2), spec);
    if (take("attn.qkv")) return QueryKeyValue(block, std::string(name), spec);
    const std::pair<std::string_view, std::string_view> parts[] = {{"norm1", naming_.norm1},
                                                                   {"attn.proj", naming_.proj},
                                                                   {"norm2", naming_.norm2},
                                                                   {"mlp.fc1", naming_.fc1},
                                                                   {"mlp.fc2", naming_.fc2}};
    for (const auto& [ours, theirs] : parts) {
      if (take(ours)) return Reshaped(BlockName(block, theirs) + std::string(name), spec);
    }
    throw Error(fmt::format("no rule for tensor {}", spec.name));
  }

 private:
  [[noreturn]] void Fail(const std::string& name, const Shape& shape, std::string_view expected) const {
    throw Error(fmt::format("{}: tensor {} has shape {}; expected {}", source_.file_name(), name,
                            shape.ToString(), expected));
  }

  // Leading dimensions of one may be missing or added.
  Tensor Reshaped(const std::string& name, const TensorSpec& spec) const {
    const TensorView& tensor = source_.Get(name);
    std::vector<int64_t> sizes(tensor.shape().sizes().begin(), tensor.shape().sizes().end());
    while (sizes.size() > spec.shape.size() && sizes.front() == 1) sizes.erase(sizes.begin());
    if (sizes != spec.shape) Fail(name, tensor.shape(), SizesToString(spec.shape));
    if (!IsFloat(tensor.dtype())) {
      throw Error(fmt::format("{}: tensor {} is {}; expected F64, F32, F16 or BF16", source_.file_name(),
                              name, DTypeName(tensor.dtype())));
    }
    const Tensor converted = ToF32(tensor);
    return CopyOf({converted.view().bytes().data(), DType::kF32, Shape(spec.shape)});
  }

  // DINOv3 and VGGT-Ω multiply the bias by a mask; Hugging Face keeps q, k and v apart, and DINOv3's k
  // without a bias.
  Tensor QueryKeyValue(int block, const std::string& suffix, const TensorSpec& spec) const {
    if (!naming_.qkv.empty()) {
      Tensor result = Reshaped(BlockName(block, naming_.qkv) + suffix, spec);
      const std::string mask_name = BlockName(block, naming_.qkv) + ".bias_mask";
      if (suffix == ".bias" && Find(mask_name) != nullptr) {
        const Tensor mask = Reshaped(mask_name, spec);
        for (size_t i = 0; i < mask.Data<float>().size(); ++i)
          result.MutableData<float>()[i] *= mask.Data<float>()[i];
      }
      return result;
    }
    Tensor result(DType::kF32, Shape(spec.shape));
    std::vector<int64_t> third = spec.shape;
    third[0] /= 3;
    auto to = result.MutableData<float>();
    for (const std::string_view part : {naming_.query, naming_.key, naming_.value}) {
      const std::string name = BlockName(block, part) + suffix;
      const bool absent_bias = suffix == ".bias" && part == naming_.key && Find(name) == nullptr;
      if (!absent_bias) {
        const Tensor tensor = Reshaped(name, {name, third});
        std::copy(tensor.Data<float>().begin(), tensor.Data<float>().end(), to.begin());
      }
      to = to.subspan(result.Data<float>().size() / 3);
    }
    return result;
  }

  static Tensor Periods(const TensorSpec& spec) {
    Tensor periods(DType::kF32, Shape(spec.shape));
    const auto count = static_cast<float>(spec.shape[0]);
    for (size_t j = 0; float& period : periods.MutableData<float>()) {
      period = std::pow(100.0F, static_cast<float>(j++) / count);
    }
    return periods;
  }

  const WeightSource& source_;
  const Naming& naming_;
};

InputConfig InputOf(const EncoderConfig& encoder, bool original_croco) {
  InputConfig input;
  const bool imagenet = original_croco || encoder.kind != EncoderKind::kCroco;
  if (imagenet) {
    input.mean = {0.485, 0.456, 0.406};
    input.std = {0.229, 0.224, 0.225};
  }
  if (encoder.kind == EncoderKind::kDinov2) input.filter = ResizeFilter::kBicubic;
  if (encoder.kind == EncoderKind::kDinov3) {
    input.resize = ResizeRule::kSquash;
    input.filter = ResizeFilter::kBilinear;
  }
  return input;
}

const Naming& Recognise(const WeightSource& checkpoint) {
  std::string known;
  for (const Naming& naming : kNamings) {
    if (CheckpointReader(checkpoint, naming).Recognised()) return naming;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", naming.title);
  }
  throw Error(fmt::format("{}: is not a checkpoint of a known encoder; looked for {}", checkpoint.file_name(),
                          known));
}

}  // namespace

ModelFile ModelFromCheckpoint(const WeightSource& checkpoint, const CheckpointOptions& options) {
  const Naming& naming = Recognise(checkpoint);
  const CheckpointReader reader(checkpoint, naming);
  reader.CheckArchitecture();
  ModelConfig config = NamedConfig("calfvo-l");
  config.name = options.name;
  config.decoder = options.decoder;
  config.encoder = reader.Sizes(options.heads);
  const bool original_croco = checkpoint.metadata().count("croco_kwargs.pos_embed") > 0;
  config.input = InputOf(config.encoder, original_croco);
  config.licence = fmt::format("that of the {} weights it was made from", naming.title);
  config.training = fmt::format("encoder converted from a {} checkpoint; decoder untrained, seed {}",
                                naming.title, options.seed);
  try {
    config.Validate();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", checkpoint.file_name(), error.what()));
  }

  auto weights = std::make_unique<MemoryWeights>(checkpoint.file_name());
  for (const TensorSpec& spec : ModelTensors(config)) {
    const bool is_encoder = spec.name.starts_with("encoder.");
    weights->Add(spec.name, is_encoder ? reader.Load(spec) : RandomWeight(spec, options.seed));
  }
  return {config, std::move(weights)};
}

}  // namespace calfvo
