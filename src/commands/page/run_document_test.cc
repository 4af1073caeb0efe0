// SPDX-License-Identifier: Apache-2.0
#include "commands/page/run_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "commands/page/test_run.h"
#include "core/base/testing.h"
#include "core/trajectory/camera_file.h"
#include "core/trajectory/point_cloud.h"

namespace calfvo {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class RunDocument : public testing::Test {
 protected:
  RunDocument() { WriteTestRun(folder_.path(), "{}"); }
  std::string Text(const std::string& run_json = "{}", const std::string& title = "run") const {
    return RunDocumentJson(folder_.path(), run_json, title);
  }
  const TempFolder folder_;
};

TEST_F(RunDocument, HoldsTheRunButNoTimings) {
  const std::string text = Text(
      R"({"version":"1","source":"video: x","model":{"name":"m"},"wall_s":3.25,"options":{"max_diff_s":0.02},
          "eval":{"t_rel":0.5},"damages":[{"frame":2,"damage":"torn"}]})");
  const Json json = Json::parse(text);
  EXPECT_EQ(json["model"], "m");
  EXPECT_EQ(json["frames"], 3);
  EXPECT_EQ(json["max_diff_s"], 0.02);
  EXPECT_EQ(json["eval"]["t_rel"], 0.5);
  EXPECT_EQ(json["damages"][0]["damage"], "torn");
  EXPECT_EQ(json["path"]["time"].get<std::string>().size(), 32U);  // 24 bytes
  EXPECT_THAT(text, Not(HasSubstr("3.25")));
  EXPECT_FALSE(json.contains("truth"));
}

TEST_F(RunDocument, NamesCannotEndTheScript) {
  const std::string title = "</script><script>alert(1)</script><!-- \xff & \"";
  const std::string text = Text(R"({"source":"<!--"})", title);
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_THAT(Json::parse(text)["title"].get<std::string>(),
              HasSubstr("</script><script>alert(1)</script><!-- "));
}

TEST_F(RunDocument, UnexpectedRunJsonIsLeftOut) {
  for (const char* run : {"[]", "3", "{\"model\":3,\"options\":[],\"eval\":\"x\",\"damages\":{}}", ""}) {
    const Json json = Json::parse(Text(run));
    EXPECT_FALSE(json.contains("eval") || json.contains("model") || json.contains("damages")) << run;
  }
}

TEST_F(RunDocument, ShowsWhatRefinementWrote) {
  WriteText(folder_.path() / "network.tum", "0 0 0 0 0 0 0 1\n0.1 1 0 1 0 0 0 1\n0.2 2 0 2 0 0 0 1\n");
  WriteText(folder_.path() / "groundtruth.tum", "0 0 0 0 0 0 0 1\n0.2 2 0 2 0 0 0 1\n");
  WriteText(folder_.path() / "loops.csv", "first_frame,second_frame,inliers\n0,2,31\n");
  WriteCamera(GuessedCamera(640, 480), folder_.path() / "camera.json");
  std::vector<MapPoint> points(5);
  points[4].x_in_world = {1, 2, 3};
  WritePoints(points, folder_.path() / "points.ply");
  const std::string run = R"({"refine":{}})";
  const Json json = Json::parse(Text(run));
  EXPECT_EQ(json["network"]["position"].get<std::string>().size(), 48U);  // 36 bytes
  EXPECT_EQ(json["truth"]["time"].get<std::string>().size(), 24U);        // 16 bytes
  EXPECT_EQ(json["loops"]["pose"], "AAAAAAIAAAA=");
  EXPECT_EQ(json["camera"]["width"], 640);
  EXPECT_EQ(json["points"]["total"], 5);
  EXPECT_EQ(json["points"]["color"].get<std::string>().size(), 20U);  // 15 bytes
  const Json few = Json::parse(RunDocumentJson(folder_.path(), run, "", {.max_points = 2}));
  EXPECT_EQ(few["points"]["total"], 5);
  EXPECT_LE(few["points"]["color"].get<std::string>().size(), 12U);  // at most 3 points
}

// `calfvo synth` writes a camera.json of its own.
TEST_F(RunDocument, IgnoresFilesOfOthers) {
  WriteText(folder_.path() / "camera.json", R"({"model": "pinhole_radial2"})");
  EXPECT_FALSE(Json::parse(Text()).contains("camera"));
}

TEST_F(RunDocument, FilesThatDoNotFitAreErrors) {
  WriteText(folder_.path() / "network.tum", "0 0 0 0 0 0 0 1\n");
  EXPECT_THAT(ErrorFrom([&] { Text(R"({"refine":{}})"); }),
              HasSubstr("network.tum: has 1 poses, poses.csv beside it has 3"));
  std::filesystem::remove(folder_.path() / "network.tum");
  WriteText(folder_.path() / "loops.csv", "first_frame,second_frame,inliers\n0,3,31\n");
  EXPECT_THAT(ErrorFrom([&] { Text(R"({"refine":{}})"); }),
              HasSubstr("loops.csv: a loop names pose 3, but there are 3"));
}

TEST(ReadLoops, WrongLinesAreErrors) {
  const auto error = [](const std::string& text) {
    std::istringstream stream(text);
    return ErrorFrom([&] { ReadLoops(stream, "loops.csv"); });
  };
  const std::string header = "first_frame,second_frame,inliers\n";
  EXPECT_EQ(error(header), "no error");
  EXPECT_THAT(error("a,b\n"), HasSubstr("loops.csv:1: unknown header"));
  for (const char* line : {"1,2\n", "1,2,3,4\n", "1,-2,3\n", "1,2.5,3\n", "1,2,nan\n", "1,2,1e99\n"}) {
    EXPECT_THAT(error(header + line), HasSubstr("loops.csv:2")) << line;
  }
}

}  // namespace
}  // namespace calfvo
