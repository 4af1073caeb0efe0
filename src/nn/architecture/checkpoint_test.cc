// SPDX-License-Identifier: Apache-2.0
#include "nn/architecture/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "core/base/testing.h"
#include "nn/weights/memory_weights.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

CheckpointOptions TinyOptions() {
  CheckpointOptions options;
  options.heads = 2;
  options.decoder = {DecoderKind::kTimeSpace, 8, 1, 2, 12, 1e-6};
  return options;
}

void ExpectSame(const WeightSource& model, const char* ours, const WeightSource& checkpoint,
                const char* theirs) {
  const Tensor a = ToF32(model.Get(ours));
  const Tensor b = ToF32(checkpoint.Get(theirs));
  ASSERT_EQ(a.Data<float>().size(), b.Data<float>().size()) << ours;
  EXPECT_TRUE(std::equal(a.Data<float>().begin(), a.Data<float>().end(), b.Data<float>().begin())) << ours;
}

// The files of tests/make_pth.py, with the official names.
class OfficialCheckpoint : public testing::Test {
 protected:
  void SetUp() override {
    const std::string command =
        "/usr/bin/python3 " CALFVO_SOURCE_FOLDER "/tests/make_pth.py " + folder_.path().string();
    if (std::system(command.c_str()) != 0) GTEST_SKIP() << "needs python3";
  }
  std::unique_ptr<WeightSource> Open(const char* name) const { return OpenWeights(folder_.path() / name); }

  const TempFolder folder_;
};

TEST_F(OfficialCheckpoint, Dust3rAndCroco) {
  for (const char* name : {"dust3r.pth", "croco.pth"}) {
    const auto checkpoint = Open(name);
    const ModelFile model = ModelFromCheckpoint(*checkpoint, TinyOptions());
    EXPECT_EQ(model.config.encoder.kind, EncoderKind::kCroco);
    EXPECT_EQ(model.config.encoder.dim, 8);
    EXPECT_EQ(model.config.encoder.depth, 2);
    EXPECT_EQ(model.config.encoder.hidden, 32);
    // Original CroCo was trained with ImageNet's mean and standard deviation, DUSt3R with 0.5 for both.
    EXPECT_EQ(model.config.input.mean[0], std::string(name) == "croco.pth" ? 0.485 : 0.5);
    ExpectSame(*model.weights, "encoder.patch_embed.weight", *checkpoint, "patch_embed.proj.weight");
    ExpectSame(*model.weights, "encoder.blocks.1.attn.qkv.bias", *checkpoint, "enc_blocks.1.attn.qkv.bias");
    ExpectSame(*model.weights, "encoder.blocks.0.mlp.fc2.weight", *checkpoint, "enc_blocks.0.mlp.fc2.weight");
    ExpectSame(*model.weights, "encoder.norm.weight", *checkpoint, "enc_norm.weight");
    SaveModelFile(model.config, *model.weights, DType::kBF16, folder_.path() / "model.safetensors");
    EXPECT_EQ(LoadModelFile(folder_.path() / "model.safetensors").config.encoder.depth, 2);
  }
}

TEST_F(OfficialCheckpoint, Dinov2WithAndWithoutRegisters) {
  for (const char* name : {"dinov2.pth", "dinov2_reg4.pth"}) {
    const auto checkpoint = Open(name);
    const bool registers = std::string(name) == "dinov2_reg4.pth";
    const ModelFile model = ModelFromCheckpoint(*checkpoint, TinyOptions());
    EXPECT_EQ(model.config.encoder.kind, EncoderKind::kDinov2);
    EXPECT_EQ(model.config.encoder.patch, 14);
    EXPECT_EQ(model.config.encoder.grid, 37);
    EXPECT_EQ(model.config.encoder.registers, registers ? 4 : 0);
    EXPECT_EQ(model.config.encoder.interpolation,
              registers ? PositionInterpolation::kAntialias : PositionInterpolation::kOffset);
    ExpectSame(*model.weights, "encoder.pos_embed", *checkpoint, "pos_embed");
    ExpectSame(*model.weights, "encoder.blocks.1.ls2", *checkpoint, "blocks.1.ls2.gamma");
  }
}

TEST_F(OfficialCheckpoint, Dinov3MasksItsBias) {
  const auto checkpoint = Open("dinov3.pth");
  const ModelFile model = ModelFromCheckpoint(*checkpoint, TinyOptions());
  EXPECT_EQ(model.config.encoder.kind, EncoderKind::kDinov3);
  EXPECT_EQ(model.config.encoder.registers, 4);
  EXPECT_EQ(model.config.encoder.norm_eps, 1e-5);
  const Tensor bias = ToF32(checkpoint->Get("blocks.0.attn.qkv.bias"));
  const Tensor mask = ToF32(checkpoint->Get("blocks.0.attn.qkv.bias_mask"));
  const auto ours = model.weights->Get("encoder.blocks.0.attn.qkv.bias").Data<float>();
  for (size_t i = 0; i < ours.size(); ++i) EXPECT_EQ(ours[i], bias.Data<float>()[i] * mask.Data<float>()[i]);
}

