// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/cuda/cuda_linear.h"

#include <algorithm>
#include <array>
#include <vector>

#include "nn/backend/cuda/cuda_check.h"
#include "nn/backend/cuda/kernels.h"
#include "nn/tensor/half.h"
#include "nn/tensor/tensor.h"

namespace calfvo::cuda {
namespace {

std::vector<BFloat16> RoundToBF16(const TensorView& values) {
  const Tensor converted = ToF32(values);
  std::vector<BFloat16> rounded(converted.Data<float>().size());
  std::transform(converted.Data<float>().begin(), converted.Data<float>().end(), rounded.begin(),
                 [](float value) { return ToBFloat16(value); });
  return rounded;
}

constexpr std::array kZero = {0.0F};

float LargestOf(const void* x, int64_t count, cudaStream_t stream) {
  DeviceBuffer largest(std::as_bytes(std::span(kZero)));
  LargestMagnitude(x, count, reinterpret_cast<float*>(largest.data()), stream);
  float value = 0.0F;
  CheckCuda(cudaMemcpyAsync(&value, largest.data(), sizeof(value), cudaMemcpyDeviceToHost, stream),
            "reading a scale");
  CheckCuda(cudaStreamSynchronize(stream), "reading a scale");
  return value;
}

constexpr float kLargestFp8 = 448.0F;
// Operands may become so many times larger than calibration saw them before they saturate; fp8 being a
// floating-point format, that costs no precision.
constexpr float kHeadroom = 4.0F;

}  // namespace

CudaLinear::CudaLinear(const TensorView& weight, const TensorView& bias)
    : inputs_(weight.shape()[1]),
      outputs_(weight.shape()[0]),
      weight_(std::make_unique<DeviceBuffer>(std::as_bytes(std::span<const BFloat16>(RoundToBF16(weight))))),
      bias_(std::as_bytes(std::span<const BFloat16>(RoundToBF16(bias)))) {}

void CudaLinear::Observe(const void* x, int64_t rows, cudaStream_t stream) const {
  if (observed_ == nullptr) observed_ = std::make_unique<DeviceBuffer>(std::as_bytes(std::span(kZero)));
  LargestMagnitude(x, rows * inputs_, reinterpret_cast<float*>(observed_->data()), stream);
}

void CudaLinear::Quantise(cudaStream_t stream) const {
  float largest_x = 0.0F;
  CheckCuda(cudaMemcpyAsync(&largest_x, observed_->data(), sizeof(float), cudaMemcpyDeviceToHost, stream),
            "reading a scale");
  const float largest_weight = LargestOf(weight_->data(), inputs_ * outputs_, stream);
  const float x_scale = std::max(largest_x, 1e-6F) * kHeadroom / kLargestFp8;
  const float weight_scale = std::max(largest_weight, 1e-12F) / kLargestFp8;
  std::array<float, 4 * kScaleStep> scales{};
  scales[0 * kScaleStep] = x_scale;
  scales[1 * kScaleStep] = 1.0F / x_scale;
  scales[2 * kScaleStep] = weight_scale;
  scales[3 * kScaleStep] = 1.0F / weight_scale;
  scales_ = std::make_unique<DeviceBuffer>(std::as_bytes(std::span(scales)));
  auto quantised = std::make_unique<DeviceBuffer>(static_cast<size_t>(inputs_ * outputs_));
  ActivationToFp8(weight_->data(), inputs_ * outputs_, scale(3), quantised->data(), stream);
  CheckCuda(cudaStreamSynchronize(stream), "quantising weights");
  weight_ = std::move(quantised);
  observed_.reset();
  fp8_ = true;
}

CudaVector::CudaVector(const TensorView& values)
    : buffer_(std::as_bytes(std::span(ToF32(values).Data<float>()))) {}

}  // namespace calfvo::cuda
