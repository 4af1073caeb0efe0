// SPDX-License-Identifier: Apache-2.0
// `calfvo` as users call it: output, exit codes and messages.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/atomic_file.h"
#include "core/base/testing.h"
#include "run_program.h"

namespace calfvo {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    const std::string make = std::string(CALFVO_MAKE_TRAJECTORIES) + " " + folder_.path().string() + " 500";
    ASSERT_EQ(std::system(make.c_str()), 0);
  }

  Outcome Calfvo(const std::string& arguments) const { return RunCalfvo(folder_.path(), arguments); }

  void Write(const std::string& name, const std::string& text) const {
    WriteFileAtomically(folder_.path() / name, text);
  }

  const TempFolder folder_;
};

TEST_F(Cli, EvalPrintsATable) {
  const Outcome outcome = Calfvo("eval --ref groundtruth.txt --est estimate.txt");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("500 pairs of 500 reference and 500 estimated poses"));
  EXPECT_THAT(outcome.out, HasSubstr("RPE translation, m/frame"));
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Cli, EvalJsonPrintsJsonOnly) {
  const Outcome outcome =
      Calfvo("eval --ref groundtruth.txt --est estimate.txt --json --align sim3 --plot plots");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json parsed = json::parse(outcome.out);
  EXPECT_EQ(parsed["pairs"], 500);
  EXPECT_EQ(parsed["align"], "sim3");
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "plots" / "report.html"));
}

TEST_F(Cli, EvalOfSeveralPairsGivesRowsAndTheirAverage) {
  const Outcome outcome = Calfvo(
      "eval --ref groundtruth.txt groundtruth.txt --est estimate.txt groundtruth.txt --json --plot plots");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json parsed = json::parse(outcome.out);
  EXPECT_EQ(parsed["sequences"][1]["t_rel"], 0.0);
  EXPECT_NEAR(parsed["average"]["t_rel"].get<double>(), parsed["sequences"][0]["t_rel"].get<double>() / 2,
              1e-12);
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "plots" / "estimate" / "path.png"));
}

TEST_F(Cli, EvalWritesOneFolderPerPair) {
  for (const char* name : {"a.tum", "b/a.tum", "a-2.tum", "...tum"}) {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::filesystem::copy(folder_.path() / "estimate.txt", folder_.path() / name);
  }
  const Outcome outcome = Calfvo(
      "eval --ref groundtruth.txt groundtruth.txt groundtruth.txt groundtruth.txt "
      "--est a.tum b/a.tum a-2.tum ...tum --plot plots");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* name : {"a", "a-2", "a-2-2", "...tum"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / "plots" / name / "report.html")) << name;
  }
}

TEST_F(Cli, EvalNamesPairsByFolderIfAllFileNamesAreEqual) {
  for (const char* name : {"room/trajectory.tum", "drive/trajectory.tum"}) {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::filesystem::copy(folder_.path() / "estimate.txt", folder_.path() / name);
  }
  const Outcome outcome = Calfvo(
      "eval --ref groundtruth.txt groundtruth.txt --est room/trajectory.tum drive/trajectory.tum --json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json parsed = json::parse(outcome.out);
  EXPECT_EQ(parsed["sequences"][0]["name"], "room");
  EXPECT_EQ(parsed["sequences"][1]["name"], "drive");
}

TEST_F(Cli, OneBadPairDoesNotStopTheRest) {
  const Outcome outcome = Calfvo("eval --ref groundtruth.txt groundtruth.txt --est missing.txt estimate.txt");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("1 of 2 sequences completed"));
  EXPECT_EQ(outcome.err, "error: missing.txt: cannot open: No such file or directory\n");
  Write("late.txt", "5000 0 0 0 0 0 0 1\n");
  EXPECT_THAT(Calfvo("eval --ref groundtruth.txt groundtruth.txt --est estimate.txt late.txt").err,
              StartsWith("error: late.txt: no poses match within 0.01 s"));
}

