// SPDX-License-Identifier: Apache-2.0
// `calfvo suite` as users call it: its averages against `calfvo eval`, resuming, failures, formats, usage.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "calfvo/refine.h"
#include "io/datasets/test_layouts.h"
#include "nn/architecture/model_file.h"
#include "run_program.h"
#include "vo/tiny_model.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::Not;

class SuiteCli : public testing::Test {
 protected:
  SuiteCli() {
    const ModelFile model = RandomModel(TinyConfig(), 1);
    SaveModelFile(model.config, *model.weights, DType::kF32, At("tiny.safetensors"));
  }
  void MakeClips() const {
    for (const char* arguments : {"--seed 1 -o data/one", "--seed 2 -o data/two"}) {
      const Outcome outcome =
          Calfvo(fmt::format("synth room --size 64x48 --quiet --frames 12 {}", arguments));
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    }
  }
  Outcome Calfvo(const std::string& arguments) const { return RunCalfvo(folder_.path(), arguments); }
  Outcome Suite(const std::string& arguments) const {
    return Calfvo("suite --model tiny.safetensors --data data -o out " + arguments);
  }
  std::filesystem::path At(const std::string& name) const { return folder_.path() / name; }

  const TempFolder folder_;
};

TEST_F(SuiteCli, AveragesAreThoseOfEval) {
  MakeClips();
  const Outcome suite = Suite("--format csv --table accuracy,global");
  ASSERT_EQ(suite.exit_code, 0) << suite.err;
  EXPECT_THAT(suite.err, HasSubstr("[2/2] tum-layout/two, overlap 5: 12 frames"));
  EXPECT_EQ(suite.out, ReadWholeFile(At("out/tables.csv")));
  const Outcome eval = Calfvo(
      "eval --json --ref data/one/groundtruth.txt data/two/groundtruth.txt --est "
      "out/tum-layout/one/trajectory.tum out/tum-layout/two/trajectory.tum --align sim3");
  const Outcome as_is = Calfvo(
      "eval --json --ref data/one/groundtruth.txt data/two/groundtruth.txt --est "
      "out/tum-layout/one/trajectory.tum out/tum-layout/two/trajectory.tum");
  const auto aligned_average = nlohmann::json::parse(eval.out)["average"];
  const auto average = nlohmann::json::parse(as_is.out)["average"];
  const auto line = [](const char* row, const char* column, double value, int decimals) {
    return fmt::format("{},{},{:.{}f},", row, column, value, decimals);
  };
  const char* ours = "\"tiny, this run\"";
  EXPECT_THAT(suite.out, HasSubstr(line(ours, "tum-layout t_rel", average["t_rel"], 4)));
  EXPECT_THAT(suite.out, HasSubstr(line(ours, "tum-layout r_rel", average["r_rel"], 4)));
  const char* global = "\"tum-layout: tiny, this run\"";
  EXPECT_THAT(suite.out, HasSubstr(line(global, "ATE as is", average["ate_as_is_rmse"], 3)));
  EXPECT_THAT(suite.out, HasSubstr(line(global, "ARE as is", average["are_as_is_deg_rmse"], 3)));
  EXPECT_THAT(suite.out, HasSubstr(line(global, "ATE aligned", aligned_average["ape_trans_rmse"], 3)));
  EXPECT_THAT(suite.out, HasSubstr(line(global, "ARE aligned", aligned_average["ape_rot_deg_rmse"], 3)));
}

