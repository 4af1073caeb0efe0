// SPDX-License-Identifier: Apache-2.0
// Which processors timed threads run on.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace calfvo {

// Keeps a thread to these.
inline bool KeepTo(pthread_t thread, const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(processor, &set);
  return pthread_setaffinity_np(thread, sizeof(set), &set) == 0;
}

// How much of `work`, which returns how much it did, the slowest of these processors does in a second while
// all of them do some.
inline double RateTogether(const std::vector<int>& processors, const std::function<double()>& work) {
  using Clock = std::chrono::steady_clock;
  constexpr double kSeconds = 0.01;
  std::atomic<size_t> ready = 0;
  std::vector<double> rates(processors.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < processors.size(); ++i) {
    threads.emplace_back([&, i] {
      KeepTo(pthread_self(), {processors[i]});
      for (++ready; ready < processors.size();) std::this_thread::yield();
      const auto start = Clock::now();
      double done = 0.0;
      std::chrono::duration<double> taken{};
      for (; taken.count() < kSeconds; taken = Clock::now() - start) done += work();
      rates[i] = done / taken.count();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return *std::min_element(rates.begin(), rates.end());
}

// Keeps this thread, and those it starts from now on, to the `count` processors that do most of `work`
// together: those that share a core, or have it from a host that others use, too, are timed at anything from
// one to two times their speed, and a virtual machine does not tell which they are. They are chosen one after
// the other. Returns them, none where there are too few.
inline std::vector<int> KeepToQuietProcessors(int count, const std::function<double()>& work) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) < count) return {};
  std::vector<int> chosen;
  while (static_cast<int>(chosen.size()) < count) {
    double best_rate = -1.0;
    std::vector<int> best;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
      if (!CPU_ISSET(processor, &allowed) ||
          std::find(chosen.begin(), chosen.end(), processor) != chosen.end()) {
        continue;
      }
      std::vector<int> with = chosen;
      with.push_back(processor);
      const double rate = RateTogether(with, work);
      if (rate <= best_rate) continue;
      best_rate = rate;
      best = with;
    }
    chosen = best;
  }
  return KeepTo(pthread_self(), chosen) ? chosen : std::vector<int>();
}

}  // namespace calfvo
