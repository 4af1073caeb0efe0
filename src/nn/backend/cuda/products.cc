// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/cuda/products.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "calfvo/error.h"
#include "nn/backend/cuda/cuda_check.h"
#include "nn/backend/cuda/kernels.h"

namespace calfvo::cuda {
namespace {

void CheckBlas(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(fmt::format("cuBLASLt failed while {}: {}", what, cublasLtGetStatusString(status)));
}

class Layout {
 public:
  // Column-major, as the library sees our rows.
  Layout(cudaDataType_t type, int64_t rows, int64_t cols) {
    CheckBlas(cublasLtMatrixLayoutCreate(&layout_, type, static_cast<uint64_t>(rows),
                                         static_cast<uint64_t>(cols), rows),
              "describing a matrix");
  }
  ~Layout() { cublasLtMatrixLayoutDestroy(layout_); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
  cublasLtMatrixLayout_t get() const { return layout_; }

 private:
  cublasLtMatrixLayout_t layout_ = nullptr;
};

class Description {
 public:
  Description() {
    CheckBlas(cublasLtMatmulDescCreate(&description_, CUBLAS_COMPUTE_32F, CUDA_R_32F),
              "describing a product");
  }
  ~Description() { cublasLtMatmulDescDestroy(description_); }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
  cublasLtMatmulDesc_t get() const { return description_; }

  template <typename Value>
  void Set(cublasLtMatmulDescAttributes_t attribute, const Value& value) const {
    CheckBlas(cublasLtMatmulDescSetAttribute(description_, attribute, &value, sizeof(value)),
              "describing a product");
  }

 private:
  cublasLtMatmulDesc_t description_ = nullptr;
};

class Preference {
 public:
  Preference() { CheckBlas(cublasLtMatmulPreferenceCreate(&preference_), "asking for an algorithm"); }
  ~Preference() { cublasLtMatmulPreferenceDestroy(preference_); }
  Preference(const Preference&) = delete;
  Preference& operator=(const Preference&) = delete;
  cublasLtMatmulPreference_t get() const { return preference_; }

  template <typename Value>
  void Set(cublasLtMatmulPreferenceAttributes_t attribute, const Value& value) const {
    CheckBlas(cublasLtMatmulPreferenceSetAttribute(preference_, attribute, &value, sizeof(value)),
              "asking for an algorithm");
  }

 private:
  cublasLtMatmulPreference_t preference_ = nullptr;
};

cudaDataType_t TypeOf(bool fp8) {
  return fp8 ? CUDA_R_8F_E4M3 : CUDA_R_16BF;
}

// The power of two that rows of so many bytes start at multiples of, up to 16.
uint32_t Alignment(int64_t row_bytes) {
  return static_cast<uint32_t>(std::min<int64_t>(16, row_bytes & -row_bytes));
}

// Whether the algorithm adds up each element in one piece.
bool AddsInOnePiece(const cublasLtMatmulAlgo_t& algorithm) {
  int32_t pieces = 1;
  size_t written = 0;
  CheckBlas(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &pieces,
                                                 sizeof(pieces), &written),
            "reading an algorithm");
  return pieces <= 1;
}

constexpr int kCandidates = 24;

}  // namespace

struct Products::Plan {
  explicit Plan(const ProductShape& shape)
      : weight(TypeOf(shape.fp8_in), shape.inputs, shape.outputs),
        x(TypeOf(shape.fp8_in), shape.inputs, shape.rows),
        c(CUDA_R_16BF, shape.outputs, shape.rows),
        out(TypeOf(shape.fp8_out), shape.outputs, shape.rows),
        beta(shape.accumulate ? 1.0F : 0.0F) {
    description.Set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    description.Set(CUBLASLT_MATMUL_DESC_EPILOGUE,
                    shape.gelu ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_BIAS);
    description.Set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, CUDA_R_16BF);
    if (shape.fp8_in) description.Set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, int8_t{1});
  }

  void SetPointers(const ProductOperands& operands) const {
    description.Set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands.bias);
    if (operands.x_scale != nullptr) {
      description.Set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, operands.weight_scale);
      description.Set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, operands.x_scale);
    }
    if (operands.out_inverse_scale != nullptr)
      description.Set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, operands.out_inverse_scale);
  }

  Description description;
  Layout weight, x, c, out;
  float beta;
  std::vector<cublasLtMatmulHeuristicResult_t> candidates;  // of the library, its favourite first
  bool chosen = false;
  cublasLtMatmulAlgo_t algorithm{};
};

Products::Products() {
  CheckBlas(cublasLtCreate(&handle_), "starting");
}

Products::~Products() {
  plans_.clear();
  cublasLtDestroy(handle_);
}

