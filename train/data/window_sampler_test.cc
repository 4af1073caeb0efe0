// SPDX-License-Identifier: Apache-2.0
#include "data/window_sampler.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/base/testing.h"
#include "data/posed_frames.h"
#include "data/test_sequence.h"
#include "data/test_streams.h"

namespace calfvo::train {
namespace {

std::vector<Rigid3> Poses(int frames) {
  return PosesUntilInvalid(TestSequence("s", frames));
}

// Four streams of one sequence of 100 frames and one of 37.
WindowSampler PaperSampler(int frames = 8) {
  return {PaperStreams(), std::vector(4, std::vector{Poses(100), Poses(37)}), frames};
}

TEST(WindowSampler, MixesStreamsAsThePaperSays) {
  const WindowSampler sampler = PaperSampler();
  std::map<int, int> windows;
  const int count = 40'000;
  for (int i = 0; i < count; ++i) ++windows[sampler.Draw(1, i / 64, i % 64).stream];
  const double expected[] = {0.36, 0.32, 0.16, 0.16};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(windows[i], expected[i] * count, 4.0 * std::sqrt(expected[i] * count)) << i;
  }
}

TEST(WindowSampler, DrawsSequencesAndStridesEvenly) {
  const WindowSampler sampler = PaperSampler();
  std::map<std::pair<int, int>, int> strides;  // by stream
  std::map<std::pair<int, int>, int> sequences;
  std::map<int, int> windows;
  for (int i = 0; i < 40'000; ++i) {
    const WindowChoice choice = sampler.Draw(2, i, 0);
    ++windows[choice.stream];
    ++strides[{choice.stream, choice.stride}];
    ++sequences[{choice.stream, choice.sequence}];
  }
  for (int stream = 0; stream < 4; ++stream) {
    const int kinds = stream < 2 ? 5 : 2;
    const double each = static_cast<double>(windows[stream]) / kinds;
    for (int stride = 1; stride <= 5; ++stride) {
      const double expected = stride <= kinds ? each : 0.0;
      EXPECT_NEAR((strides[{stream, stride}]), expected, 4.5 * std::sqrt(expected))
          << stream << " " << stride;
    }
    EXPECT_NEAR((sequences[{stream, 0}]), windows[stream] / 2, 4.0 * std::sqrt(windows[stream]));
  }
}

TEST(WindowSampler, StartsAreEvenAndReachBothEnds) {
  const WindowSampler sampler({{.name = "a", .min_stride = 3, .max_stride = 3}}, {{Poses(50)}}, 8);
  std::map<int64_t, int> starts;
  const int places = 50 - 7 * 3;
  for (int i = 0; i < places * 400; ++i) ++starts[sampler.Draw(3, i, i % 7).start];
  ASSERT_EQ(starts.size(), static_cast<size_t>(places));
  EXPECT_EQ(starts.begin()->first, 0);
  EXPECT_EQ(starts.rbegin()->first, places - 1);
  for (const auto& [start, count] : starts) EXPECT_NEAR(count, 400, 5 * 20) << start;
}

TEST(WindowSampler, FollowsFromSeedStepAndWindow) {
  const WindowSampler sampler = PaperSampler();
  const auto draw = [&](uint64_t seed, int64_t step, int window) {
    const WindowChoice c = sampler.Draw(seed, step, window);
    return std::tuple(c.stream, c.sequence, c.start, c.stride);
  };
  EXPECT_EQ(draw(1, 2, 3), draw(1, 2, 3));
  std::set<std::tuple<int, int, int64_t, int>> windows;
  for (int i = 0; i < 64; ++i) {
    windows.insert(draw(1, 0, i));
    windows.insert(draw(1, i + 1, 0));
    windows.insert(draw(i + 2, 0, 0));
  }
  EXPECT_GT(windows.size(), 140U);  // of 192; some coincide by chance
}

TEST(WindowSampler, StridesThatDoNotFitAreNotDrawn) {
  const WindowSampler sampler({{.name = "a"}}, {{Poses(7), Poses(22)}}, 8);  // 7 frames are too few
  std::set<int> strides;
  for (int i = 0; i < 500; ++i) {
    const WindowChoice choice = sampler.Draw(4, i, 0);
    EXPECT_EQ(choice.sequence, 1);
    EXPECT_LT(choice.start + 7 * choice.stride, 22);
    strides.insert(choice.stride);
  }
  EXPECT_EQ(strides, (std::set{1, 2, 3}));
}

TEST(WindowSampler, DiscardsWindowsWithJumpsAndKeepsTheMixture) {
  std::vector<Rigid3> poses = Poses(200);  // 0.25 m a frame
  for (size_t i = 100; i < 200; ++i) poses[i].translation.x() += 10.0;
  const std::vector<StreamOptions> streams = {{.name = "jumps", .max_step_m = 0.6}, {.name = "calm"}};
  const WindowSampler sampler(streams, {{poses}, {poses}}, 8);
  std::map<int, int> windows;
  int with_jump = 0;
  for (int i = 0; i < 4000; ++i) {
    const WindowChoice choice = sampler.Draw(5, i, 0);
    ++windows[choice.stream];
    const int64_t end = choice.start + 7 * choice.stride;
    const bool jumps = choice.start < 100 && end >= 100;
    if (choice.stream == 1) {
      with_jump += jumps ? 1 : 0;
      continue;
    }
    EXPECT_FALSE(jumps);
    EXPECT_LE(choice.stride, 2);
  }
  EXPECT_NEAR(windows[0], 2000, 4 * 32);
  EXPECT_GT(with_jump, 50);
}

TEST(WindowSampler, GivesPosesOfTheFramesItChose) {
  const std::vector<Rigid3> poses = Poses(40);
  const WindowSampler sampler({{.name = "a"}}, {{poses}}, 4);
  const WindowChoice choice{.stream = 0, .sequence = 0, .start = 5, .stride = 3};
  const std::vector<Rigid3> relative = sampler.RelativePoses(choice);
  ASSERT_EQ(relative.size(), 3U);
  Rigid3 pose = poses[5];
  for (const Rigid3& step : relative) pose = pose * step;  // T_{i+1} = T_i · T_{i,i+1}
  EXPECT_LT((pose.translation - poses[14].translation).norm(), 1e-12);
  EXPECT_LT(AngleBetween(pose.rotation, poses[14].rotation), 1e-12);
}

TEST(WindowSampler, NamesWhatIsWrong) {
  const auto error = [](const StreamOptions& stream, int frames) {
    return ErrorFrom([&] { WindowSampler({stream}, {{Poses(20)}}, frames).Draw(0, 0, 0); });
  };
  EXPECT_EQ(error({.name = "a"}, 8), "no error");
  EXPECT_EQ(error({.name = "a", .min_stride = 3}, 8),
            "stream 'a': none of its 1 sequences has 22 frames with poses in a row");
  EXPECT_EQ(error({.name = "a", .min_stride = 0}, 8), "stream 'a': min_stride is 0; expected 1 or more");
  EXPECT_EQ(error({.name = "a", .min_stride = 6}, 8),
            "stream 'a': max_stride is 5; expected min_stride to 1000");
  EXPECT_EQ(error({.name = "a", .share = 0.0}, 8),
            "the shares of all streams are zero; expected one above zero");
  EXPECT_EQ(error({.name = "a", .max_step_m = 0.1}, 8),
            "stream 'a': of 1000 windows drawn none moves less than 0.1 m from frame to frame");
}

TEST(PosesUntilInvalid, EndsBeforeTheFirstInvalidPose) {
  TestSequence sequence("s", 30);
  sequence.frames()[12].world_from_camera.reset();
  sequence.frames()[20].world_from_camera.reset();
  EXPECT_EQ(PosesUntilInvalid(sequence).size(), 12U);
}

}  // namespace
}  // namespace calfvo::train