// Recordings in the layouts of the paper's five test sets, a few frames each.
TEST_F(SuiteCli, AllTablesOfThePaperOnTheLoadersTestData) {
  const std::vector<Rigid3> truth = TruePoses(9);
  WriteScanNet(At("data/scannet/scene0707_00"), truth);
  WriteKitti(At("data/kitti"), "09", truth);
  WriteTartanAir(At("data/tartanair/ocean/Hard/P000"), "left", truth);
  std::vector<int64_t> times_us;
  std::vector<int64_t> times_ns;
  std::string poses;
  for (size_t i = 0; i < truth.size(); ++i) {
    times_us.push_back(1305031102'175304 + 33'000 * static_cast<int64_t>(i));
    times_ns.push_back(1403636579'763555584 + 50'000'000 * static_cast<int64_t>(i));
    poses += PoseLine(times_us.back(), truth[i]);
  }
  WriteTum(At("data/rgbd_dataset_freiburg1_xyz"), times_us, poses);
  WriteEuroc(At("data/MH_01_easy"), times_ns, times_ns, truth);
  // GeoCalib's centred principal point and a focal length that is 10 % too long.
  std::ofstream(At("other.txt")) << "kitti 09 790.7416 790.7416 607.1928 185.2157\n";
  const std::string splits = CALFVO_SPLITS "/*_test.txt";
  const Outcome suite = Suite("--table all --quiet --intrinsics other.txt --split " + splits);
  ASSERT_EQ(suite.exit_code, 0) << suite.err;
  for (const char* table : {"Table 1 of the paper", "Table 2 of the paper", "Tables 3 and S1 of the paper",
                            "Table S1 of the paper", "Table S2 of the paper", "Table S3 of the paper",
                            "Table S4 of the paper", "section S6 of the paper", "section 4.1 of the paper"}) {
    EXPECT_THAT(suite.out, HasSubstr(table));
  }
  for (const std::string benchmark : {"ScanNet", "KITTI", "TartanAir", "TUM", "EuRoC"}) {
    for (const std::string row :
         {": GeoCalib, paper", ": CalfVO, paper", ": tiny, this run", " t_rel: these runs"}) {
      EXPECT_THAT(suite.out, HasSubstr(benchmark + row));
    }
  }
  EXPECT_THAT(suite.out, testing::ContainsRegex("KITTI: other +1 +10\\.0 +10\\.0 +10\\.0 +0\\.0 +0\\.00"));
  EXPECT_THAT(suite.out, testing::ContainsRegex("no confidence, paper .* 0\\.0085 +0\\.2838"));
  const Outcome refused = Suite("--quiet --intrinsics none.txt");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("none.txt"));
}

// Refined paths are scored, and the network's own beside them.
TEST_F(SuiteCli, RefinesAndComparesMovers) {
  for (const char* share : {"0", "0.25"}) {
    const Outcome clip = Calfvo(fmt::format(
        "synth room --size 160x120 --quiet --frames 10 --no-video --movers {0} -o data/m{0}", share));
    ASSERT_EQ(clip.exit_code, 0) << clip.err;
  }
  EXPECT_FALSE(std::filesystem::exists(At("data/m0/mask")));
  EXPECT_TRUE(std::filesystem::exists(At("data/m0.25/mask/000009.png")));
  if (!CanRefine()) GTEST_SKIP() << "this build cannot refine";
  const Outcome suite = Suite("--refine --live --quiet --format csv --table movers,accuracy,runtime");
  ASSERT_EQ(suite.exit_code, 0) << suite.err;
  for (const char* line :
       {"movers,0 %: network,n,1,", "movers,25 %: network,n,1,", "movers,25 %: refined,n,1,"}) {
    EXPECT_THAT(suite.out, HasSubstr(line));
  }
  EXPECT_THAT(suite.out, HasSubstr("\"tiny refined, this run\",tum-layout t_rel,"));
  EXPECT_THAT(suite.out, HasSubstr("\"tum-layout: tiny, this run\",batch,1,"));
  const auto result = nlohmann::json::parse(ReadWholeFile(At("out/tum-layout/m0/result.json")));
  EXPECT_TRUE(result["refine"]);
  const Outcome eval =
      Calfvo("eval --json --ref data/m0/groundtruth.txt --est out/tum-layout/m0/network.tum");
  EXPECT_NEAR(result["network"]["t_rel"], nlohmann::json::parse(eval.out)["t_rel"], 1e-9);
  // Other settings than those of the folder.
  EXPECT_THAT(Suite("--quiet --table movers").err, HasSubstr("has other settings"));
  EXPECT_THAT(Suite("--refine --live --masks --quiet --table movers").err,
              testing::ContainsRegex("overlap 5, live, refine; now .*, live, refine, masks"));
}

