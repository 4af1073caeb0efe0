// SPDX-License-Identifier: Apache-2.0
#include "nn/architecture/model_config.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string ParseError(const std::string& json) {
  return ErrorFrom([&] { ParseModelConfig(json, "file"); });
}

TEST(ModelConfig, NamedOnesSurviveTheirJson) {
  for (const char* name : {"calfvo-l", "calfvo-s"}) {
    const ModelConfig config = NamedConfig(name);
    const std::string json = ModelConfigJson(config);
    EXPECT_EQ(ModelConfigJson(ParseModelConfig(json, "file")), json);
  }
  EXPECT_THAT(ErrorFrom([] { NamedConfig("calfvo-xl"); }),
              HasSubstr("'calfvo-xl'; expected calfvo-l or calfvo-s"));
}

TEST(ModelConfig, EveryKindSurvivesItsJson) {
  for (const EncoderKind kind :
       {EncoderKind::kCroco, EncoderKind::kDinov2, EncoderKind::kDinov3, EncoderKind::kPair}) {
    for (const RotationHead head : {RotationHead::kProcrustes, RotationHead::kGramSchmidt,
                                    RotationHead::kQuaternion, RotationHead::kEuler}) {
      ModelConfig config = NamedConfig("calfvo-s");
      config.encoder.kind = kind;
      config.head.rotation = head;
      const std::string json = ModelConfigJson(config);
      EXPECT_EQ(ModelConfigJson(ParseModelConfig(json, "file")), json);
    }
  }
}

TEST(ModelConfig, TheAspectIsAnOptionThatIsWrittenOnlyWhereItIsOn) {
  ModelConfig config = NamedConfig("calfvo-s");
  const std::string without = ModelConfigJson(config);
  EXPECT_EQ(without.find("aspect"), std::string::npos);
  EXPECT_FALSE(ParseModelConfig(without, "file").input.aspect);
  const size_t tensors = ModelTensors(config).size();

  config.input.aspect = true;
  const std::string with = ModelConfigJson(config);
  EXPECT_TRUE(ParseModelConfig(with, "file").input.aspect);
  EXPECT_EQ(ModelConfigJson(ParseModelConfig(with, "file")), with);
  EXPECT_EQ(
      ModelConfigJson(ParseModelConfig(Replaced(with, "\"aspect\": true", "\"aspect\": false"), "file")),
      without);
  const std::vector<TensorSpec> more = ModelTensors(config);
  ASSERT_EQ(more.size(), tensors + 1);
  const auto added = std::find_if(more.begin(), more.end(),
                                  [](const TensorSpec& spec) { return spec.name == "decoder.aspect"; });
  ASSERT_NE(added, more.end());
  EXPECT_EQ(added->shape, std::vector<int64_t>{256});

  EXPECT_THAT(ParseError(Replaced(with, "\"aspect\": true", "\"aspect\": 1")),
              HasSubstr("input.aspect is not true or false"));
  EXPECT_THAT(ParseError(Replaced(with, "\"squash\"", "\"crop\"")),
              HasSubstr("input.aspect is true, but input.resize is not squash"));
}

TEST(ModelConfig, TheCorrelationOfStepsIsWrittenOnlyWhereThereIsOne) {
  ModelConfig config = NamedConfig("calfvo-s");
  EXPECT_EQ(ModelConfigJson(config).find("step_correlation"), std::string::npos);
  config.head.step_correlation = {0.25, 0.5};
  const ModelConfig read = ParseModelConfig(ModelConfigJson(config), "file");
  EXPECT_EQ(read.head.step_correlation, config.head.step_correlation);
  for (const double wrong : {-0.1, 1.0, 1e300}) {
    config.head.step_correlation[1] = wrong;
    EXPECT_THAT(ParseError(ModelConfigJson(config)), HasSubstr("head.step_correlation is"));
  }
}

TEST(ModelConfig, CountsThePapersParameters) {
  const auto tensors = ModelTensors(NamedConfig("calfvo-l"));
  int64_t encoder = 0;
  for (const TensorSpec& tensor : tensors) {
    if (tensor.name.starts_with("encoder.")) encoder += ParameterCount({tensor});
  }
  EXPECT_EQ(encoder, 303'098'880);  // what the published ViT-L encoder has
  EXPECT_NEAR(static_cast<double>(ParameterCount(tensors) - encoder), 215e6, 5e6);
}

