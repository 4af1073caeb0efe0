// SPDX-License-Identifier: Apache-2.0
#include "loop/step_graph.h"

#include <torch/version.h>

#if defined(CALFVO_HAVE_CUDA) && TORCH_VERSION_MAJOR >= 2
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <array>
#include <cstddef>

namespace calfvo::train {
namespace {

// Lets libraries choose kernels and take their workspaces before anything is recorded.
constexpr int kWarmUpRuns = 3;
// Runs that may wait for the device. Enough to keep it busy; many more would only put off what goes wrong.
constexpr int kAhead = 4;

void WaitFor(const c10::cuda::CUDAStream& waiting, const c10::cuda::CUDAStream& other) {
  at::cuda::CUDAEvent event;
  event.record(other);
  event.block(waiting);
}

}  // namespace

struct StepGraph::State {
  // Gradients are accumulated on the stream where a parameter was first used, so that warm-up and recording
  // share one.
  c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
  int64_t runs = 0;
  at::cuda::CUDAGraph graph;
  std::array<at::cuda::CUDAEvent, kAhead> done;  // of the last runs

  void Record(const std::function<void()>& work) {
    stream.synchronize();
    // Other threads (rendering, communication) may go on as they please meanwhile.
    graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    work();
    graph.capture_end();
  }
};

StepGraph::StepGraph(bool enabled) : state_(enabled ? std::make_unique<State>() : nullptr) {}

void StepGraph::Run(const std::function<void()>& work) {
  if (!state_) return work();
  const c10::cuda::CUDAStream outer = c10::cuda::getCurrentCUDAStream();
  const int64_t run = state_->runs++;
  at::cuda::CUDAEvent& done = state_->done[static_cast<size_t>(run % kAhead)];
  done.synchronize();
  WaitFor(state_->stream, outer);
  {
    const c10::cuda::CUDAStreamGuard guard(state_->stream);
    if (run < kWarmUpRuns) {
      work();
    } else {
      if (run == kWarmUpRuns) state_->Record(work);
      // Throws when the device has failed, after which a launch may crash in the driver.
      static_cast<void>(state_->stream.query());
      state_->graph.replay();
    }
    done.record(state_->stream);
  }
  WaitFor(outer, state_->stream);
}

}  // namespace calfvo::train
#else
namespace calfvo::train {

struct StepGraph::State {};

StepGraph::StepGraph(bool) {}

void StepGraph::Run(const std::function<void()>& work) {
  work();
}

}  // namespace calfvo::train
#endif

namespace calfvo::train {

StepGraph::~StepGraph() = default;

}  // namespace calfvo::train
