// SPDX-License-Identifier: Apache-2.0
#include "backend/backends.h"

#include <fmt/format.h>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/kernels.h"
#include "backend/cuda/cuda_backend.h"
#include "backend/ref/ref_backend.h"
#include "base/thread_pool.h"
#include "calfvo/error.h"

namespace calfvo {

std::string_view PrecisionName(Precision precision) {
  switch (precision) {
    case Precision::kF32:
      return "f32";
    case Precision::kBF16:
      return "bf16";
    case Precision::kFP8:
      break;
  }
  return "fp8";
}

namespace {

// Without asking for a GPU where nobody wants one: that takes time and some of its memory.
std::vector<BackendKind> Kinds(bool gpu) {
  std::vector<BackendKind> kinds;
  if (gpu && CudaProblem().empty()) {
    kinds.push_back({"cuda", Precision::kBF16});
    if (CudaHasFp8()) kinds.push_back({"cuda", Precision::kFP8});
  }
  for (const CpuKernels* kernels : SupportedKernels()) {
    const BackendKind kind{"cpu", kernels->bf16 ? Precision::kBF16 : Precision::kF32};
    bool known = false;
    for (const BackendKind& other : kinds) {
      known = known || (other.name == kind.name && other.precision == kind.precision);
    }
    if (!known) kinds.push_back(kind);
  }
  kinds.push_back({"ref", Precision::kF32});
  return kinds;
}

}  // namespace

std::vector<BackendKind> AvailableBackends() {
  return Kinds(/*gpu=*/true);
}

std::string BackendWarning() {
  const std::string problem = CudaProblem();
  return problem.empty() || !CudaWasBuilt() ? "" : "the GPU is not used: " + problem;
}

BackendKind ChooseBackend(std::string_view name, std::string_view precision) {
  for (const BackendKind& kind : Kinds(name == "auto" || name == "cuda")) {
    const bool name_fits = name == kind.name || (name == "auto" && kind.name != "ref");
    if (name_fits && (precision == "auto" || precision == PrecisionName(kind.precision))) return kind;
  }
  std::string available;
  for (const BackendKind& kind : AvailableBackends()) {
    available +=
        fmt::format("{}{} {}", available.empty() ? "" : ", ", kind.name, PrecisionName(kind.precision));
  }
  if (name == "cuda" && !CudaProblem().empty()) available += fmt::format("; cuda: {}", CudaProblem());
  throw Error(
      fmt::format("no backend '{}' with precision '{}'; this machine has {}", name, precision, available));
}

std::unique_ptr<Backend> MakeBackend(const BackendKind& kind, int threads) {
  ThreadPool::CheckCount(threads);
  if (kind.name == "ref") return MakeRefBackend(threads);
  if (kind.name == "cuda") return MakeCudaBackend(kind.precision == Precision::kFP8);
  for (const CpuKernels* kernels : SupportedKernels()) {
    if (kernels->bf16 == (kind.precision == Precision::kBF16)) return MakeCpuBackend(*kernels, threads);
  }
  throw Error(fmt::format("this CPU has no kernels for {}", PrecisionName(kind.precision)));
}

}  // namespace calfvo
