// SPDX-License-Identifier: Apache-2.0
#include "core/base/thread_pool.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "core/base/cpu_quota.h"
#include "core/base/temporary_error.h"

namespace calfvo {

namespace {

// The standard library counts the machine's cores.
int AllowedCores() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));  // over 1024 of them
}

// Waits without sleeping, for some time: to wake up takes about 50 µs, longer than it is from one loop of a
// network to the next. Whoever else wants the core gets it.
template <typename Ready>
void WaitAwake(const Ready& ready) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::microseconds(100);
  while (!ready() && Clock::now() < end) std::this_thread::yield();
}

}  // namespace

int AvailableCores(const std::filesystem::path& root) {
  const int allowed = AllowedCores();
  return static_cast<int>(std::min<int64_t>(allowed, CpuQuota(root).value_or(allowed)));
}

void ThreadPool::CheckCount(int threads) {
  if (threads < 0 || threads > kMaxThreads) {
    throw Error(fmt::format("threads is {}; expected 1 to {}, or 0 for one per core", threads, kMaxThreads));
  }
}

// Once the constructor that it delegates to is done, a pool is destroyed also when this one throws: threads
// that have started are stopped and joined.
ThreadPool::ThreadPool(int threads) : ThreadPool(NotStarted{}) {
  CheckCount(threads);
  if (threads == 0) threads = std::min(AvailableCores(), kMaxThreads);
  shares_.resize(static_cast<size_t>(threads));
  workers_.reserve(static_cast<size_t>(threads - 1));
  try {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { Work(static_cast<size_t>(i)); });
  } catch (const std::system_error& error) {
    throw TemporaryError(fmt::format(
        "only {} of {} threads could be started: {}; ask for fewer, or raise the limits of memory "
        "(ulimit -v) and processes (ulimit -u)",
        size(), threads, error.code().message()));
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  start_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

bool ThreadPool::ShareGoesOn(int64_t i, int64_t count) const {
  const int64_t thread = ((i + 1) * size() - 1) / count;
  return i + 1 < ShareBegin(thread + 1, count);
}

void ThreadPool::Run(int64_t count, Trampoline call, void* context) {
  const std::lock_guard one_loop(loop_mutex_);
  std::unique_lock lock(mutex_);
  for (int64_t i = 0; i < size(); ++i) {
    shares_[static_cast<size_t>(i)] = {ShareBegin(i, count), ShareBegin(i + 1, count)};
  }
  call_ = call;
  context_ = context;
  ++loop_number_;
  if (count > 1) start_.notify_all();
  RunIndices(0, lock);
  const auto finished = [this] { return running_ == 0; };
  lock.unlock();
  WaitAwake(finished);
  lock.lock();
  finish_.wait(lock, finished);
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::Work(size_t thread) {
  uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    lock.unlock();
    WaitAwake([&] { return loop_number_ != seen; });
    lock.lock();
    start_.wait(lock, [&] { return stopping_ || loop_number_ != seen; });
    if (stopping_) return;
    seen = loop_number_;
    RunIndices(thread, lock);
  }
}

std::optional<int64_t> ThreadPool::TakeIndex(size_t thread) {
  Share& own = shares_[thread];
  if (own.Left() > 0) return own.next++;
  const auto most = std::max_element(shares_.begin(), shares_.end(),
                                     [](const Share& a, const Share& b) { return a.Left() < b.Left(); });
  if (most->Left() > 0) return --most->end;
  return std::nullopt;
}

void ThreadPool::RunIndices(size_t thread, std::unique_lock<std::mutex>& lock) {
  while (const std::optional<int64_t> index = TakeIndex(thread)) {
    ++running_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      call_(context_, *index, static_cast<int>(thread));
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    --running_;
    if (failure != nullptr && (failure_ == nullptr || *index < failed_index_)) {
      failure_ = failure;
      failed_index_ = *index;
      for (Share& share : shares_) share.end = std::min(share.end, failed_index_);
    }
  }
  if (running_ == 0) finish_.notify_one();
}

}  // namespace calfvo
