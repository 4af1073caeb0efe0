// SPDX-License-Identifier: Apache-2.0
// The choice of processors for timed threads.
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

// Binds a thread to these processors.
inline void KeepTo(pthread_t thread, const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : processors) CPU_SET(processor, &set);
  pthread_setaffinity_np(thread, sizeof(set), &set);
}

// The throughput of the slowest of these processors while all of them work; work() returns the amount it did.
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

// Binds threads to the `count` allowed processors with the highest throughput together. Processors may share
// a core with each other or with other virtual machines, which can halve their speed, and the guest cannot
// see which do. They are chosen greedily, one by one; with fewer than `count` allowed, nothing is bound. The
// destructor restores this thread's affinity.
class QuietProcessors {
 public:
  QuietProcessors(int count, const std::function<double()>& work) {
    CPU_ZERO(&allowed_);
    if (sched_getaffinity(0, sizeof(allowed_), &allowed_) != 0 || CPU_COUNT(&allowed_) < count) return;
    for (int processor = 0; processor < CPU_SETSIZE && CPU_COUNT(&allowed_) == count; ++processor) {
      if (CPU_ISSET(processor, &allowed_)) chosen_.push_back(processor);
    }
    while (static_cast<int>(chosen_.size()) < count) {
      double best_rate = -1.0;
      std::vector<int> best;
      for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (!CPU_ISSET(processor, &allowed_) ||
            std::find(chosen_.begin(), chosen_.end(), processor) != chosen_.end()) {
          continue;
        }
        std::vector<int> with = chosen_;
        with.push_back(processor);
        const double rate = RateTogether(with, work);
        if (rate <= best_rate) continue;
        best_rate = rate;
        best = with;
      }
      chosen_ = best;
    }
  }
  ~QuietProcessors() {
    if (!chosen_.empty()) pthread_setaffinity_np(pthread_self(), sizeof(allowed_), &allowed_);
  }
  QuietProcessors(const QuietProcessors&) = delete;
  QuietProcessors& operator=(const QuietProcessors&) = delete;

  // Calls start(), which starts worker threads. They are bound to all processors but the first, and this
  // thread to the first: otherwise, while an idle thread of one pool still occupies a processor, a waking
  // thread of another pool would be queued behind this one.
  template <typename Start>
  void StartBeside(const Start& start) const {
    if (chosen_.size() > 1) KeepTo(pthread_self(), {chosen_.begin() + 1, chosen_.end()});
    start();
    if (!chosen_.empty()) KeepTo(pthread_self(), {chosen_.front()});
  }

 private:
  cpu_set_t allowed_;
  std::vector<int> chosen_;
};

}  // namespace calfvo
