// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <algorithm>
#include <utility>

namespace calfvo {

ThreadPool::ThreadPool(int threads) {
  if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  workers_.reserve(static_cast<size_t>(threads - 1));
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { Work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  start_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::Run(int64_t count, Trampoline call, void* context) {
  const std::lock_guard one_loop(loop_mutex_);
  std::unique_lock lock(mutex_);
  next_ = 0;
  count_ = count;
  call_ = call;
  context_ = context;
  ++loop_number_;
  if (count > 1) start_.notify_all();
  RunIndices(lock);
  finish_.wait(lock, [this] { return running_ == 0; });
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::Work() {
  uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    start_.wait(lock, [&] { return stopping_ || loop_number_ != seen; });
    if (stopping_) return;
    seen = loop_number_;
    RunIndices(lock);
  }
}

void ThreadPool::RunIndices(std::unique_lock<std::mutex>& lock) {
  while (next_ < count_) {
    const int64_t index = next_++;
    ++running_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      call_(context_, index);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    --running_;
    if (failure != nullptr) {
      if (failure_ == nullptr || index < failed_index_) {
        failure_ = failure;
        failed_index_ = index;
      }
      next_ = count_;
    }
  }
  if (running_ == 0) finish_.notify_one();
}

}  // namespace calfvo
