// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics/evaluation_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace calfvo {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;

// Two poses, the second off by `error_m`.
Evaluation TwoPoses(double error_m) {
  Trajectory reference;
  reference.timestamps_ns = {0, 1'000'000'000};
  reference.world_from_camera = {Rigid3{}, Rigid3{Quaternion::Identity(), {1.0, 0.0, 0.0}}};
  Trajectory estimate = reference;
  estimate.world_from_camera[1].translation.y() = error_m;
  return Evaluate(reference, estimate);
}

TEST(EvaluationJson, HasThePromisedKeys) {
  const json parsed = json::parse(EvaluationJson(TwoPoses(0.5)));
  EXPECT_EQ(parsed["pairs"], 2);
  EXPECT_EQ(parsed["align"], "none");
  EXPECT_EQ(parsed["scale"], 1.0);
  EXPECT_EQ(parsed["t_rel"], 0.5);
  EXPECT_EQ(parsed["r_rel"], 0.0);
  EXPECT_EQ(parsed["zero_motion"]["t_rel"], 1.0);  // the reference's only edge
  EXPECT_EQ(parsed["constant_motion"]["t_rel"], 0.0);
  EXPECT_EQ(parsed["constant_motion"]["r_rel"], 0.0);
  for (const char* key : {"ape_trans", "ape_rot_deg", "rpe_trans", "rpe_rot_deg"}) {
    for (const char* statistic : {"rmse", "mean", "median", "std", "min", "max"}) {
      EXPECT_TRUE(parsed[key][statistic].is_number()) << key << " " << statistic;
    }
  }
  EXPECT_EQ(parsed["ape_trans"]["max"], 0.5);
  EXPECT_TRUE(parsed["kitti"].is_null());
}

TEST(SequencesJson, AveragesOverWhatCompleted) {
  const std::vector<SequenceResult> results = {
      {"a", TwoPoses(0.5), ""}, {"b\xff", TwoPoses(0.25), ""}, {"c", {}, "no poses match"}};
  const json parsed = json::parse(SequencesJson(results));
  EXPECT_EQ(parsed["completed"], 2);
  EXPECT_EQ(parsed["average"]["t_rel"], 0.375);
  EXPECT_EQ(parsed["average"]["zero_motion_t_rel"], 1.0);
  EXPECT_EQ(parsed["average"]["constant_motion_t_rel"], 0.0);
  EXPECT_EQ(parsed["sequences"][0]["name"], "a");
  EXPECT_EQ(parsed["sequences"][1]["t_rel"], 0.25);
  EXPECT_EQ(parsed["sequences"][2]["error"], "no poses match");
}

TEST(SequencesText, MarksFailures) {
  const std::vector<SequenceResult> results = {{"a", TwoPoses(0.5), ""}, {"c", {}, "no poses match"}};
  const std::string text = SequencesText(results);
  EXPECT_THAT(text, HasSubstr("sequence  t_rel m  0 t_rel  c t_rel  r_rel °  0 r_rel  c r_rel"));
  EXPECT_THAT(text, HasSubstr("c          failed"));
  EXPECT_THAT(text, HasSubstr("average    0.5000    1.000        0"));
  EXPECT_THAT(text, HasSubstr("1 of 2 sequences completed"));
}

TEST(SequencesText, CountsHaveNoMeaninglessDecimals) {
  Evaluation three = TwoPoses(0.5);
  three.pairs.push_back({2, 2});
  const std::vector<SequenceResult> equal = {{"a", TwoPoses(0.5), ""}, {"b", TwoPoses(0.5), ""}};
  EXPECT_THAT(SequencesText(equal), ContainsRegex("a .*  2\nb .*  2\naverage .*  2\n"));
  const std::vector<SequenceResult> unequal = {{"a", TwoPoses(0.5), ""}, {"b", three, ""}};
  EXPECT_THAT(SequencesText(unequal), ContainsRegex("a .*  2\nb .*  3\naverage .*  2\\.5\n"));
  const std::vector<SequenceResult> failed = {{"a", {}, "no poses match"}};
  EXPECT_THAT(SequencesText(failed), ContainsRegex("average .*  -\n"));
}

TEST(EvaluationText, OnePairIsNotSeveral) {
  Evaluation evaluation = TwoPoses(0.5);
  evaluation.pairs.resize(1);
  EXPECT_THAT(EvaluationText(evaluation), testing::StartsWith("1 pair of 2 reference"));
}

TEST(EvaluationText, ShowsTheTable) {
  const std::string text = EvaluationText(TwoPoses(0.5));
  EXPECT_THAT(text,
              HasSubstr("2 pairs of 2 reference and 2 estimated poses, covering 100.0 % of the reference"));
  EXPECT_THAT(text, HasSubstr("                          t_rel, m/frame  r_rel, °/frame\n"
                              "estimate                          0.5000               0\n"
                              "static baseline                    1.000               0\n"
                              "constant-motion baseline               0               0\n"));
}

}  // namespace
}  // namespace calfvo
