// SPDX-License-Identifier: Apache-2.0
// Names of files and of models cannot control the terminal or forge a line of the output of any command.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nn/architecture/model_file.h"
#include "run_program.h"
#include "vo/tiny_model.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kName = "a\x1b[31m\nerror: forged \xc2\x9b\x7f";
constexpr const char* kShown = "a\\x1b[31m\\x0aerror: forged \\xc2\\x9b\\x7f";

class UntrustedNames : public testing::Test {
 protected:
  UntrustedNames() {
    ModelConfig config = TinyConfig();
    config.name = kName;
    config.training = kName;
    const ModelFile model = RandomModel(config, 1);
    SaveModelFile(model.config, *model.weights, DType::kF32, At(fmt::format("{}.safetensors", kName)));
  }

  // Runs the command with NAME replaced, checks what it prints, and returns all of it.
  std::string Printed(std::string arguments, int exit_code = 0) const {
    for (size_t at = arguments.find("NAME"); at != std::string::npos; at = arguments.find("NAME")) {
      arguments.replace(at, 4, kName);
    }
    const Outcome outcome = RunCalfvo(folder_.path(), arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << arguments << '\n' << outcome.err;
    for (const std::string& text : {outcome.out, outcome.err}) {
      for (const char* bad : {"\x1b", "\nerror: forged", "\xc2\x9b", "\x7f"}) {
        EXPECT_THAT(text, Not(HasSubstr(bad))) << arguments;
      }
      EXPECT_THAT(text, Not(StartsWith("error: forged"))) << arguments;
    }
    return outcome.out + outcome.err;
  }
  std::filesystem::path At(const std::string& name) const { return folder_.path() / name; }

  const TempFolder folder_;
};

TEST_F(UntrustedNames, ArePrintableInEveryCommand) {
  const auto shown = HasSubstr(kShown);
  EXPECT_THAT(Printed("synth room --size 64x48 --frames 12 --no-video -o 'data/NAME'"), shown);
  EXPECT_THAT(Printed("info 'NAME.safetensors'"), shown);
  EXPECT_THAT(Printed("convert 'NAME.safetensors' -o 'b NAME.safetensors'"), shown);
  EXPECT_THAT(Printed("bench --seconds 0 --model 'NAME.safetensors'"), shown);
  EXPECT_THAT(Printed("run --model 'NAME.safetensors' 'data/NAME' -o 'out NAME'"), shown);
  EXPECT_THAT(Printed("attention --model 'NAME.safetensors' 'data/NAME' --frames 1 -o 'out NAME'"), shown);
  const std::string pair = "'data/NAME/groundtruth.txt' ";
  EXPECT_THAT(Printed("eval --ref " + pair + "--est 'out NAME/trajectory.tum' --plot 'plot NAME'"), shown);
  for (const char* format : {"text", "markdown", "latex", "csv"}) {
    EXPECT_THAT(Printed(fmt::format(
                    "suite --model 'NAME.safetensors' --data data -o suite --table all --format {}", format)),
                HasSubstr("forged"));
  }
  // Both files are trajectory.tum, so the table names the folders.
  EXPECT_THAT(Printed("eval --ref " + pair + pair +
                      "--est 'out NAME/trajectory.tum' 'suite/tum-layout/NAME/trajectory.tum'"),
              shown);
}

TEST_F(UntrustedNames, ArePrintableInErrors) {
  const auto shown = HasSubstr(kShown);
  EXPECT_THAT(Printed("run --model 'NAME.safetensors' 'no NAME.mp4'", 1), shown);
  EXPECT_THAT(Printed("info 'no NAME'", 1), shown);
  EXPECT_THAT(Printed("convert 'no NAME' -o b", 1), shown);
  EXPECT_THAT(Printed("eval --ref 'no NAME' --est b", 1), shown);
  EXPECT_THAT(Printed("suite --model 'NAME.safetensors' --data 'no NAME' -o suite", 1), shown);
  EXPECT_THAT(Printed("'NAME'", 2), shown);
  EXPECT_THAT(Printed("run --stride 'NAME' video.mp4", 2), shown);
  EXPECT_THAT(Printed("synth room -o a --size 'NAME'", 2), shown);
  EXPECT_THAT(Printed("eval --ref a --est b --align 'NAME'", 2), shown);
}

}  // namespace
}  // namespace calfvo
