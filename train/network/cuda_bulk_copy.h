// SPDX-License-Identifier: Apache-2.0
// Copies of whole pieces from global to shared memory that no thread carries out, and barriers that they and
// threads arrive at. Included by *.cu files only, compiled for sm_90 or later.
#pragma once

#include <cstdint>

#include "network/cuda_mma.h"

namespace calfvo::train {

// In shared memory. Phases of a barrier end when all have arrived, again and again; they count 0, 1, 0, 1, …
class Barrier {
 public:
  // By one thread. Others see it after PublishBarriers and a barrier of the block.
  __device__ void Start(int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SharedAddress(&state_)), "r"(arrivals)
                 : "memory");
  }
  __device__ void Arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(SharedAddress(&state_)) : "memory");
  }
  // Arrives, and copies `bytes`, a multiple of 16 as the addresses are; the phase ends when they are there,
  // too.
  __device__ void ArriveWithCopy(void* to, const void* from, uint32_t bytes) {
    const uint32_t barrier = SharedAddress(&state_);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            SharedAddress(to)),
        "l"(from), "r"(bytes), "r"(barrier)
        : "memory");
  }
  // Until the phase `parity` has ended.
  __device__ void Wait(uint32_t parity) const {
    asm volatile(
        "{ .reg .pred ended; again: mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1; @!ended bra "
        "again; }" ::"r"(SharedAddress(&state_)),
        "r"(parity)
        : "memory");
  }

 private:
  uint64_t state_;
};

inline __device__ void PublishBarriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

}  // namespace calfvo::train
