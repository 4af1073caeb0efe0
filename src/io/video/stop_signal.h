// SPDX-License-Identifier: Apache-2.0
// Why a source that would wait for frames ends instead.
#pragma once

#include <atomic>

namespace calfvo {

// Set by SourceOptions::stop, if there is one, or by Cancel; either may come from another thread.
class StopSignal {
 public:
  explicit StopSignal(const std::atomic<bool>* stop) : stop_(stop) {}

  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool IsSet() const {
    return cancelled_.load(std::memory_order_relaxed) ||
           (stop_ != nullptr && stop_->load(std::memory_order_relaxed));
  }

 private:
  const std::atomic<bool>* const stop_;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace calfvo
