// SPDX-License-Identifier: Apache-2.0
// What runs the network: operations on matrices (tensor_ops.h), the memory they work on (backend_memory.h)
// and when they run (scheduler.h). The network (nn/model) is written once, in terms of these. A new backend
// implements the pure functions of all three; HostBackend (host_backend.h) implements most for host memory.
//
// One thread at a time may use a backend. Operations may run asynchronously: see Scheduler.
#pragma once

#include <string>

#include "nn/backend/backend_memory.h"
#include "nn/backend/scheduler.h"
#include "nn/backend/tensor_ops.h"

namespace calfvo {

class Backend : public TensorOps, public BackendMemory, public Scheduler {
 public:
  // "ref f32", "cpu bf16 (AMX), 2 threads".
  virtual std::string Description() const = 0;
};

}  // namespace calfvo