TEST_F(Cli, BadFilesGiveOneLineAndExitCodeOne) {
  Write("bad.txt", "0 0 0 0 0 0 0 1\n1 0 0 zero 0 0 0 1\n");
  const Outcome bad = Calfvo("eval --ref groundtruth.txt --est bad.txt");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_EQ(bad.out, "");
  EXPECT_EQ(bad.err,
            "error: bad.txt:2: field 4 'zero' is not a number; expected 'timestamp tx ty tz qx qy qz qw'\n");

  Write("late.txt", "5000 0 0 0 0 0 0 1\n");
  EXPECT_THAT(Calfvo("eval --ref groundtruth.txt --est late.txt").err,
              StartsWith("error: late.txt: no poses match within 0.01 s"));

  // Milliseconds instead of seconds: the first pose matches by chance.
  std::string seconds, milliseconds;
  for (int i = 0; i < 5; ++i) {
    seconds += fmt::format("{} 0 0 0 0 0 0 1\n", i);
    milliseconds += fmt::format("{} 0 0 0 0 0 0 1\n", 1000 * i);
  }
  Write("seconds.txt", seconds);
  Write("milliseconds.txt", milliseconds);
  const Outcome few = Calfvo("eval --ref seconds.txt --est milliseconds.txt");
  EXPECT_EQ(few.exit_code, 0);
  EXPECT_EQ(few.err,
            "warning: milliseconds: only 1 of 5 poses match within 0.01 s; do both files have the same clock "
            "and unit "
            "of time?\n");

  const Outcome unwritable = Calfvo("eval --ref groundtruth.txt --est estimate.txt --plot bad.txt/x");
  EXPECT_EQ(unwritable.exit_code, 1);
  EXPECT_THAT(unwritable.err, HasSubstr("bad.txt/x: cannot make the folder"));
}

TEST_F(Cli, BadUsageIsExitCodeTwo) {
  for (const char* arguments : {"", "nonsense", "eval", "eval --ref groundtruth.txt", "eval --align cubic",
                                "eval --ref groundtruth.txt --est estimate.txt --max-diff -1",
                                "eval --ref groundtruth.txt groundtruth.txt --est estimate.txt",
                                "eval --ref groundtruth.txt --est estimate.txt --plane xy",
                                "eval --ref groundtruth.txt --est estimate.txt --colour"}) {
    const Outcome outcome = Calfvo(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_THAT(outcome.err, StartsWith("error: ")) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr("--help'.\n")) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
  }
}

// nan passes naive range checks.
TEST_F(Cli, WrongValuesAreNamedAndExitCodeTwo) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "error: a command is required: attention bench "},
      {"nonsense --json", "error: unknown command 'nonsense'; expected one of attention bench "},
      {"run --none", "error: unknown option '--none'\n"},
      {"run a b", "error: unexpected argument 'b'; several inputs need --manifest FILE\n"},
      {"run a --export npz --export ply", "error: --export is given 2 times; expected once\n"},
      {"run a --manifest b", "error: INPUT: and --manifest are both given: one expected\n"},
      {"run a --threads 1.5", "--threads: '1.5' is not a whole number from 0 to 1024\n"},
      {"export", "error: RUN_DIR is required: Folder of a complete run\n"},
      {"eval --ref a --est ''", "--est: expected a path, got an empty string\n"},
      {"eval --ref a --est b --max-diff nan", "--max-diff: 'nan' is not a number from 0 to 9000000000"},
      {"convert a -o b --temperature nan 1", "--temperature: 'nan' is not a number"},
      {"convert a -o b --correlation 0.5 1", "--correlation: '1' is not a number from 0 to 0.999"},
      {"export a npz --images", "error: --images: needs an export of colmap, nerfstudio or mcap\n"},
      {"run a --export colmap --undistort", "error: --undistort: needs --images\n"},
      {"run a --export colmap --compression lz4", "error: --compression: needs an export of mcap\n"},
      {"attention a -o b --x 2", "--x: '2' is not a number from 0 to 1\n"},
      {"attention a -o b --frames 0", "--frames: '0' is not a whole number from 1\n"},
      {"attention a -o b --start -1", "--start: '-1'"},
      {"suite --data a -o b --overlap 0", "--overlap: '0' is not a whole number from 1\n"},
      {"suite --data a -o b --datasets none", "--datasets: none not in {"},
      {"synth room -o b --depth-scale nan", "--depth-scale: 'nan'"},
  };
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = Calfvo(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << arguments;
  }
}

TEST_F(Cli, HelpOfRunGroupsItsOptions) {
  const std::string help = Calfvo("run --help").out;
  size_t at = 0;
  for (const char* title : {"\nOptions:\n", "\n\nInput:\n", "\n\nEstimation:\n", "\n\nRefinement:\n",
                            "\n\nOutput:\n", "\n\nMany videos:\n"}) {
    EXPECT_THAT(help.substr(at), HasSubstr(title));
    at = help.find(title, at);
  }
  EXPECT_THAT(help, testing::Not(HasSubstr("\n\n\n")));
}

