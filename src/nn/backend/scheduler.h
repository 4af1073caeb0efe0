// SPDX-License-Identifier: Apache-2.0
// When the operations of a backend run: asynchrony, concurrency, replay. The defaults suit a backend whose
// operations return when they are done.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace calfvo {

// Queues of operations that may run concurrently: frames are encoded in one while windows are decoded in the
// other.
enum class Lane { kEncode, kDecode };

// Identifies a sequence of operations that differs from run to run only in the contents of its matrices: who
// issues it, how many rows it works on, where its matrices are. It is always issued in the same lane.
struct RepeatKey {
  const void* owner = nullptr;
  int64_t rows = 0;
  const std::byte* data = nullptr;
  friend auto operator<=>(const RepeatKey&, const RepeatKey&) = default;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  // Waits for all operations.
  virtual void Synchronize() {}
  // Issues what follows in `lane`. Decoding waits for all that has been issued in kEncode, because windows
  // need the tokens of their frames; encoding waits for nothing.
  virtual void Enter(Lane /*lane*/) {}
  // Waits for the operations in `lane`.
  virtual void Wait(Lane /*lane*/) {}

  // True: the caller must issue the operations of `key`, then call EndRepeat. False: the backend has replayed
  // them from an earlier run. They must neither wait nor touch host memory. Use Repeat below.
  virtual bool BeginRepeat(const RepeatKey& /*key*/) { return true; }
  virtual void EndRepeat() {}
  // Instead of EndRepeat, if an operation failed.
  virtual void AbandonRepeat() {}

  // Frames to put through convolutions at once, and frames in a good batch of a video.
  virtual int64_t convolution_batch() const { return 1; }
  virtual int video_batch() const { return 12; }
};

// Issues the operations, or has the backend replay them.
template <typename Operations>
void Repeat(Scheduler& scheduler, const RepeatKey& key, const Operations& operations) {
  if (!scheduler.BeginRepeat(key)) return;
  try {
    operations();
  } catch (...) {
    scheduler.AbandonRepeat();
    throw;
  }
  scheduler.EndRepeat();
}

}  // namespace calfvo
