// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/recorded_graphs.h"

#include "backend/cuda/cuda_check.h"

namespace calfvo::cuda {

// The first time, memory may still have to grow and algorithms be chosen, which cannot be recorded.
bool RecordedGraphs::Begin(const RepeatKey& key, cudaStream_t stream) {
  const auto [entry, is_new] = graphs_.try_emplace(key, nullptr);
  if (is_new) return true;
  if (entry->second != nullptr) {
    CheckCuda(cudaGraphLaunch(entry->second, stream), "launching a graph");
    return false;
  }
  recording_ = &entry->second;
  CheckCuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording a graph");
  return true;
}

void RecordedGraphs::End(cudaStream_t stream) {
  if (recording_ == nullptr) return;
  cudaGraph_t graph = nullptr;
  CheckCuda(cudaStreamEndCapture(stream, &graph), "recording a graph");
  const cudaError_t code = cudaGraphInstantiate(recording_, graph, 0);
  cudaGraphDestroy(graph);
  CheckCuda(code, "preparing a graph");
  CheckCuda(cudaGraphLaunch(*recording_, stream), "launching a graph");
  recording_ = nullptr;
}

void RecordedGraphs::Clear() {
  for (const auto& [key, graph] : graphs_) {
    if (graph != nullptr) static_cast<void>(cudaGraphExecDestroy(graph));
  }
  graphs_.clear();
  recording_ = nullptr;
}

}  // namespace calfvo::cuda
