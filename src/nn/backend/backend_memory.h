// SPDX-License-Identifier: Apache-2.0
// The memory of a backend: buffers, weights and transfers.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "nn/backend/image_resampler.h"
#include "nn/backend/matrix_view.h"
#include "nn/backend/weights.h"
#include "nn/tensor/tensor_view.h"

namespace calfvo {

// Owned memory of a backend.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::byte* data() = 0;
};

class BackendMemory {
 public:
  virtual ~BackendMemory() = default;

  // Bytes per element of matrices in this role.
  virtual size_t ElementSize(Role role) const = 0;
  virtual std::unique_ptr<Buffer> Allocate(size_t bytes) = 0;
  // Host memory that the device reaches quickly.
  virtual std::unique_ptr<Buffer> AllocateHost(size_t bytes) = 0;
  // Device memory that all backends of this kind in the process hold, weights included; 0 without a device.
  virtual size_t DeviceBytes() const { return 0; }

  // Weights [out, in] and bias [out], f32.
  virtual std::unique_ptr<LinearWeights> MakeLinear(const TensorView& weight, const TensorView& bias) = 0;
  // The same for a layer that 8-bit operands would cost accuracy: a backend that has them does not use them.
  virtual std::unique_ptr<LinearWeights> MakeExactLinear(const TensorView& weight, const TensorView& bias) {
    return MakeLinear(weight, bias);
  }
  virtual std::unique_ptr<VectorWeights> MakeVector(const TensorView& values) = 0;

  // Copies between host memory, in f32, and matrices; a matrix with a reader must not be in 8 bits. For tests
  // and tools, too slow for the frames of a video.
  virtual void Upload(std::span<const float> values, const Activation& out) = 0;
  virtual void Upload(std::span<const float> values, const Stream& out) = 0;
  virtual void Download(const Activation& x, std::span<float> values) = 0;
  virtual void Download(const Stream& x, std::span<float> values) = 0;

  // Resamples images on the device, concurrently with other work; `normalised` [3, 256] is the value of each
  // byte of each channel. The backend outlives it. Null if the host resamples
  // (nn/architecture/preprocessor.h).
  virtual std::unique_ptr<ImageResampler> MakeImageResampler(std::span<const float> /*normalised*/) {
    return nullptr;
  }
  // Copies images of `floats` values, in host or backend memory, one after the other to backend memory. Waits
  // for an ImageResampler that still produces them. They are borrowed until FinishUploads returns.
  virtual void UploadImages(std::span<const float* const> images, size_t floats, float* out) = 0;
  virtual void FinishUploads() {}
};

}  // namespace calfvo
