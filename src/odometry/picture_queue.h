// SPDX-License-Identifier: Apache-2.0
// Prepared pictures on their way from the reading thread to the estimating one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <vector>

#include "odometry/pipeline.h"

namespace calfvo {

struct PreparedPicture {
  FrameRecord frame;
  float* values = nullptr;
};

// Bounded, for one thread on each side. Pictures are recycled: after warm-up nothing is allocated.
class PictureQueue {
 public:
  // `memory`, borrowed, holds `capacity` pictures.
  PictureQueue(size_t capacity, size_t values_per_picture, float* memory);

  // A picture to fill. Waits while the queue is full; null once the taker has gone.
  PreparedPicture* BeginPut();
  // The same, but null at once while the queue is full, too.
  PreparedPicture* TryBeginPut();
  void EndPut();
  // No more pictures; `failure` is what went wrong, if something did.
  void Close(std::exception_ptr failure = nullptr);

  // Waits for at least one picture, then for up to `wanted` or the end; returns how many there are, 0 at the
  // end. They stay valid and are at(0), at(1), … until Release.
  size_t Wait(size_t wanted);
  PreparedPicture& at(size_t i) { return slots_[(first_ + i) % slots_.size()]; }
  void Release(size_t count);
  // The taker has gone: whoever puts need not wait.
  void Abandon();
  bool abandoned();

  std::exception_ptr failure() const { return failure_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<PreparedPicture> slots_;
  size_t first_ = 0;  // changed by the taker only
  size_t count_ = 0;
  bool closed_ = false;
  bool abandoned_ = false;
  std::exception_ptr failure_;
};

}  // namespace calfvo
