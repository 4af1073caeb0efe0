// SPDX-License-Identifier: Apache-2.0
// Values that a thread makes ahead of time, in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>

namespace calfvo::train {

// Calls make(step) on its thread for the step last taken + 1, + 2, … and keeps at most `depth`
// results. Take is for one thread; an exception of make is thrown by the Take of its step.
template <typename Value>
class Prefetcher {
 public:
  Prefetcher(std::function<Value(int64_t step)> make, size_t depth)
      : make_(std::move(make)), depth_(depth), thread_([this] { Work(); }) {}
  ~Prefetcher() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  // Waits until the value is made. Steps in order are ready soonest; any other starts anew from there.
  Value Take(int64_t step) {
    std::unique_lock lock(mutex_);
    if (!started_ || step != first_) {
      started_ = true;
      first_ = next_ = step;
      ready_.clear();
      ++round_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return !ready_.empty(); });
    Result result = std::move(ready_.front());
    ready_.pop_front();
    ++first_;
    changed_.notify_all();
    lock.unlock();
    if (auto* failure = std::get_if<std::exception_ptr>(&result)) std::rethrow_exception(*failure);
    return std::get<Value>(std::move(result));
  }

 private:
  using Result = std::variant<Value, std::exception_ptr>;

  Result Make(int64_t step) const {
    try {
      return make_(step);
    } catch (...) {
      return std::current_exception();
    }
  }

  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return stopping_ || (started_ && ready_.size() < depth_); });
      if (stopping_) return;
      const int64_t step = next_++;
      const uint64_t round = round_;
      lock.unlock();
      Result result = Make(step);
      lock.lock();
      if (round != round_) continue;  // made for steps that are no longer wanted
      ready_.push_back(std::move(result));
      changed_.notify_all();
    }
  }

  const std::function<Value(int64_t)> make_;
  const size_t depth_;

  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  bool started_ = false;
  bool stopping_ = false;
  uint64_t round_ = 0;  // counts new starts
  int64_t first_ = 0;   // the step of ready_.front()
  int64_t next_ = 0;    // the step to be made next
  std::deque<Result> ready_;

  std::thread thread_;  // last: it uses the rest
};

}  // namespace calfvo::train
