// SPDX-License-Identifier: Apache-2.0
#include "loop/train_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/base/testing.h"
#include "loop/curves_page.h"

namespace calfvo::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void Fill(TrainLog& log, int64_t from, int64_t to) {
  for (int64_t step = from; step <= to; step += 10) {
    const auto s = static_cast<double>(step);
    log.Add(TrainRecord{.step = step, .elapsed_s = 0.1 * s, .learning_rate = 1.0 / s, .loss = 100.0 / s});
    if (step % 20 != 0) continue;
    log.Add(HeldOutRecord{.step = step,
                          .score = 0.3,
                          .sets = {{"a&b", {.t_rel = 1.0 / s, .within_t = std::nan("")}}, {"c", {}}}});
  }
}

TEST(TrainLog, ResumedLogsEqualStraightOnes) {
  const TempFolder folder;
  TrainLog straight(folder.path() / "a", 0);
  Fill(straight, 10, 60);
  {
    TrainLog first(folder.path() / "b", 0);
    Fill(first, 10, 50);
    std::ofstream(folder.path() / "b", std::ios::app) << R"({"kind": "train", "st)";  // killed here
  }
  TrainLog second(folder.path() / "b", 30);
  EXPECT_EQ(second.train().size(), 3U);
  EXPECT_EQ(second.held_out().size(), 1U);
  EXPECT_EQ(second.train()[1].loss, 5.0);
  EXPECT_TRUE(std::isnan(second.held_out()[0].sets[0].scores.within_t));
  Fill(second, 40, 60);
  EXPECT_EQ(ReadWholeFile(folder.path() / "a"), ReadWholeFile(folder.path() / "b"));
  // From the first step on, nothing of an older run stays.
  const TrainLog anew(folder.path() / "b", 0);
  EXPECT_EQ(ReadWholeFile(folder.path() / "b"), "");
}

TEST(TrainLog, NamesTheLineThatIsWrong) {
  const TempFolder folder;
  std::ofstream(folder.path() / "a") << R"({"kind": "held_out", "step": 1})"
                                     << "\n";
  EXPECT_THAT(ErrorFrom([&] { TrainLog(folder.path() / "a", 10); }),
              HasSubstr("a:1: not a line of a training log"));
}

TEST(CurvesPage, ShowsWhatTheLogHolds) {
  const TempFolder folder;
  TrainLog log("", 0);
  WriteCurvesPage(log, {}, "t", folder.path() / "empty.html");
  EXPECT_THAT(ReadWholeFile(folder.path() / "empty.html"), HasSubstr("no step was taken yet"));
  Fill(log, 10, 60);
  WriteCurvesPage(log, {}, "a < b", folder.path() / "curves.html");
  EXPECT_THAT(ReadWholeFile(folder.path() / "curves.html"),
              AllOf(HasSubstr("a &lt; b"), HasSubstr("a&amp;b"), HasSubstr("step 60, 0.1 minutes"),
                    HasSubstr("data:image/svg+xml")));
}

// Curves are distinguished by their set's name, not its place: figures of "c" are equal with and without
// "a&b" beside.
TEST(CurvesPage, FollowsSetsThatAResumedRunChanged) {
  const auto page = [](std::vector<HeldOutRecord::Set> before) {
    const TempFolder folder;
    TrainLog log("", 0);
    for (const double t_rel : {0.5, 0.4}) {
      log.Add(HeldOutRecord{.step = static_cast<int64_t>(100.0 - 100.0 * t_rel), .sets = before});
      before.back().scores.t_rel = t_rel;
    }
    log.Add(HeldOutRecord{.step = 70, .sets = {{"c", {.t_rel = 0.3}}}});
    WriteCurvesPage(log, {}, "t", folder.path() / "curves.html");
    return ReadWholeFile(folder.path() / "curves.html");
  };
  EXPECT_EQ(page({{"a&b", {.t_rel = 9.0}}, {"c", {}}}), page({{"c", {}}}));
}

}  // namespace
}  // namespace calfvo::train
