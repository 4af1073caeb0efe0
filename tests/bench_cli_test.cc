// SPDX-License-Identifier: Apache-2.0
// `calfvo bench` as users call it: output, files, messages and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "nn/architecture/model_file.h"
#include "run_program.h"
#include "vo/model_choice.h"
#include "vo/tiny_model.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<float> Values(const WeightSource& file, const std::string& name) {
  const auto values = file.Get(name).Data<float>();
  return {values.begin(), values.end()};
}

class BenchCli : public testing::Test {
 protected:
  BenchCli() {
    const ModelFile model = RandomModel(TinyConfig(), 1);
    SaveModelFile(model.config, *model.weights, DType::kF32, folder_.path() / "tiny.safetensors");
  }

  Outcome Calfvo(const std::string& arguments) const { return RunCalfvo(folder_.path(), arguments); }
  Outcome Bench(const std::string& arguments) const {
    return Calfvo("bench --model tiny.safetensors --seconds 0.01 " + arguments);
  }

  const TempFolder folder_;
};

TEST_F(BenchCli, PrintsATable) {
  const Outcome outcome = Bench("--backend ref");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, StartsWith("tiny.safetensors on ref f32"));
  EXPECT_THAT(outcome.out, HasSubstr("windows of 8 frames that share 5"));
  EXPECT_THAT(outcome.out, HasSubstr("\nlive            1       3 "));
  EXPECT_THAT(outcome.out, HasSubstr("\noffline        16      48 "));
}

TEST_F(BenchCli, JsonPrintsJsonOnly) {
  const Outcome outcome = Bench("--json --windows 2 --overlap 6 --precision f32 --threads 1");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["precision"], "f32");
  EXPECT_EQ(json["overlap"], 6);
  EXPECT_EQ(json["schedules"]["live"]["frames"], 2);
  EXPECT_EQ(json["schedules"]["offline"]["frames"], 4);
  EXPECT_GT(json["schedules"]["live"]["tflops"], 0.0);
}

TEST_F(BenchCli, ComparesThePrecisionsOfTheCpu) {
  const Outcome outcome = Bench("--json --backend cpu --threads 1");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto precisions = nlohmann::json::parse(outcome.out)["precisions"];
  for (const char* precision : {"f32", "int8"}) {
    ASSERT_TRUE(precisions.contains(precision)) << precision;
    EXPECT_THAT(precisions[precision]["backend"].get<std::string>(),
                StartsWith(std::string("cpu ") + precision));
    EXPECT_GT(precisions[precision]["peak_tflops"], 0.0);
    EXPECT_GT(precisions[precision]["share_of_peak"], 0.0);
    EXPECT_LT(precisions[precision]["share_of_peak"], 1.5);  // of a measurement beside other work
  }
  EXPECT_THAT(Bench("--backend cpu --threads 1").out, HasSubstr("live, in each precision of this CPU"));
}

// Two backends compute the same values from the same images.
TEST_F(BenchCli, DumpsAWindowToCompare) {
  ASSERT_EQ(Bench("--backend ref --dump ref.safetensors").exit_code, 0);
  ASSERT_EQ(Bench("--backend cpu --precision f32 --dump cpu.safetensors").exit_code, 0);
  const auto ref = OpenWeights(folder_.path() / "ref.safetensors");
  const auto cpu = OpenWeights(folder_.path() / "cpu.safetensors");
  EXPECT_EQ(Values(*cpu, "images"), Values(*ref, "images"));
  EXPECT_THAT(Values(*cpu, "values"), testing::Pointwise(testing::FloatNear(1e-4F), Values(*ref, "values")));
}

TEST_F(BenchCli, RandomWeightsCanBeWrittenToAFile) {
  const Outcome written = Calfvo("convert random:calfvo-s:7 -o random.safetensors --dtype f32");
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_THAT(written.out, HasSubstr("the weights are random:calfvo-s:7"));
  const ModelFile file = LoadModelFile(folder_.path() / "random.safetensors");
  const ModelFile model = RandomModel(NamedConfig("calfvo-s"), 7);
  EXPECT_EQ(Values(*file.weights, "head.bias"), Values(*model.weights, "head.bias"));
}

TEST_F(BenchCli, ConvertTakesModelsByNameAndRenamesThem) {
  const Outcome written =
      Calfvo("convert calfvo-s -o mine.safetensors --name mine --temperature 2 1 --correlation 0.5 0.75");
  ASSERT_EQ(written.exit_code, 0) << written.err;
  const ModelConfig shipped = OpenModel("calfvo-s").file.config;
  const ModelConfig mine = LoadModelFile(folder_.path() / "mine.safetensors").config;
  EXPECT_EQ(mine.name, "mine");
  EXPECT_EQ(mine.training, shipped.training);
  EXPECT_NEAR(mine.head.log_variance_shift[0], shipped.head.log_variance_shift[0] + std::log(2.0), 1e-12);
  EXPECT_EQ(mine.head.log_variance_shift[1], shipped.head.log_variance_shift[1]);
  EXPECT_EQ(mine.head.step_correlation, (std::array<double, 2>{0.5, 0.75}));
}

// Options without effect are rejected.
TEST_F(BenchCli, ConvertRefusesWhatDoesNotApply) {
  for (const char* option : {"--heads 4", "--seed 3"}) {
    const Outcome outcome = Calfvo(std::string("convert random:calfvo-s:1 -o x.safetensors ") + option);
    EXPECT_EQ(outcome.exit_code, 1) << option;
    EXPECT_THAT(outcome.err, HasSubstr("applies to checkpoints only")) << option;
  }
  EXPECT_EQ(Calfvo("convert random:calfvo-s:1 -o x.safetensors --seed -1").exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "x.safetensors"));
}

TEST_F(BenchCli, WrongUsage) {
  struct Case {
    const char* arguments;
    int exit_code;
    const char* message;
  };
  const Case cases[] = {
      {"--backend magic", 2, "--backend: magic not in {auto,cpu,cuda,ref}"},
      {"--overlap 8", 1, "windows of 8 frames can share 1 to 7"},
      {"--windows 0", 2, "--windows: '0' is not a whole number from 1 to 1024"},
      {"--seconds nan", 2, "--seconds: 'nan'"},
      {"--windows few", 2, "few"},
      {"--dump none/x.safetensors", 1, "none/x.safetensors"},
      {"--overwrite", 2, "--overwrite requires --dump"},
      {"--model no-such", 1, "no model 'no-such'"},
  };
  for (const Case& wrong : cases) {
    const Outcome outcome = Calfvo(std::string("bench ") + wrong.arguments);
    EXPECT_EQ(outcome.exit_code, wrong.exit_code) << wrong.arguments << "\n" << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(wrong.message)) << wrong.arguments;
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_EQ(Calfvo("convert random:none -o x").exit_code, 1);
}

}  // namespace
}  // namespace calfvo
