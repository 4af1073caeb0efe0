// SPDX-License-Identifier: Apache-2.0
#include "vo/image_queue.h"

#include <algorithm>
#include <utility>

namespace calfvo {

ImageQueue::ImageQueue(size_t capacity, size_t values_per_image, float* memory) : slots_(capacity) {
  for (size_t i = 0; i < capacity; ++i) slots_[i].values = memory + i * values_per_image;
}

PreparedImage* ImageQueue::BeginPut() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return abandoned_ || count_ < slots_.size(); });
  return abandoned_ ? nullptr : &slots_[(first_ + count_) % slots_.size()];
}

PreparedImage* ImageQueue::TryBeginPut() {
  const std::scoped_lock lock(mutex_);
  return abandoned_ || count_ == slots_.size() ? nullptr : &slots_[(first_ + count_) % slots_.size()];
}

void ImageQueue::EndPut() {
  const std::scoped_lock lock(mutex_);
  ++count_;
  changed_.notify_all();
}

void ImageQueue::Close(std::exception_ptr failure) {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  failure_ = std::move(failure);
  changed_.notify_all();
}

size_t ImageQueue::Wait(size_t wanted) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || count_ >= wanted; });
  return std::min(count_, wanted);
}

void ImageQueue::Release(size_t count) {
  const std::scoped_lock lock(mutex_);
  first_ = (first_ + count) % slots_.size();
  count_ -= count;
  changed_.notify_all();
}

void ImageQueue::Abandon() {
  const std::scoped_lock lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

bool ImageQueue::abandoned() {
  const std::scoped_lock lock(mutex_);
  return abandoned_;
}

}  // namespace calfvo
