// SPDX-License-Identifier: Apache-2.0
// The weights of a linear map on the GPU.
#pragma once

#include <memory>

#include "nn/backend/cuda/device_memory.h"
#include "nn/tensor/tensor_view.h"

namespace calfvo::cuda {

// bf16, until Quantise makes it fp8 with a scale for the weights and one for the operands that it will read.
// Users of a network hold it const: the map is the same, and how it is kept is the backend's own affair.
class CudaLinear final : public LinearWeights {
 public:
  CudaLinear(const TensorView& weight, const TensorView& bias);

  int64_t inputs() const { return inputs_; }
  int64_t outputs() const { return outputs_; }
  bool is_fp8() const { return fp8_; }
  const void* weight() const { return weight_->data(); }
  const void* bias() const { return bias_.data(); }
  // On the GPU; of fp8 maps.
  const float* x_scale() const { return scale(0); }
  const float* x_inverse_scale() const { return scale(1); }
  const float* weight_scale() const { return scale(2); }

  // Whether the sizes allow fp8.
  bool can_be_fp8() const { return inputs_ % 16 == 0 && outputs_ % 16 == 0; }
  // Notes the magnitude of an operand [rows, inputs] in bf16.
  void Observe(const void* x, int64_t rows, cudaStream_t stream) const;
  // After Observe: goes over to fp8.
  void Quantise(cudaStream_t stream) const;

 private:
  // Four floats, each as aligned as the library wants it.
  static constexpr size_t kScaleStep = 64;
  const float* scale(size_t i) const {
    return reinterpret_cast<const float*>(scales_->data()) + i * kScaleStep;
  }

  int64_t inputs_;
  int64_t outputs_;
  mutable bool fp8_ = false;
  mutable std::unique_ptr<DeviceBuffer> weight_;
  DeviceBuffer bias_;
  mutable std::unique_ptr<DeviceBuffer> scales_;    // x, its inverse, weight, its inverse
  mutable std::unique_ptr<DeviceBuffer> observed_;  // the largest |x|
};

class CudaVector final : public VectorWeights {
 public:
  explicit CudaVector(const TensorView& values);
  const float* data() const { return reinterpret_cast<const float*>(buffer_.data()); }

 private:
  DeviceBuffer buffer_;
};

}  // namespace calfvo::cuda
