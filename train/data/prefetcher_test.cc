// SPDX-License-Identifier: Apache-2.0
#include "data/prefetcher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "core/base/testing.h"

namespace calfvo::train {
namespace {

TEST(Prefetcher, GivesStepsInOrderAndFromWhereverAsked) {
  Prefetcher<int64_t> squares([](int64_t step) { return step * step; }, 3);
  for (int64_t i = 0; i < 50; ++i) EXPECT_EQ(squares.Take(i), i * i);
  for (int64_t i = 1000; i < 1010; ++i) EXPECT_EQ(squares.Take(i), i * i);
  EXPECT_EQ(squares.Take(7), 49);
  EXPECT_EQ(squares.Take(7), 49);
}

TEST(Prefetcher, MakesAtMostSoManyAhead) {
  std::atomic<int64_t> made = 0;
  Prefetcher<int64_t> steps(
      [&](int64_t step) {
        ++made;
        return step;
      },
      4);
  EXPECT_EQ(made, 0);  // nothing before the first step is known
  EXPECT_EQ(steps.Take(0), 0);
  while (made < 5) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(made, 5);
}

TEST(Prefetcher, ThrowsWhatMakingThrewAndGoesOn) {
  Prefetcher<int64_t> steps(
      [](int64_t step) {
        if (step == 2) throw Error("no step 2");
        return step;
      },
      2);
  EXPECT_EQ(steps.Take(1), 1);
  EXPECT_EQ(ErrorFrom([&] { steps.Take(2); }), "no step 2");
  EXPECT_EQ(steps.Take(3), 3);
}

}  // namespace
}  // namespace calfvo::train