TEST(ModelConfig, IsStrict) {
  const std::string good = ModelConfigJson(NamedConfig("calfvo-l"));
  EXPECT_THAT(ParseError("{"), HasSubstr("file: config is not valid JSON at byte 2"));
  EXPECT_THAT(ParseError("[]"), HasSubstr("config is not a JSON object"));
  EXPECT_THAT(ParseError("{}"), HasSubstr("config.format is missing"));
  EXPECT_THAT(ParseError(Replaced(good, "\"format\": 1", "\"format\": 2")),
              HasSubstr("format is 2; this version reads 1"));
  EXPECT_THAT(ParseError(Replaced(good, "\"window\": 8", "\"window\": 8, \"windows\": 8")),
              HasSubstr("config has the unknown key 'windows'"));
  EXPECT_THAT(ParseError(Replaced(good, "\"window\": 8", "\"window\": 8, \"window\": 9")),
              HasSubstr("has the key 'window' twice"));
  EXPECT_THAT(ParseError(Replaced(good, "\"window\": 8", "\"window\": 8.5")),
              HasSubstr("config.window is not a small whole number"));
  EXPECT_THAT(ParseError(Replaced(good, "\"window\": 8", "\"window\": 99999999999999999999")),
              HasSubstr("config.window is not a small whole number"));
  EXPECT_THAT(ParseError(Replaced(good, "\"window\": 8", "\"window\": 1")),
              HasSubstr("window is 1; expected 2 to 64"));
  EXPECT_THAT(ParseError(Replaced(good, "procrustes", "svd")),
              HasSubstr("head.rotation is 'svd'; expected one of procrustes, gram_schmidt"));
  EXPECT_THAT(ParseError(Replaced(good, "\"confidence\": true", "\"confidence\": 1")),
              HasSubstr("head.confidence is not true or false"));
  EXPECT_THAT(ParseError(Replaced(good, "\"patch\": 16", "\"patch\": 15")),
              HasSubstr("input.size 224 is not a multiple of encoder.patch 15"));
  EXPECT_THAT(ParseError(Replaced(good, "\"depth\": 24", "\"depth\": 1000000")),
              HasSubstr("encoder.depth is 1000000"));
  EXPECT_THAT(ParseError(Replaced(good, "\"heads\": 16", "\"heads\": 3")),
              HasSubstr("does not split into 3 heads"));
  EXPECT_THAT(ParseError(std::string(100, '[')), HasSubstr("file: config is"));
  std::string many = "{\"0\": 0";
  for (int i = 1; i < 100; ++i) many += fmt::format(", \"{}\": 0", i);
  EXPECT_EQ(ParseError(many + "}"), "file: config has an object of more than 64 keys");
  std::string objects = "[{}";
  for (int i = 0; i < 100'000; ++i) objects += ",{}";
  EXPECT_EQ(ParseError(objects + "]"), "file: config has 300004 bytes; expected at most 65536");
  EXPECT_LT(ParseError("{\"name\": " + std::string(10'000, 'x') + "}").size(), 300U);
  // A few such steps would be nowhere.
  ModelConfig wild = NamedConfig("calfvo-l");
  wild.head.translation_mean[1] = 1e308;
  EXPECT_THAT(ParseError(ModelConfigJson(wild)),
              HasSubstr("translation_mean is 1e+308; expected a number within"));
}

// Every size is one that some network may have, and a small file may hold all weights of the last three.
TEST(ModelConfig, SizesThatTogetherAreAbsurdAreRefused) {
  const auto error_with = [](const char* name, const auto& change) {
    ModelConfig config = NamedConfig(name);
    change(config);
    return ParseError(ModelConfigJson(config));
  };
  EXPECT_THAT(error_with("calfvo-l",
                         [](ModelConfig& config) {
                           config.encoder.dim = 16384;
                           config.encoder.depth = 256;
                           config.encoder.hidden = 131072;
                         }),
              HasSubstr("file: encoder has 1374473469952 parameters by its dim, hidden and depth"));
  const auto tiny = [](ModelConfig& config) {
    config.encoder.dim = config.decoder.dim = 16;
    config.encoder.heads = config.decoder.heads = 1;
    config.encoder.depth = config.decoder.depth = 1;
    config.encoder.hidden = config.decoder.hidden = 16;
    config.input.size = 4096;
  };
  EXPECT_THAT(
      error_with("calfvo-l",
                 [&](ModelConfig& config) {
                   tiny(config);
                   config.encoder.hidden = 131072;
                 }),
      HasSubstr("input.size 4096 with encoder.patch 16 makes 65536 tokens a frame; by the sizes beside "
                "it, a window of 8 frames needs matrices of 68719476736 numbers, expected at most "
                "1073741824"));
  EXPECT_THAT(error_with("calfvo-l",
                         [&](ModelConfig& config) {
                           tiny(config);
                           config.encoder.patch = 1;
                         }),
              HasSubstr("makes 16777216 tokens a frame"));
  EXPECT_THAT(error_with("calfvo-l",
                         [&](ModelConfig& config) {
                           tiny(config);
                           config.input.size = 512;
                           config.encoder.patch = 2;
                         }),
              HasSubstr("makes 65536 tokens a frame; expected at most 16384"));
  EXPECT_THAT(error_with("calfvo-l",
                         [&](ModelConfig& config) {
                           tiny(config);
                           config.input.size = 1920;
                           config.decoder.kind = DecoderKind::kFull;
                         }),
              HasSubstr("a window of 8 frames has 115200 tokens; expected at most 65536"));
  EXPECT_THAT(error_with("calfvo-s",
                         [&](ModelConfig& config) {
                           tiny(config);
                           config.encoder.channels = {16384, 1, 1, 16};
                         }),
              HasSubstr("needs matrices of"));
  // An encoder of 7e9 parameters, and calfvo-s on images of a megapixel.
  EXPECT_EQ(error_with("calfvo-l",
                       [](ModelConfig& config) {
                         config.encoder.dim = 4096;
                         config.encoder.depth = 40;
                         config.encoder.heads = 32;
                         config.encoder.hidden = 16384;
                       }),
            "no error");
  EXPECT_EQ(error_with("calfvo-s", [](ModelConfig& config) { config.input.size = 1024; }), "no error");
}

}  // namespace
}  // namespace calfvo