// With masks, and for the table of movers without them beside it.
TEST_F(SuiteCli, RunsWithMasksAndWithout) {
  if (!CanRefine()) GTEST_SKIP() << "this build cannot refine";
  for (const char* share : {"0", "0.25"}) {
    const Outcome clip = Calfvo(fmt::format(
        "synth room --size 160x120 --quiet --frames 10 --no-video --movers {0} -o data/m{0}", share));
    ASSERT_EQ(clip.exit_code, 0) << clip.err;
  }
  const std::string command = "--refine --masks --quiet --format csv --table movers,accuracy";
  const Outcome suite = Suite(command);
  ASSERT_EQ(suite.exit_code, 0) << suite.err;
  for (const char* line : {"movers,0 %: network,n,1,", "movers,0 %: refined,n,1,",
                           "movers,25 %: network,n,1,", "movers,25 %: refined,n,1,",
                           "movers,25 %: refined with masks,n,1,", "movers,25 %: network with masks,n,1,"}) {
    EXPECT_THAT(suite.out, HasSubstr(line));
  }
  EXPECT_THAT(suite.out, HasSubstr("\"tiny refined with masks, this run\",tum-layout t_rel,"));
  const auto masks_of = [&](const char* run) {
    const auto json = nlohmann::json::parse(ReadWholeFile(At("out/tum-layout") / run / "run.json"));
    return json["options"].value("mask", "");
  };
  EXPECT_EQ(masks_of("m0"), "");
  EXPECT_THAT(masks_of("m0.25"), testing::EndsWith("data/m0.25/mask"));
  EXPECT_EQ(masks_of("m0.25/without-masks"), "");
  EXPECT_FALSE(std::filesystem::exists(At("out/tum-layout/m0/without-masks")));
  EXPECT_FALSE(std::filesystem::exists(At("out/tum-layout/m0.25/without-masks/report")));
  // Done is done; only what is missing is run again.
  std::filesystem::remove(At("out/tum-layout/m0.25/without-masks/result.json"));
  const Outcome again = Suite("--refine --masks --format csv --table movers,accuracy");
  EXPECT_EQ(again.out, suite.out);
  EXPECT_THAT(again.err, HasSubstr("[2/2] tum-layout/m0.25, overlap 5, without masks: 10 frames"));
  EXPECT_THAT(again.err, Not(HasSubstr("[1/2]")));
  // Never without them into the same folder, nor with masks that have gone.
  EXPECT_THAT(Suite("--refine --quiet").err, testing::ContainsRegex("refine, masks; now .*refine\\)"));
  std::filesystem::rename(At("data/m0.25/mask"), At("data/m0.25/elsewhere"));
  EXPECT_THAT(Suite(command).err, HasSubstr("is the result of another sequence of this name"));
}

TEST_F(SuiteCli, ConfidenceIsAnImageToo) {
  MakeClips();
  const Outcome suite = Suite("--quiet --format html --table calibration");
  ASSERT_EQ(suite.exit_code, 0) << suite.err;
  EXPECT_THAT(suite.out, HasSubstr("<tr><td>data</td>"));  // the folder that both clips lie in
  EXPECT_THAT(suite.out, HasSubstr("observed share, translation"));
  EXPECT_THAT(ReadWholeFile(At("out/calibration.png")), testing::StartsWith("\x89PNG"));
  EXPECT_TRUE(std::filesystem::exists(At("out/tum-layout/one/report/largest-errors.png")));
}

TEST_F(SuiteCli, AFailureIsReportedAndTheSameCommandResumes) {
  MakeClips();
  const auto image = std::filesystem::directory_iterator(At("data/one/rgb"))->path();
  const std::string bytes = ReadWholeFile(image);
  std::ofstream(image) << "no image";
  const Outcome broken = Suite("--quiet --table completion");
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_THAT(broken.err, HasSubstr("1 of 2 sequences failed"));
  EXPECT_THAT(broken.err, HasSubstr(image.filename().string()));
  EXPECT_THAT(broken.out, HasSubstr("tum-layout: tiny, this run          2          1      24           12"));
  std::ofstream(image, std::ios::binary) << bytes;
  const Outcome again = Suite("--table completion");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("tum-layout/one"));
  EXPECT_THAT(again.err, Not(HasSubstr("tum-layout/two")));
}

TEST_F(SuiteCli, AFolderInUseMayBeTriedAgain) {
  MakeClips();
  std::filesystem::create_directories(At("out/tum-layout/one"));
  const std::string marker = At("out/tum-layout/one/unfinished.json");
  const int lock = ::open(marker.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  const Outcome outcome = Suite("--quiet --table completion");
  ::close(lock);
  EXPECT_EQ(outcome.exit_code, 75);
  EXPECT_THAT(outcome.err, HasSubstr("another calfvo process is writing to this folder"));
  EXPECT_THAT(outcome.err, HasSubstr("1 of 2 sequences failed"));
}

TEST_F(SuiteCli, ResultsOfOtherDataOfTheSameNameAreNotReported) {
  MakeClips();
  ASSERT_EQ(Suite("--quiet --table accuracy").exit_code, 0);
  std::filesystem::rename(At("data"), At("moved"));
  EXPECT_EQ(Calfvo("suite --model tiny.safetensors --data moved -o out --quiet --table accuracy").exit_code,
            0);
  ASSERT_EQ(Calfvo("synth room --size 64x48 --quiet --frames 12 --seed 3 -o data/one").exit_code, 0);
  const Outcome other = Suite("--quiet --table accuracy");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("one/result.json: is the result of another sequence of this name"));
}

