// SPDX-License-Identifier: Apache-2.0
#include "io/video/frame_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/testing.h"
#include "io/video/timestamp_repair.h"

namespace calfvo {
namespace {

using testing::ElementsAre;

// Ten frames a tenth of a second apart, the first at 5 s. Counts the images that were asked for.
class TenFrames final : public FrameSource {
 public:
  explicit TenFrames(int* images) : images_(images) {
    info_.frame_count = 10;
    info_.rate_hz = 10.0;
  }
  bool Advance(Frame& frame) override {
    if (index_ == 10) return false;
    frame.index = index_++;
    frame.timestamp_ns = 5'000'000'000 + frame.index * 100'000'000;
    return true;
  }
  void Read(Frame&) override { ++*images_; }
  const SourceInfo& info() const override { return info_; }

 private:
  int* const images_;
  SourceInfo info_;
  int64_t index_ = 0;
};

struct Selected {
  std::vector<int64_t> indices;
  std::vector<int64_t> times_ms;
  int64_t expected_count;
  int images;
};

Selected Select(const SourceOptions& options) {
  Selected selected{};
  const auto source = SelectFrames(std::make_unique<TenFrames>(&selected.images), options);
  selected.expected_count = source->info().frame_count.value();
  for (Frame frame; source->Next(frame);) {
    selected.indices.push_back(frame.index);
    selected.times_ms.push_back(frame.timestamp_ns / 1'000'000);
  }
  return selected;
}

TEST(SelectFrames, StridesWithoutReadingTheRest) {
  const Selected selected = Select({.stride = 3});
  EXPECT_THAT(selected.indices, ElementsAre(0, 3, 6, 9));
  EXPECT_THAT(selected.times_ms, ElementsAre(5000, 5300, 5600, 5900));
  EXPECT_EQ(selected.expected_count, 4);
  EXPECT_EQ(selected.images, 4);
}

TEST(SelectFrames, CutsByTimeSinceTheFirst) {
  const Selected selected = Select({.stride = 2, .start_s = 0.25, .end_s = 0.8});
  EXPECT_THAT(selected.indices, ElementsAre(3, 5, 7));
  EXPECT_EQ(selected.expected_count, 3);
  EXPECT_EQ(Select({.start_s = 0.3, .end_s = 0.4}).indices, std::vector<int64_t>{3});
  EXPECT_EQ(Select({.start_s = 2.0}).expected_count, 0);
  EXPECT_TRUE(Select({.start_s = 2.0}).indices.empty());
}

TEST(SelectFrames, GivenRateReplacesTimes) {
  const Selected selected = Select({.rate = FrameRate{50, 1}, .stride = 4, .start_s = 0.02});
  EXPECT_THAT(selected.indices, ElementsAre(1, 5, 9));
  EXPECT_THAT(selected.times_ms, ElementsAre(20, 100, 180));
  EXPECT_EQ(selected.expected_count, 3);
}

TEST(SourceOptions, NamesTheWrongOption) {
  const auto error_of = [](const SourceOptions& options) { return ErrorFrom([&] { options.Validate(); }); };
  EXPECT_EQ(error_of({}), "no error");
  EXPECT_EQ(error_of({.stride = 0}), "stride is 0; expected 1 or more");
  EXPECT_EQ(error_of({.start_s = -1.0}), "start is -1 s; expected 0 to 1e9");
  EXPECT_EQ(error_of({.start_s = 2.0, .end_s = 2.0}),
            "end is 2 s; expected more than start, which is 2 s, and at most 1e9");
  EXPECT_EQ(error_of({.stream = -2}), "stream is -2; expected 0 or more, or -1 for any");
  EXPECT_EQ(error_of({.rate = FrameRate{0, 1}}), "rate is 0/1; expected a positive rate");
}

std::vector<int64_t> Repaired(const std::vector<std::optional<int64_t>>& times) {
  TimestampRepair repair(10);
  std::vector<int64_t> repaired;
  for (const auto& time : times) repaired.push_back(repair.Next(time));
  return repaired;
}

TEST(TimestampRepair, KeepsTimeGoingOn) {
  EXPECT_THAT(Repaired({-7, 3, 4, 90}), ElementsAre(-7, 3, 4, 90));
  EXPECT_THAT(Repaired({{}, {}, 20, {}, 40}), ElementsAre(0, 10, 20, 30, 40));
  EXPECT_THAT(Repaired({10, 10, 20, 30}), ElementsAre(10, 15, 20, 30));
  EXPECT_THAT(Repaired({100, 0, 10, 20, 200}), ElementsAre(100, 105, 115, 125, 200));
  EXPECT_THAT(Repaired({INT64_MIN, 5, INT64_MAX}), ElementsAre(0, 5, 15));
}

}  // namespace
}  // namespace calfvo
