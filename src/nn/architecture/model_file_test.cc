// SPDX-License-Identifier: Apache-2.0
#include "nn/architecture/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/testing.h"
#include "nn/weights/memory_weights.h"
#include "nn/weights/safetensors_writer.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

ModelConfig TinyConfig() {
  ModelConfig config = NamedConfig("calfvo-s");
  config.window = 3;
  config.input.size = 32;
  config.encoder.channels = {4, 4, 4, 8};
  config.encoder.dim = 8;
  config.encoder.depth = 1;
  config.encoder.heads = 2;
  config.encoder.hidden = 12;
  config.decoder = {DecoderKind::kTimeSpace, 8, 1, 2, 12, 1e-6};
  return config;
}

TEST(ModelFile, RoundTripInEveryDtype) {
  const TempFolder folder;
  const ModelFile model = RandomModel(TinyConfig(), 3);
  for (const auto& [dtype, bound] :
       std::map<DType, double>{{DType::kF32, 0.0}, {DType::kBF16, 4e-3}, {DType::kF16, 5e-4}}) {
    SaveModelFile(model.config, *model.weights, dtype, folder.path() / "model");
    const ModelFile read = LoadModelFile(folder.path() / "model");
    EXPECT_EQ(ModelConfigJson(read.config), ModelConfigJson(model.config));
    for (const TensorSpec& spec : ModelTensors(model.config)) {
      const Tensor ours = ToF32(read.weights->Get(spec.name));
      const auto expected = model.weights->Get(spec.name).Data<float>();
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_LE(std::abs(ours.Data<float>()[i] - expected[i]),
                  bound * std::abs(expected[i]) + 1e-7 * (bound > 0));
      }
    }
  }
}

TEST(ModelFile, RandomWeightsDependOnSeedAndName) {
  const ModelFile a = RandomModel(TinyConfig(), 3);
  const ModelFile b = RandomModel(TinyConfig(), 3);
  const ModelFile c = RandomModel(TinyConfig(), 4);
  const auto value = [](const ModelFile& model, const char* name) {
    return model.weights->Get(name).Data<float>()[0];
  };
  EXPECT_EQ(value(a, "head.weight"), value(b, "head.weight"));
  EXPECT_NE(value(a, "head.weight"), value(c, "head.weight"));
  EXPECT_NE(value(a, "encoder.norm.bias"), value(a, "head.bias"));
}

// A file with the tensors of the tiny model, after `change` has been at them.
template <typename Change>
std::string LoadError(const Change& change) {
  const TempFolder folder;
  const ModelFile model = RandomModel(TinyConfig(), 3);
  std::map<std::string, Tensor> tensors;
  for (const std::string& name : model.weights->names())
    tensors.emplace(name, CopyOf(model.weights->Get(name)));
  std::map<std::string, std::string> metadata = {{"config", ModelConfigJson(model.config)}};
  change(tensors, metadata);
  std::vector<NamedTensor> list;
  for (const auto& [name, tensor] : tensors) list.push_back({name, tensor.view()});
  WriteSafetensors(folder.path() / "model", list, metadata);
  return ErrorFrom([&] { LoadModelFile(folder.path() / "model"); });
}

using Tensors = std::map<std::string, Tensor>;
using Metadata = std::map<std::string, std::string>;

TEST(ModelFile, NamesWhatIsWrong) {
  EXPECT_EQ(LoadError([](Tensors&, Metadata&) {}), "no error");
  EXPECT_THAT(LoadError([](Tensors& tensors, Metadata&) { tensors.erase("head.bias"); }),
              HasSubstr("head.bias"));
  EXPECT_THAT(
      LoadError([](Tensors& tensors, Metadata&) { tensors.emplace("stray", Tensor(DType::kF32, {2})); }),
      HasSubstr("tensor stray does not belong to this model"));
  EXPECT_THAT(LoadError([](Tensors& tensors, Metadata&) {
                tensors.erase("head.bias");
                tensors.emplace("head.bias", Tensor(DType::kF32, {3}));
              }),
              HasSubstr("tensor head.bias has shape [3]; expected [28]"));
  EXPECT_THAT(LoadError([](Tensors& tensors, Metadata&) {
                tensors.erase("head.bias");
                tensors.emplace("head.bias", Tensor(DType::kI32, {28}));
              }),
              HasSubstr("tensor head.bias is I32; expected F32, BF16 or F16"));
  EXPECT_THAT(
      LoadError([](Tensors& tensors, Metadata&) { tensors.at("head.bias").MutableData<float>()[5] = NAN; }),
      HasSubstr("tensor head.bias holds NaN or infinity"));
  EXPECT_THAT(LoadError([](Tensors&, Metadata& metadata) { metadata.erase("config"); }),
              HasSubstr("has no 'config' in its metadata, so it is not a calfvo model"));
  EXPECT_THAT(LoadError([](Tensors&, Metadata& metadata) { metadata["config"] = "{}"; }),
              HasSubstr("config.format is missing"));
}

TEST(ModelFile, ValuesThatATypeCannotHoldAreNotWritten) {
  const TempFolder folder;
  const ModelFile random = RandomModel(TinyConfig(), 1);
  MemoryWeights weights("large");
  for (const std::string& name : random.weights->names()) {
    Tensor tensor = CopyOf(random.weights->Get(name));
    if (name == "head.bias") tensor.MutableData<float>()[5] = 1e5F;
    weights.Add(name, std::move(tensor));
  }
  const auto path = folder.path() / "m.safetensors";
  EXPECT_EQ(ErrorFrom([&] { SaveModelFile(random.config, weights, DType::kF16, path); }),
            "large: tensor head.bias holds values that F16 cannot; choose F32");
  EXPECT_FALSE(std::filesystem::exists(path));
  SaveModelFile(random.config, weights, DType::kBF16, path);
}

TEST(ModelFile, HugeConfigurationsAreRefusedBeforeAnythingIsAllocated) {
  const auto error_with = [](int dim, int depth) {
    return LoadError([&](Tensors&, Metadata& metadata) {
      ModelConfig config = TinyConfig();
      config.decoder.dim = dim;
      config.decoder.depth = depth;
      config.decoder.heads = 1;
      metadata["config"] = ModelConfigJson(config);
    });
  };
  EXPECT_THAT(error_with(16384, 256), HasSubstr("decoder has 618645179420 parameters"));
  EXPECT_THAT(error_with(8192, 16), HasSubstr("decoder."));  // which the file does not hold
}

}  // namespace
}  // namespace calfvo
