// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace calfvo {
namespace {

TEST(ThreadPool, RunsEachIndexOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const int64_t count : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<size_t>(count));
      pool.ParallelFor(count, [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });
      for (const auto& call : calls) EXPECT_EQ(call, 1);
    }
  }
}

TEST(ThreadPool, ManyShortLoops) {
  ThreadPool pool(4);
  std::atomic<int64_t> sum = 0;
  for (int loop = 0; loop < 2000; ++loop) {
    pool.ParallelFor(7, [&](int64_t i) { sum += i; });
  }
  EXPECT_EQ(sum, 2000 * 21);
}

TEST(ThreadPool, RethrowsAndStaysUsable) {
  ThreadPool pool(3);
  EXPECT_THROW(pool.ParallelFor(100,
                                [](int64_t i) {
                                  if (i == 5) throw std::runtime_error("five");
                                }),
               std::runtime_error);
  std::atomic<int> calls = 0;
  pool.ParallelFor(10, [&](int64_t) { ++calls; });
  EXPECT_EQ(calls, 10);
}

TEST(ThreadPool, LoopsFromSeveralThreadsQueueUp) {
  ThreadPool pool(2);
  std::atomic<int> calls = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int loop = 0; loop < 100; ++loop) pool.ParallelFor(5, [&](int64_t) { ++calls; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(calls, 4 * 100 * 5);
}

}  // namespace
}  // namespace calfvo
