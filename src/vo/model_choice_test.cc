// SPDX-License-Identifier: Apache-2.0
#include "vo/model_choice.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/sha256.h"
#include "core/base/testing.h"
#include "vo/tiny_model.h"

namespace calfvo {
namespace {

TEST(ModelChoice, FilesNamesAndRandomWeights) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "mine.safetensors";
  const ModelFile model = RandomModel(TinyConfig(), 5);
  SaveModelFile(model.config, *model.weights, DType::kF32, path);

  EXPECT_EQ(OpenModel(path.string()).path, path);
  const ScopedEnvironment models("CALFVO_MODELS", folder.path());
  EXPECT_EQ(OpenModel("mine").path, path);
  std::ofstream(folder.path() / "SHA256SUMS") << std::string(64, '0') << "  mine.safetensors\n";
  EXPECT_NE(ErrorFrom([] { OpenModel("mine"); }).find("damaged: its SHA-256 is "), std::string::npos);
  std::ofstream(folder.path() / "SHA256SUMS") << Sha256OfFile(path) << "  mine.safetensors\n";
  EXPECT_EQ(OpenModel("mine").path, path);

  const auto first_value = [](const std::string& name) {
    const ChosenModel chosen = OpenModel(name);
    return chosen.file.weights->Get("head.weight").Data<float>()[0];
  };
  EXPECT_EQ(first_value("random:calfvo-s:7"), first_value("random:calfvo-s:7"));
  EXPECT_NE(first_value("random:calfvo-s:7"), first_value("random:calfvo-s"));
  EXPECT_EQ(OpenModel("random:calfvo-s").file.config.name, "random:calfvo-s:1");
  EXPECT_EQ(OpenModel("random:calfvo-s:7").file.config.name, "random:calfvo-s:7");
}

TEST(ModelChoice, FoldersAreNotModels) {
  const TempFolder folder;
  const ModelFile model = RandomModel(TinyConfig(), 5);
  SaveModelFile(model.config, *model.weights, DType::kF32, folder.path() / "mine.safetensors");
  std::filesystem::create_directories(folder.path() / "here/mine");
  std::filesystem::create_directories(folder.path() / "here/yours");
  const ScopedCurrentFolder here(folder.path() / "here");
  const ScopedEnvironment models("CALFVO_MODELS", folder.path());
  EXPECT_EQ(OpenModel("mine").path, folder.path() / "mine.safetensors");
  const std::string message = ErrorFrom([] { OpenModel("yours"); });
  EXPECT_NE(message.find("no model 'yours'; looked for yours (which is a folder), "), std::string::npos)
      << message;
}

TEST(ModelChoice, NamesWhereItLooked) {
  const std::string message = ErrorFrom([] { OpenModel("no-such-model"); });
  EXPECT_NE(message.find("no-such-model.safetensors"), std::string::npos) << message;
  EXPECT_NE(ErrorFrom([] { OpenModel("random:calfvo-s:x"); }).find("'x' is not a seed"), std::string::npos);
  EXPECT_NE(ErrorFrom([] { OpenModel("random:nothing"); }).find("nothing"), std::string::npos);
}

}  // namespace
}  // namespace calfvo
