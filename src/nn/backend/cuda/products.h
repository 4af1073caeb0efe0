// SPDX-License-Identifier: Apache-2.0
// Matrix products through cuBLASLt, with everything that follows them fused, and an algorithm chosen once per
// shape.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <map>
#include <memory>

#include "nn/backend/cuda/device_memory.h"

namespace calfvo::cuda {

// out [rows, outputs] = x [rows, inputs] · weightᵀ [inputs, outputs] + bias, then GELU or added to `out`.
struct ProductShape {
  int64_t rows = 0;
  int64_t inputs = 0;
  int64_t outputs = 0;
  bool fp8_in = false;   // x and weight, else bf16
  bool fp8_out = false;  // else bf16
  bool gelu = false;     // by its tanh form, which differs by at most 5e-4
  bool accumulate = false;
  friend auto operator<=>(const ProductShape&, const ProductShape&) = default;
};

struct ProductOperands {
  const void* x = nullptr;
  const void* weight = nullptr;
  const void* bias = nullptr;      // bf16
  const float* x_scale = nullptr;  // of fp8 operands: what their elements are multiplied by
  const float* weight_scale = nullptr;
  const float* out_inverse_scale = nullptr;
  void* out = nullptr;
};

// The algorithm of a shape is the fastest, as measured at its first use, of those that give the same bits
// there as the library's first choice that adds up in one piece: they add in the same order, as far as those
// operands show.
class Products {
 public:
  Products();
  ~Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  // `workspace` has kWorkspaceBytes. The first use of a shape must not be while a graph is recorded.
  void Run(const ProductShape& shape, const ProductOperands& operands, void* workspace, cudaStream_t stream);

  static constexpr size_t kWorkspaceBytes = size_t{32} << 20;

 private:
  struct Plan;
  Plan& PlanFor(const ProductShape& shape, const ProductOperands& operands);
  void Choose(const ProductShape& shape, const ProductOperands& operands, Plan& plan, void* workspace,
              cudaStream_t stream);
  cublasStatus_t Launch(const Plan& plan, const cublasLtMatmulAlgo_t& algorithm,
                        const ProductOperands& operands, void* out, void* workspace, cudaStream_t stream);

  cublasLtHandle_t handle_ = nullptr;
  std::map<ProductShape, std::unique_ptr<Plan>> plans_;
};

}  // namespace calfvo::cuda