TEST_F(SuiteCli, SeveralModelsInOneTable) {
  MakeClips();
  ModelConfig config = TinyConfig();
  config.head.rotation = RotationHead::kQuaternion;
  config.head.confidence = false;
  SaveModelFile(config, *RandomModel(config, 2).weights, DType::kF32, At("other.safetensors"));
  const std::string suite = "suite --data data --quiet --format csv --table accuracy --model ";
  const Outcome tiny = Calfvo(suite + "tiny.safetensors -o tiny");
  ASSERT_EQ(tiny.exit_code, 0) << tiny.err;
  ASSERT_EQ(Calfvo(suite + "other.safetensors -o other").exit_code, 0);
  const Outcome both = Calfvo("suite --compare tiny/ other --format csv -o tables");
  ASSERT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(both.out, ReadWholeFile(At("tables/comparison.csv")));
  EXPECT_THAT(both.out, HasSubstr("ablations,tiny,encoder,pair,\nablations,tiny,attention,time_space,\n"
                                  "ablations,tiny,rotation,procrustes,\nablations,tiny,confidence,yes,\n"));
  EXPECT_THAT(both.out,
              HasSubstr("ablations,other,rotation,quaternion,\nablations,other,confidence,none,\n"));
  EXPECT_THAT(both.out, HasSubstr(",best\n"));
  EXPECT_THAT(both.out, HasSubstr(",second\n"));
  // The number that the suite reported.
  const std::string before = "accuracy,\"tiny, this run\",tum-layout t_rel,";
  const size_t at = tiny.out.find(before);
  ASSERT_NE(at, std::string::npos);
  const size_t start = at + before.size();
  const std::string t_rel = tiny.out.substr(start, tiny.out.find(',', start) - start);
  EXPECT_THAT(both.out, HasSubstr("ablations,tiny,tum-layout t_rel," + t_rel + ","));

  const Outcome printed = Calfvo("suite --compare tiny other --format markdown");
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("| other | pair | time\\_space | quaternion | none | "));
  EXPECT_FALSE(std::filesystem::exists(At("comparison.md")));
}

TEST_F(SuiteCli, WhatCannotBeCompared) {
  const Outcome nothing = Calfvo("suite --compare .");
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_THAT(nothing.err, HasSubstr(".: no results of `calfvo suite`"));
  EXPECT_EQ(nothing.out, "");
  std::filesystem::create_directories(At("out/tum/walk"));
  std::ofstream(At("out/tum/walk/result.json")) << "{\"model\": \"ti";
  EXPECT_THAT(Calfvo("suite --compare out").err, HasSubstr("out/tum/walk/result.json: "));
  const Outcome with_data = Calfvo("suite --compare out --data data");
  EXPECT_EQ(with_data.exit_code, 2);
  EXPECT_THAT(with_data.err, HasSubstr("--data: cannot be combined with --compare, which runs nothing"));
  EXPECT_EQ(Calfvo("suite --compare out --overlap 3").exit_code, 2);
  EXPECT_EQ(Calfvo("suite --compare").exit_code, 2);
}

TEST_F(SuiteCli, WrongUsage) {
  const Outcome no_data = Calfvo("suite -o out");
  EXPECT_EQ(no_data.exit_code, 2);
  EXPECT_THAT(no_data.err, HasSubstr("--data, or --compare, is required"));
  const Outcome no_output = Calfvo("suite --data data");
  EXPECT_EQ(no_output.exit_code, 2);
  EXPECT_THAT(no_output.err, HasSubstr("--output is required"));
  EXPECT_EQ(Suite("--table accuracies").exit_code, 2);
  EXPECT_EQ(Suite("--format pdf").exit_code, 2);
  const Outcome none = Suite("");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("data: no such file or folder"));
}

}  // namespace
}  // namespace calfvo
