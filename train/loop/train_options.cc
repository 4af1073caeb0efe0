// SPDX-License-Identifier: Apache-2.0
#include "loop/train_options.h"

#include <fmt/format.h>

#include "calfvo/error.h"
#include "core/base/thread_pool.h"

namespace calfvo::train {
namespace {

void CheckRange(const char* field, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high) {
    throw Error(fmt::format("{} is {}; expected {} to {}", field, value, low, high));
  }
}

}  // namespace

void DataOptions::Validate() const {
  CheckRange("threads", threads, 0, ThreadPool::kMaxThreads);
  CheckRange("batches", batches, 1, 64);
}

void LoopOptions::Validate() const {
  CheckRange("batch", batch, 1, 65'536);
  CheckRange("batch_per_process", batch_per_process, 0, 65'536);
  CheckRange("log_every", log_every, 1, 1'000'000);
  CheckRange("evaluate_every", evaluate_every, 1, 1'000'000'000);
  CheckRange("checkpoint_every", checkpoint_every, 1, 1'000'000'000);
  CheckRange("keep_checkpoints", keep_checkpoints, 1, 1'000'000);
  if (freeze_encoder && init.empty() && init_encoder.empty()) {
    throw Error("freeze_encoder is true, but neither init_encoder nor init is set");
  }
  if (!(cache_tokens_gb >= 0.0 && cache_tokens_gb <= 1e6)) {
    throw Error(fmt::format("cache_tokens_gb is {}; expected 0 to 1000000", cache_tokens_gb));
  }
  if (cache_tokens_gb > 0.0 && !freeze_encoder) {
    throw Error(
        fmt::format("cache_tokens_gb is {}, but the encoder is trained, so that tokens change; set "
                    "freeze_encoder, or leave cache_tokens_gb out",
                    cache_tokens_gb));
  }
  if (!init.empty() && !init_encoder.empty()) {
    throw Error("init_encoder is set beside init, which brings an encoder; set one of them");
  }
}

int LoopOptions::Windows(int processes) const {
  if (batch_per_process > 0) {
    const int64_t windows = int64_t{batch_per_process} * processes;
    CheckRange("loop.batch_per_process × processes", windows, 1, 1 << 24);
    return static_cast<int>(windows);
  }
  if (batch % processes != 0) {
    throw Error(
        fmt::format("loop.batch is {}, which {} processes cannot share evenly; set a multiple of {}, or "
                    "loop.batch_per_process in its place",
                    batch, processes, processes));
  }
  return batch;
}

std::string HeldOutSet::Name() const {
  return fmt::format("{}/{}", SceneKindName(scene), motion::MotionKindName(motion));
}

void HeldOutOptions::Validate() const {
  CheckRange("windows", windows, 1, 1'000'000);
  CheckRange("batch", batch, 1, 65'536);
}

}  // namespace calfvo::train
