// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/cuda/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "calfvo/error.h"
#include "nn/backend/cuda/cuda_check.h"

namespace calfvo {
namespace {

std::atomic<size_t> in_use = 0;

}  // namespace

DeviceBuffer::DeviceBuffer(size_t bytes) {
  void* memory = nullptr;
  // Whole vectors of 16 bytes, as which libraries read the ends of odd matrices.
  bytes = (std::max<size_t>(bytes, 1) + 15) / 16 * 16;
  const cudaError_t code = cudaMalloc(&memory, bytes);
  if (code == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());  // it is not sticky, but is reported again
    size_t free_bytes = 0, total_bytes = 0;
    static_cast<void>(cudaMemGetInfo(&free_bytes, &total_bytes));
    throw Error(
        fmt::format("the GPU has no room for {} MB: {} of {} MB are free; close other programs that use it, "
                    "or use --backend cpu",
                    bytes >> 20, free_bytes >> 20, total_bytes >> 20));
  }
  CheckCuda(code, "allocating memory");
  data_ = static_cast<std::byte*>(memory);
  bytes_ = bytes;
  in_use += bytes_;
}

size_t DeviceBuffer::BytesInUse() {
  return in_use;
}

DeviceBuffer::DeviceBuffer(std::span<const std::byte> contents) : DeviceBuffer(contents.size()) {
  CheckCuda(cudaMemcpy(data_, contents.data(), contents.size(), cudaMemcpyHostToDevice), "copying weights");
  // The copy may still be on its way, and our streams do not wait for it.
  CheckCuda(cudaStreamSynchronize(cudaStreamLegacy), "copying weights");
}

DeviceBuffer::~DeviceBuffer() {
  in_use -= bytes_;
  static_cast<void>(cudaFree(data_));
}

PinnedBuffer::PinnedBuffer(size_t bytes) {
  void* memory = nullptr;
  CheckCuda(cudaMallocHost(&memory, std::max<size_t>(bytes, 1)), "allocating pinned host memory");
  data_ = static_cast<std::byte*>(memory);
}

PinnedBuffer::~PinnedBuffer() {
  static_cast<void>(cudaFreeHost(data_));
}

CudaStream::CudaStream() {
  CheckCuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
}

CudaStream::~CudaStream() {
  static_cast<void>(cudaStreamDestroy(stream_));
}

void CudaStream::Wait() const {
  CheckCuda(cudaStreamSynchronize(stream_), "computing");
}

CudaEvent::CudaEvent(bool timing) {
  CheckCuda(cudaEventCreateWithFlags(&event_, timing ? cudaEventDefault : cudaEventDisableTiming),
            "making an event");
}

CudaEvent::~CudaEvent() {
  static_cast<void>(cudaEventDestroy(event_));
}

void CudaEvent::Record(cudaStream_t stream) const {
  CheckCuda(cudaEventRecord(event_, stream), "recording an event");
}

void CudaEvent::Wait() const {
  CheckCuda(cudaEventSynchronize(event_), "waiting for an event");
}

}  // namespace calfvo