TEST_F(Cli, FailedWritesToStandardOutputAreReported) {
  // The last command fills the stream's buffer, so that a write fails before the end.
  std::string files = "--ref", estimates = " --est";
  for (int i = 0; i < 40; ++i) {
    files += " groundtruth.txt";
    estimates += " estimate.txt";
  }
  for (const std::string& arguments :
       {std::string("eval --ref groundtruth.txt --est estimate.txt --json"), std::string("info"),
        std::string("--help"), "eval --json " + files + estimates}) {
    const Outcome outcome = RunProgram(folder_.path(), "(" CALFVO_PROGRAM " " + arguments + " >/dev/full)");
    EXPECT_EQ(outcome.exit_code, 75) << arguments;
    EXPECT_EQ(outcome.err, "error: standard output: write failed; is the disk full?\n");
  }
}

TEST_F(Cli, HelpTeaches) {
  EXPECT_THAT(Calfvo("--help").out, HasSubstr("calfvo run room/video.mp4"));
  for (const char* command :
       {"attention", "bench", "convert", "eval", "export", "info", "run", "suite", "synth", "view"}) {
    const Outcome help = Calfvo(std::string(command) + " --help");
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_THAT(help.out, HasSubstr(std::string("Examples:\n  calfvo ") + command)) << command;
    EXPECT_THAT(help.out, HasSubstr("Exit code:")) << command;
  }
  EXPECT_THAT(Calfvo("--version").out, StartsWith("calfvo 0."));
}

TEST_F(Cli, InfoDescribesTheMachine) {
  const Outcome outcome = Calfvo("info");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("  ref f32\n"));
  EXPECT_THAT(outcome.out, HasSubstr("(auto)\n"));
}

TEST_F(Cli, InfoDescribesAFolderOfImages) {
  ASSERT_EQ(Calfvo("synth room -o clip --frames 2 --size 64x48 --no-video --quiet").exit_code, 0);
  const Outcome outcome = Calfvo("info clip");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("clip: 2 images of 64x48 px"));
}

TEST_F(Cli, InfoDoesNotWaitForAPipe) {
  ASSERT_EQ(::mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
  const Outcome outcome = RunProgram(folder_.path(), "timeout 60 " CALFVO_PROGRAM " info pipe");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("pipe: is a pipe or a device"));
}

TEST_F(Cli, InfoTakesModelsAsRunDoes) {
  const Outcome named = Calfvo("info calfvo-s");
  EXPECT_EQ(named.exit_code, 0) << named.err;
  EXPECT_THAT(named.out, testing::ContainsRegex("calfvo-s\\.safetensors, [0-9.]+ MB\n"));
  EXPECT_THAT(named.out, HasSubstr("\"name\": \"calfvo-s\""));
  const Outcome random = Calfvo("info random:calfvo-s:3");
  EXPECT_EQ(random.exit_code, 0) << random.err;
  EXPECT_THAT(random.out, StartsWith("random:calfvo-s:3\n\nparameters\n"));
}

TEST_F(Cli, ConvertAndInfoRefuseOtherFiles) {
  Write("page.pth", "<!DOCTYPE html><html></html>");
  for (const char* command :
       {"convert page.pth -o out.safetensors", "info page.pth", "info missing.safetensors"}) {
    const Outcome outcome = Calfvo(command);
    EXPECT_EQ(outcome.exit_code, 1) << command;
    EXPECT_THAT(outcome.err, StartsWith("error: ")) << command;
    EXPECT_EQ(outcome.out, "") << command;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out.safetensors"));
  EXPECT_EQ(Calfvo("convert page.pth").exit_code, 2);
}

TEST_F(Cli, SameInputSameBytes) {
  for (const char* folder : {"first", "second"}) {
    ASSERT_EQ(Calfvo(std::string("eval --ref groundtruth.txt --est estimate.txt --plot ") + folder).exit_code,
              0);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "first")) {
    EXPECT_EQ(ReadWholeFile(entry.path()),
              ReadWholeFile(folder_.path() / "second" / entry.path().filename()));
  }
}

#ifndef CALFVO_SANITIZED  // sanitizers need extra memory
TEST_F(Cli, AMillionPosesInUnder400Megabytes) {
  const std::string make = std::string(CALFVO_MAKE_TRAJECTORIES) + " " + folder_.path().string() + " 1000000";
  ASSERT_EQ(std::system(make.c_str()), 0);
  const Outcome outcome = Calfvo("eval --ref groundtruth.txt --est estimate.txt --align sim3 --json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["pairs"], 1'000'000);
  rusage usage{};
  ASSERT_EQ(::getrusage(RUSAGE_CHILDREN, &usage), 0);  // of the largest child so far
  EXPECT_LT(usage.ru_maxrss, 400'000) << "kB";
}
#endif

}  // namespace
}  // namespace calfvo
