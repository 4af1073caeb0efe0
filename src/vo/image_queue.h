// SPDX-License-Identifier: Apache-2.0
// Prepared images between the reading thread and the estimating one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <vector>

#include "vo/video_driver.h"

namespace calfvo {

struct PreparedImage {
  FrameRecord frame;
  float* values = nullptr;
};

// Bounded, for one thread on each side. Images are recycled: after warm-up nothing is allocated.
class ImageQueue {
 public:
  // `memory`, borrowed, holds `capacity` images.
  ImageQueue(size_t capacity, size_t values_per_image, float* memory);

  // An image to fill. Waits while the queue is full; null once the consumer has gone.
  PreparedImage* BeginPut();
  // The same without waiting: null while the queue is full.
  PreparedImage* TryBeginPut();
  void EndPut();
  // No more images will come. `failure` is why the source ended early, or null.
  void Close(std::exception_ptr failure = nullptr);

  // Waits for at least one image, then for up to `wanted` or the end; returns how many there are, 0 at the
  // end. They stay valid and are at(0), at(1), … until Release.
  size_t Wait(size_t wanted);
  PreparedImage& at(size_t i) { return slots_[(first_ + i) % slots_.size()]; }
  void Release(size_t count);
  // The consumer has gone: BeginPut no longer waits.
  void Abandon();
  bool abandoned();

  std::exception_ptr failure() const { return failure_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<PreparedImage> slots_;
  size_t first_ = 0;  // changed by the consumer only
  size_t count_ = 0;
  bool closed_ = false;
  bool abandoned_ = false;
  std::exception_ptr failure_;
};

}  // namespace calfvo
