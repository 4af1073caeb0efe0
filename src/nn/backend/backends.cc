// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/backends.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <vector>

#include "calfvo/error.h"
#include "core/base/thread_pool.h"
#include "nn/backend/cpu/cpu_backend.h"
#include "nn/backend/cpu/kernels.h"
#include "nn/backend/cuda/cuda_backend.h"
#include "nn/backend/ref/ref_backend.h"

namespace calfvo {

std::string_view PrecisionName(Precision precision) {
  switch (precision) {
    case Precision::kF32:
      return "f32";
    case Precision::kBF16:
      return "bf16";
    case Precision::kInt8:
      return "int8";
    case Precision::kFP8:
      break;
  }
  return "fp8";
}

namespace {

Precision PrecisionOf(const CpuKernels& kernels) {
  if (kernels.int8 != nullptr) return Precision::kInt8;
  return kernels.bf16 ? Precision::kBF16 : Precision::kF32;
}

// The fastest ones.
const CpuKernels& KernelsFor(Precision precision) {
  for (const CpuKernels* kernels : SupportedKernels()) {
    if (PrecisionOf(*kernels) == precision) return *kernels;
  }
  throw Error(fmt::format("this CPU has no kernels for {}", PrecisionName(precision)));
}

// With `gpu` false, does not look for a GPU, which takes time and some of its memory.
std::vector<BackendKind> Kinds(bool gpu) {
  std::vector<BackendKind> kinds;
  if (gpu && CudaProblem().empty()) {
    kinds.push_back({"cuda", Precision::kBF16});
    if (CudaHasFp8()) kinds.push_back({"cuda", Precision::kFP8});
  }
  for (const CpuKernels* kernels : SupportedKernels()) {
    const BackendKind kind{"cpu", PrecisionOf(*kernels)};
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
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

std::optional<BackendKind> FirstMatch(std::span<const BackendKind> kinds, std::string_view name,
                                      std::string_view precision) {
  for (const BackendKind& kind : kinds) {
    const bool name_fits = name == kind.name || (name == "auto" && kind.name != "ref");
    if (name_fits && (precision == "auto" || precision == PrecisionName(kind.precision))) return kind;
  }
  return std::nullopt;
}

BackendKind ChooseBackend(std::string_view name, std::string_view precision) {
  if (const auto kind = FirstMatch(Kinds(name == "auto" || name == "cuda"), name, precision)) return *kind;
  std::string available;
  for (const BackendKind& kind : AvailableBackends()) {
    available +=
        fmt::format("{}{} {}", available.empty() ? "" : ", ", kind.name, PrecisionName(kind.precision));
  }
  if (name == "cuda" && !CudaProblem().empty()) available += fmt::format("; cuda: {}", CudaProblem());
  std::string wanted = name == "auto" ? "backend" : fmt::format("backend '{}'", name);
  if (precision != "auto") wanted += fmt::format(" with precision '{}'", precision);
  throw Error(fmt::format("no {}; this machine has {}", wanted, available));
}

std::unique_ptr<Backend> MakeBackend(const BackendKind& kind, int threads) {
  ThreadPool::CheckCount(threads);
  if (kind.name == "ref") return MakeRefBackend(threads);
  if (kind.name == "cuda") return MakeCudaBackend(kind.precision == Precision::kFP8);
  return MakeCpuBackend(KernelsFor(kind.precision), threads);
}

double MeasurePeak(const BackendKind& kind, int threads, double seconds) {
  if (kind.name != "cpu") return 0.0;
  using Clock = std::chrono::steady_clock;
  constexpr int64_t kSteps = 1 << 14;
  const CpuKernels& kernels = KernelsFor(kind.precision);
  const auto multiply = kernels.int8 != nullptr ? kernels.int8->peak_flop : kernels.peak_flop;
  ThreadPool pool(threads);
  std::vector<double> rates(static_cast<size_t>(pool.size()));
  pool.ParallelFor(pool.size(), [&](int64_t i) {
    double operations = 0.0;
    double taken = 0.0;
    for (const auto start = Clock::now(); taken < seconds;
         taken = std::chrono::duration<double>(Clock::now() - start).count()) {
      operations += multiply(kSteps);
    }
    rates[static_cast<size_t>(i)] = taken > 0.0 ? operations / taken : 0.0;
  });
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

}  // namespace calfvo
