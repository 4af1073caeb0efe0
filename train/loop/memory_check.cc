// SPDX-License-Identifier: Apache-2.0
#include "loop/memory_check.h"

#include <fmt/format.h>
#include <unistd.h>

#include "calfvo/error.h"

namespace calfvo::train {

int64_t LeastMemory(const TrainOptions& options, bool on_host) {
  constexpr int64_t kWeight = 4;
  constexpr int64_t kTrained = 4 * 4;  // gradient, two moments, average
  int64_t bytes = 0;
  for (const TensorSpec& tensor : ModelTensors(options.model)) {
    const bool is_trained = on_host && !(options.loop.freeze_encoder && tensor.name.starts_with("encoder."));
    bytes += ParameterCount({tensor}) * (kWeight + (is_trained ? kTrained : 0));
  }
  return bytes;
}

void CheckMemory(const TrainOptions& options, bool on_host, int64_t available) {
  const int64_t needed = LeastMemory(options, on_host);
  if (needed <= available) return;
  throw Error(fmt::format(
      "the model of {} parameters takes {:.1f} GB or more to train, but this machine has {:.1f} GB "
      "of memory; make dim, hidden or depth smaller",
      ParameterCount(ModelTensors(options.model)), 1e-9 * static_cast<double>(needed),
      1e-9 * static_cast<double>(available)));
}

int64_t MachineMemory() {
  return int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
}

}  // namespace calfvo::train
