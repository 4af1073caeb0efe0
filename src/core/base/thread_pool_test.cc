// SPDX-License-Identifier: Apache-2.0
#include "core/base/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "calfvo/error.h"
#include "core/base/testing.h"

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

TEST(ThreadPool, ThreadsOfALoopHaveDifferentNumbers) {
  ThreadPool pool(3);
  std::vector<std::atomic<bool>> busy(static_cast<size_t>(pool.size()));
  for (int loop = 0; loop < 200; ++loop) {
    pool.ParallelFor(9, [&](int64_t /*i*/, int thread) {
      ASSERT_GE(thread, 0);
      ASSERT_LT(thread, pool.size());
      EXPECT_FALSE(busy[static_cast<size_t>(thread)].exchange(true));
      std::this_thread::yield();
      busy[static_cast<size_t>(thread)] = false;
    });
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

// Where all have as much to do, each thread has the same part of every loop.
TEST(ThreadPool, ThreadsKeepTheirShare) {
  constexpr int64_t kThreads = 3;
  ThreadPool pool(kThreads);
  std::vector<std::thread::id> threads(kThreads);
  for (int loop = 0; loop < 100; ++loop) {
    std::atomic<int> begun = 0;
    pool.ParallelFor(2 * kThreads, [&](int64_t i) {
      // Nobody goes on before everybody has come so far.
      for (++begun; begun < kThreads * (1 + i % 2);) std::this_thread::yield();
      std::thread::id& thread = threads[static_cast<size_t>(i / 2)];
      if (loop == 0 && i % 2 == 0) thread = std::this_thread::get_id();
      EXPECT_EQ(thread, std::this_thread::get_id());
    });
  }
  EXPECT_EQ(threads[0], std::this_thread::get_id());
}

TEST(ThreadPool, ReportsWhereSharesEnd) {
  const ThreadPool pool(3);
  const auto ends = [&](int64_t count) {
    std::vector<int64_t> last;
    for (int64_t i = 0; i < count; ++i) {
      if (!pool.ShareGoesOn(i, count)) last.push_back(i);
    }
    return last;
  };
  EXPECT_EQ(ends(1), (std::vector<int64_t>{0}));
  EXPECT_EQ(ends(2), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(ends(6), (std::vector<int64_t>{1, 3, 5}));
  EXPECT_EQ(ends(10), (std::vector<int64_t>{2, 5, 9}));
}

TEST(ThreadPool, WhoIsDoneHelpsOthers) {
  ThreadPool pool(2);
  std::atomic<int> others = 0;
  pool.ParallelFor(10, [&](int64_t i) {
    while (i == 0 && others < 9) std::this_thread::yield();
    if (i > 0) ++others;
  });
  EXPECT_EQ(others, 9);
}

TEST(ThreadPool, RethrowsTheLowestIndexThatThrows) {
  ThreadPool pool(3);
  for (int loop = 0; loop < 100; ++loop) {
    EXPECT_EQ(ErrorFrom([&] {
                pool.ParallelFor(100, [](int64_t i) {
                  if (i % 40 == 5) throw Error(std::to_string(i));
                });
              }),
              "5");
  }
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

// As taskset(1), Slurm and containers leave it. Only the thread that asks is bound.
TEST(ThreadPool, HasAThreadPerCoreThatMayBeUsed) {
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(AvailableCores(), 1);
    EXPECT_EQ(ThreadPool(0).size(), 1);
  }).join();
}

TEST(AvailableCores, DoNotExceedTheQuota) {
  const TempFolder root;
  const int allowed = AvailableCores(root.path());
  std::filesystem::create_directories(root.path() / "proc/self");
  std::ofstream(root.path() / "proc/self/cgroup") << "0::/\n";
  std::ofstream(root.path() / "proc/self/mountinfo") << "30 23 0:26 / /groups rw - cgroup2 cgroup2 rw\n";
  std::filesystem::create_directories(root.path() / "groups");
  const auto with_quota = [&](int64_t cores) {
    std::ofstream(root.path() / "groups/cpu.max") << 100'000 * cores << " 100000\n";
    return AvailableCores(root.path());
  };
  EXPECT_EQ(with_quota(1), 1);
  EXPECT_EQ(with_quota(allowed + 1), allowed);
  EXPECT_EQ(with_quota(int64_t{1} << 40), allowed);
}

TEST(ThreadPool, RefusesCountsThatMakeNoSense) {
  EXPECT_EQ(ErrorFrom([] { ThreadPool pool(-1); }),
            "threads is -1; expected 1 to 1024, or 0 for one per core");
  EXPECT_EQ(ErrorFrom([] { ThreadPool pool(40000); }),
            "threads is 40000; expected 1 to 1024, or 0 for one per core");
}

// Lets this process map `bytes` more than it has: room for a few stacks of threads.
void LimitMemory(rlim_t bytes) {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + bytes;
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limit), 0);
}

// In a process of its own. It reports the error and goes on, with a pool of few threads.
TEST(ThreadPoolDeathTest, TooFewThreadsAreAnErrorAndNotTheEnd) {
#ifdef CALFVO_EMULATED
  GTEST_SKIP() << "QEMU does not limit memory";
#endif
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer ends a process that is short of memory";
#endif
#endif
  const auto starve = [] {
    LimitMemory(rlim_t{256} << 20);
    std::fputs(ErrorFrom([] { ThreadPool pool(1024); }).c_str(), stderr);
    std::atomic<int> calls = 0;
    ThreadPool(2).ParallelFor(10, [&](int64_t) { ++calls; });
    std::exit(calls == 10 ? 0 : 1);
  };
  EXPECT_EXIT(starve(), testing::ExitedWithCode(0), "^only [1-9][0-9]* of 1024 threads could be started: ");
}

}  // namespace
}  // namespace calfvo
