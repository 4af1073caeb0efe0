// SPDX-License-Identifier: Apache-2.0
// Whether a model can be trained in the memory there is, before any of it is taken.
#pragma once

#include <cstdint>

#include "loop/train_options.h"

namespace calfvo::train {

// Bytes of memory that the host needs at least: for the weights, and where it trains them (`on_host`) for
// gradients, moments and averages. Activations, which depend on more than the model, come on top.
int64_t LeastMemory(const TrainOptions& options, bool on_host);

// Throws Error saying what is needed where that is more than `available` bytes.
void CheckMemory(const TrainOptions& options, bool on_host, int64_t available);

// The memory of this machine.
int64_t MachineMemory();

}  // namespace calfvo::train