// The tensors of `checkpoint` under other names; an empty name leaves one out.
template <typename Rename>
std::unique_ptr<MemoryWeights> Renamed(const WeightSource& checkpoint, const Rename& rename) {
  auto result = std::make_unique<MemoryWeights>("renamed");
  for (const std::string& name : checkpoint.names()) {
    const std::string renamed = rename(name);
    if (!renamed.empty()) result->Add(renamed, CopyOf(checkpoint.Get(name)));
  }
  return result;
}

TEST_F(OfficialCheckpoint, VggtOmegaIsDinov3BehindAPrefix) {
  const auto checkpoint = Open("dinov3.pth");
  const auto omega = Renamed(*checkpoint, [](const std::string& n) { return "aggregator.patch_embed." + n; });
  const ModelFile model = ModelFromCheckpoint(*omega, TinyOptions());
  EXPECT_EQ(model.config.encoder.kind, EncoderKind::kDinov3);
  ExpectSame(*model.weights, "encoder.cls_token", *checkpoint, "cls_token");
}

// Its shapes are those of CroCo v2, so only the name of the tensor differs.
TEST_F(OfficialCheckpoint, CrocoOneIsRefused) {
  const auto checkpoint = Open("croco.pth");
  const auto same = [](const std::string& name) { return name; };
  auto v1 = Renamed(*checkpoint, same);
  EXPECT_EQ(ErrorFrom([&] { ModelFromCheckpoint(*v1, TinyOptions()); }), "no error");
  v1->Add("enc_pos_embed", Tensor(DType::kF32, Shape({196, 8})));
  EXPECT_EQ(
      ErrorFrom([&] { ModelFromCheckpoint(*v1, TinyOptions()); }),
      "renamed: tensor enc_pos_embed, the absolute positions of CroCo v1, is there; calfvo's croco encoder "
      "has the rotary positions RoPE100 of CroCo v2, DUSt3R and MASt3R, so its features would be wrong. "
      "Convert one of those");
  MemoryWeights cosine("croco.pth", {{"croco_kwargs.pos_embed", "cosine"}});
  for (const std::string& name : checkpoint->names()) cosine.Add(name, CopyOf(checkpoint->Get(name)));
  EXPECT_THAT(ErrorFrom([&] { ModelFromCheckpoint(cosine, TinyOptions()); }),
              HasSubstr("croco.pth: croco_kwargs.pos_embed is 'cosine'; "));
}

TEST_F(OfficialCheckpoint, SwiGluEncodersAreRefused) {
  const auto message = [&](const char* file, std::string from, std::string to) {
    const auto gated = Renamed(*Open(file), [&](std::string name) {
      const size_t at = name.find(from);
      return at == std::string::npos ? name : name.replace(at, from.size(), to);
    });
    return ErrorFrom([&] { ModelFromCheckpoint(*gated, TinyOptions()); });
  };
  EXPECT_EQ(message("dinov2.pth", "mlp.fc1", "mlp.w12"),
            "renamed: tensor blocks.0.mlp.w12.weight belongs to a SwiGLU feed-forward network, which is not "
            "supported; expected an encoder with GELU, such as the ViT-S, ViT-B or ViT-L of its family");
  EXPECT_THAT(message("dinov3.pth", "mlp.fc1", "mlp.w1"), HasSubstr("blocks.0.mlp.w1.weight belongs to"));
}

TEST_F(OfficialCheckpoint, MissingAndMisshapenTensorsAreNamed) {
  const auto checkpoint = Open("dust3r.pth");
  const auto missing = Renamed(
      *checkpoint, [](const std::string& n) { return n == "enc_blocks.1.mlp.fc1.bias" ? std::string() : n; });
  EXPECT_THAT(ErrorFrom([&] { ModelFromCheckpoint(*missing, TinyOptions()); }),
              HasSubstr("enc_blocks.1.mlp.fc1.bias"));
  const auto swapped = Renamed(*checkpoint, [](const std::string& n) {
    if (n == "enc_blocks.1.norm1.bias") return std::string("enc_blocks.1.mlp.fc1.bias");
    if (n == "enc_blocks.1.mlp.fc1.bias") return std::string("enc_blocks.1.norm1.bias");
    return n;
  });
  EXPECT_THAT(ErrorFrom([&] { ModelFromCheckpoint(*swapped, TinyOptions()); }), HasSubstr("; expected [8]"));
  EXPECT_THAT(ErrorFrom([&] { ModelFromCheckpoint(*Open("many.pth"), TinyOptions()); }),
              HasSubstr("is not a checkpoint of a known encoder; looked for CroCo, DUSt3R or MASt3R"));
}

