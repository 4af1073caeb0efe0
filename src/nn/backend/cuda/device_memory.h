// SPDX-License-Identifier: Apache-2.0
// Memory, streams and events of the GPU, owned.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>

#include "nn/backend/backend.h"

namespace calfvo {

class DeviceBuffer final : public Buffer {
 public:
  // Throws Error when the GPU has no room, saying how much was asked for and how much there is.
  explicit DeviceBuffer(size_t bytes);
  explicit DeviceBuffer(std::span<const std::byte> contents);
  ~DeviceBuffer() override;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  std::byte* data() override { return data_; }
  const std::byte* data() const { return data_; }

  // Of all buffers of this program.
  static size_t BytesInUse();

 private:
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

// Host memory that the GPU copies from and to by itself.
class PinnedBuffer final : public Buffer {
 public:
  explicit PinnedBuffer(size_t bytes);
  ~PinnedBuffer() override;
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  std::byte* data() override { return data_; }

 private:
  std::byte* data_ = nullptr;
};

class CudaStream {
 public:
  CudaStream();
  ~CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  cudaStream_t get() const { return stream_; }
  void Wait() const;

 private:
  cudaStream_t stream_ = nullptr;
};

class CudaEvent {
 public:
  explicit CudaEvent(bool timing = false);
  ~CudaEvent();
  CudaEvent(const CudaEvent&) = delete;
  CudaEvent& operator=(const CudaEvent&) = delete;
  cudaEvent_t get() const { return event_; }
  void Record(cudaStream_t stream) const;
  void Wait() const;

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace calfvo
