// SPDX-License-Identifier: Apache-2.0
// Work on a GPU that is recorded once and then started as a whole.
#pragma once

#include <functional>
#include <memory>

namespace calfvo::train {

// Runs the same work again and again. The first few times it runs as it is, on a stream of its own; then it
// is recorded as a CUDA graph, which is replayed from then on. The work must use the same memory each time,
// and must not wait for the device. Where it is not enabled, or in a build without GPU, the work
// always runs as it is.
class StepGraph {
 public:
  explicit StepGraph(bool enabled);
  ~StepGraph();
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  // Ordered with the caller's work on the current stream. Waits for the run before the last few, so that not
  // more than those are queued.
  void Run(const std::function<void()>& work);

 private:
  struct State;
  std::unique_ptr<State> state_;  // null where not enabled
};

}  // namespace calfvo::train