TEST_F(OfficialCheckpoint, TypesAndHeadsThatDoNotFitAreNamed) {
  const auto checkpoint = Open("dust3r.pth");
  MemoryWeights whole_numbers("dust3r.pth");
  for (const std::string& name : checkpoint->names()) {
    const TensorView& view = checkpoint->Get(name);
    whole_numbers.Add(name, name == "enc_norm.bias" ? Tensor(DType::kI64, view.shape()) : CopyOf(view));
  }
  EXPECT_EQ(ErrorFrom([&] { ModelFromCheckpoint(whole_numbers, TinyOptions()); }),
            "dust3r.pth: tensor enc_norm.bias is I64; expected F64, F32, F16 or BF16");
  CheckpointOptions options = TinyOptions();
  options.heads = 3;
  EXPECT_THAT(ErrorFrom([&] { ModelFromCheckpoint(*checkpoint, options); }),
              HasSubstr("dust3r.pth: encoder: dim"));
}

TEST_F(OfficialCheckpoint, EmptyPatchEmbeddingsAreMisshapen) {
  const auto checkpoint = Open("dust3r.pth");
  for (const Shape& shape : {Shape({0, 3, 16, 16}), Shape({8, 3, 0, 0})}) {
    MemoryWeights empty("dust3r.pth");
    for (const std::string& name : checkpoint->names()) {
      const bool patch = name == "patch_embed.proj.weight";
      empty.Add(name, patch ? Tensor(DType::kF32, shape) : CopyOf(checkpoint->Get(name)));
    }
    EXPECT_THAT(ErrorFrom([&] { ModelFromCheckpoint(empty, TinyOptions()); }),
                HasSubstr("expected [dim, 3, patch, patch]"));
  }
}

// Hugging Face keeps q, k and v apart.
TEST(HuggingFaceCheckpoint, JoinsQueryKeyAndValue) {
  MemoryWeights checkpoint("hf");
  const auto add = [&](const std::string& name, std::initializer_list<int64_t> shape) {
    checkpoint.Add(name, RandomWeight({name, shape}, 1));
  };
  add("embeddings.cls_token", {1, 1, 8});
  add("embeddings.register_tokens", {1, 4, 8});
  add("embeddings.patch_embeddings.weight", {8, 3, 16, 16});
  add("embeddings.patch_embeddings.bias", {8});
  for (const char* name : {"norm1", "norm2"}) {
    add(std::string("layer.0.") + name + ".weight", {8});
    add(std::string("layer.0.") + name + ".bias", {8});
  }
  for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"}) {
    add(std::string("layer.0.attention.") + name + ".weight", {8, 8});
    if (std::string(name) != "k_proj") add(std::string("layer.0.attention.") + name + ".bias", {8});
  }
  add("layer.0.layer_scale1.lambda1", {8});
  add("layer.0.layer_scale2.lambda1", {8});
  add("layer.0.mlp.up_proj.weight", {16, 8});
  add("layer.0.mlp.up_proj.bias", {16});
  add("layer.0.mlp.down_proj.weight", {8, 16});
  add("layer.0.mlp.down_proj.bias", {8});
  add("norm.weight", {8});
  add("norm.bias", {8});
  const ModelFile model = ModelFromCheckpoint(checkpoint, TinyOptions());
  const auto qkv = model.weights->Get("encoder.blocks.0.attn.qkv.weight").Data<float>();
  const auto value = checkpoint.Get("layer.0.attention.v_proj.weight").Data<float>();
  EXPECT_TRUE(std::equal(value.begin(), value.end(), qkv.begin() + 128));
  const auto bias = model.weights->Get("encoder.blocks.0.attn.qkv.bias").Data<float>();
  for (size_t i = 8; i < 16; ++i) EXPECT_EQ(bias[i], 0.0F);
  EXPECT_EQ(bias[0], checkpoint.Get("layer.0.attention.q_proj.bias").Data<float>()[0]);
  // A gate beside two matrices of the right shapes, as in DINOv3 ViT-S+.
  add("layer.0.mlp.gate_proj.weight", {16, 8});
  EXPECT_THAT(ErrorFrom([&] { ModelFromCheckpoint(checkpoint, TinyOptions()); }),
              HasSubstr("hf: tensor layer.0.mlp.gate_proj.weight belongs to a SwiGLU"));
}

}  // namespace
}  // namespace calfvo
