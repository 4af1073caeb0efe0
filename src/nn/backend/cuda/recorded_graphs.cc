// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/cuda/recorded_graphs.h"

#include "nn/backend/cuda/cuda_check.h"

namespace calfvo::cuda {

// The first time, memory may still have to grow and algorithms be chosen, which cannot be recorded.
bool RecordedGraphs::Begin(const RepeatKey& key, cudaStream_t stream) {
  current_ = key;
  recording_ = false;
  const auto known = graphs_.find(key);
  if (known == graphs_.end()) return true;
  if (known->second != nullptr) {
    CheckCuda(cudaGraphLaunch(known->second, stream), "launching a graph");
    return false;
  }
  CheckCuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording a graph");
  recording_ = true;
  return true;
}

void RecordedGraphs::End(cudaStream_t stream) {
  if (!recording_) {
    graphs_.try_emplace(current_, nullptr);
    return;
  }
  recording_ = false;
  cudaGraph_t graph = nullptr;
  CheckCuda(cudaStreamEndCapture(stream, &graph), "recording a graph");
  cudaGraphExec_t& recorded = graphs_[current_];
  const cudaError_t code = cudaGraphInstantiate(&recorded, graph, 0);
  static_cast<void>(cudaGraphDestroy(graph));
  CheckCuda(code, "preparing a graph");
  CheckCuda(cudaGraphLaunch(recorded, stream), "launching a graph");
}

void RecordedGraphs::Abandon(cudaStream_t stream) {
  if (recording_) {
    cudaGraph_t graph = nullptr;
    static_cast<void>(cudaStreamEndCapture(stream, &graph));
    if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
  }
  recording_ = false;
  graphs_.erase(current_);
}

void RecordedGraphs::Clear() {
  for (const auto& [key, graph] : graphs_) {
    if (graph != nullptr) static_cast<void>(cudaGraphExecDestroy(graph));
  }
  graphs_.clear();
}

}  // namespace calfvo::cuda
