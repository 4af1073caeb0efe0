// SPDX-License-Identifier: Apache-2.0
// Sequences of operations that are issued once, recorded the second time, and from then on launched as one.
#pragma once

#include <cuda_runtime_api.h>

#include <map>

#include "nn/backend/backend.h"

namespace calfvo::cuda {

class RecordedGraphs {
 public:
  RecordedGraphs() = default;
  ~RecordedGraphs() { Clear(); }
  RecordedGraphs(const RecordedGraphs&) = delete;
  RecordedGraphs& operator=(const RecordedGraphs&) = delete;

  // As Backend::BeginRepeat, EndRepeat and AbandonRepeat, on `stream`.
  bool Begin(const RepeatKey& key, cudaStream_t stream);
  void End(cudaStream_t stream);
  void Abandon(cudaStream_t stream);

  // Forgets all: memory that they used is gone.
  void Clear();

 private:
  std::map<RepeatKey, cudaGraphExec_t> graphs_;  // null: issued once
  RepeatKey current_;                            // between Begin and End
  bool recording_ = false;
};

}  // namespace calfvo::cuda