Products::Plan& Products::PlanFor(const ProductShape& shape, const ProductOperands& operands) {
  std::unique_ptr<Plan>& plan = plans_[shape];
  if (plan != nullptr) return *plan;
  plan = std::make_unique<Plan>(shape);
  plan->SetPointers(operands);
  const Preference preference;
  preference.Set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspaceBytes);
  const int64_t in_size = shape.fp8_in ? 1 : 2, out_size = shape.fp8_out ? 1 : 2;
  preference.Set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, Alignment(shape.inputs * in_size));
  preference.Set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, Alignment(shape.inputs * in_size));
  preference.Set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, Alignment(shape.outputs * 2));
  preference.Set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, Alignment(shape.outputs * out_size));
  plan->candidates.resize(kCandidates);
  int found = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle_, plan->description.get(), plan->weight.get(), plan->x.get(), plan->c.get(), plan->out.get(),
      preference.get(), kCandidates, plan->candidates.data(), &found);
  plan->candidates.resize(status == CUBLAS_STATUS_SUCCESS ? static_cast<size_t>(found) : 0);
  return *plan;
}

cublasStatus_t Products::Launch(const Plan& plan, const cublasLtMatmulAlgo_t& algorithm,
                                const ProductOperands& operands, void* out, void* workspace,
                                cudaStream_t stream) {
  plan.SetPointers(operands);
  const float alpha = 1.0F;
  // With fp8 results C is of another type, and not read.
  const void* c = operands.out_inverse_scale != nullptr ? operands.x : out;
  return cublasLtMatmul(handle_, plan.description.get(), &alpha, operands.weight, plan.weight.get(),
                        operands.x, plan.x.get(), &plan.beta, c, plan.c.get(), out, plan.out.get(),
                        &algorithm, workspace, kWorkspaceBytes, stream);
}

void Products::Run(const ProductShape& shape, const ProductOperands& operands, void* workspace,
                   cudaStream_t stream) {
  Plan& plan = PlanFor(shape, operands);
  if (!plan.chosen) Choose(shape, operands, plan, workspace, stream);
  CheckBlas(Launch(plan, plan.algorithm, operands, operands.out, workspace, stream), "multiplying matrices");
}

void Products::Choose(const ProductShape& shape, const ProductOperands& operands, Plan& plan, void* workspace,
                      cudaStream_t stream) {
  if (plan.candidates.empty()) {
    throw Error(fmt::format("cuBLASLt has no algorithm for a product of {}x{}x{}", shape.rows, shape.inputs,
                            shape.outputs));
  }
  std::stable_partition(plan.candidates.begin(), plan.candidates.end(),
                        [](const auto& candidate) { return AddsInOnePiece(candidate.algo); });
  // Results go elsewhere, so that nothing is added to the stream twice; both copies start out the same.
  const auto bytes = (static_cast<size_t>(shape.rows * shape.outputs * (shape.fp8_out ? 1 : 2)) + 3) / 4 * 4;
  DeviceBuffer expected(bytes), ours(bytes);
  DeviceBuffer different(sizeof(unsigned long long));
  CheckCuda(cudaMemsetAsync(ours.data(), 0, bytes, stream), "clearing memory");  // which timing adds to
  const CudaEvent begin(true), end(true);
  constexpr int kRepetitions = 5;
  float best_ms = 0.0F;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  for (const cublasLtMatmulHeuristicResult_t& candidate : plan.candidates) {
    DeviceBuffer& out = plan.chosen ? ours : expected;
    CheckCuda(cudaMemsetAsync(out.data(), 0, bytes, stream), "clearing memory");
    CheckCuda(cudaMemsetAsync(different.data(), 0, sizeof(unsigned long long), stream), "clearing memory");
    status = Launch(plan, candidate.algo, operands, out.data(), workspace, stream);
    if (status != CUBLAS_STATUS_SUCCESS) {
      static_cast<void>(cudaGetLastError());  // which a refused launch may leave behind
      continue;
    }
    CountDifferences(expected.data(), out.data(), static_cast<int64_t>(bytes / 4),
                     reinterpret_cast<unsigned long long*>(different.data()), stream);
    unsigned long long differences = 0;
    CheckCuda(
        cudaMemcpyAsync(&differences, different.data(), sizeof(differences), cudaMemcpyDeviceToHost, stream),
        "comparing algorithms");
    CheckCuda(cudaStreamSynchronize(stream), "trying algorithms");
    if (differences != 0) continue;
    begin.Record(stream);
    for (int i = 0; i < kRepetitions; ++i) {
      CheckBlas(Launch(plan, candidate.algo, operands, ours.data(), workspace, stream), "trying algorithms");
    }
    end.Record(stream);
    end.Wait();
    float ms = 0.0F;
    CheckCuda(cudaEventElapsedTime(&ms, begin.get(), end.get()), "timing algorithms");
    if (!plan.chosen || ms < best_ms) {
      plan.algorithm = candidate.algo;
      best_ms = ms;
      plan.chosen = true;
    }
  }
  if (!plan.chosen) {
    throw Error(fmt::format("none of cuBLASLt's algorithms for a product of {}x{}x{} works: {}", shape.rows,
                            shape.inputs, shape.outputs, cublasLtGetStatusString(status)));
  }
}

}  // namespace calfvo::cuda
