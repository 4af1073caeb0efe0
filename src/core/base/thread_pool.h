// SPDX-License-Identifier: Apache-2.0
// A fixed set of threads that run loops.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

namespace calfvo {

// Cores that the calling thread, and threads that it starts, may run on (taskset, Slurm, a container's
// cpuset), or as many as their quota of time (docker run --cpus) is worth, if that is fewer. `root` is that
// of CpuQuota.
int AvailableCores(const std::filesystem::path& root = "/");

// ParallelFor(count, body) calls body(i) or body(i, thread) once for each i in [0, count), spread over the
// pool's threads and the calling one, and returns when all have run. `thread`, below size(), is the one that
// runs i: 0 is the calling thread. Results written per index do not depend on the number of
// threads. It allocates nothing.
//
// Each thread has an equal share of the indices, which it goes through in order; one that is done takes the
// last index of the thread with most left. So what loops do for the same part of the same data mostly happens
// in the same core, which may still have it.
//
// If bodies throw, the exception of the lowest index that throws is rethrown after the loop; indices above
// that may not have run. One loop at a time: calls from several threads queue up, and a body must not call
// ParallelFor of its own pool.
class ThreadPool {
 public:
  static constexpr int kMaxThreads = 1024;

  // Throws Error naming the number unless it is 0 to kMaxThreads.
  static void CheckCount(int threads);

  // `threads` counts the calling thread: 1 starts none, 0 means one per core of AvailableCores. Throws
  // Error as CheckCount does, and where the system gives fewer threads.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Whether the thread that has index `i` in its share of a loop of `count` has the next one, too.
  bool ShareGoesOn(int64_t i, int64_t count) const;

  template <typename Body>
  void ParallelFor(int64_t count, Body&& body) {
    using Function = std::remove_reference_t<Body>;
    Run(
        count,
        [](void* context, int64_t i, [[maybe_unused]] int thread) {
          Function& function = *static_cast<Function*>(context);
          if constexpr (std::is_invocable_v<Function&, int64_t, int>) {
            function(i, thread);
          } else {
            function(i);
          }
        },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
  }

 private:
  struct NotStarted {};
  explicit ThreadPool(NotStarted) {}

  using Trampoline = void (*)(void* context, int64_t index, int thread);

  void Run(int64_t count, Trampoline call, void* context);
  // Indices of a thread that have not begun.
  struct Share {
    int64_t Left() const { return end - next; }

    int64_t next = 0;
    int64_t end = 0;
  };

  // The first index of a thread's share.
  int64_t ShareBegin(int64_t thread, int64_t count) const { return thread * count / size(); }
  void Work(size_t thread);
  void RunIndices(size_t thread, std::unique_lock<std::mutex>& lock);
  std::optional<int64_t> TakeIndex(size_t thread);

  std::mutex loop_mutex_;  // held for the length of one loop

  std::mutex mutex_;  // guards everything below
  std::condition_variable start_;
  std::condition_variable finish_;
  bool stopping_ = false;
  std::atomic<uint64_t> loop_number_ = 0;  // may be read without the mutex, and so may running_
  std::vector<Share> shares_;              // the calling thread's first
  std::atomic<int> running_ = 0;
  Trampoline call_ = nullptr;
  void* context_ = nullptr;
  std::exception_ptr failure_;
  int64_t failed_index_ = 0;

  std::vector<std::thread> workers_;
};

}  // namespace calfvo
