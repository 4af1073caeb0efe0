// SPDX-License-Identifier: Apache-2.0
#include "data/cuda_render_stream.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <optional>

namespace calfvo::train {
namespace {

#if CUDA_VERSION >= 12050

// The driver's function, or null. The driver is not linked: programs start without one.
template <typename Function>
Function* DriverFunction(const char* name, Function* /*its type*/) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &function, 12050, cudaEnableDefault, &result);
  if (status != cudaSuccess || result != cudaDriverEntryPointSuccess) return nullptr;
  return reinterpret_cast<Function*>(function);
}
#define CALFVO_DRIVER(name) DriverFunction(#name, name)

std::optional<CUstream> StreamOnHalf(c10::DeviceIndex index) {
  constexpr unsigned kGranularity = 8;  // processors are given out by so many
  auto* const get_device = CALFVO_DRIVER(cuDeviceGet);
  auto* const get_resource = CALFVO_DRIVER(cuDeviceGetDevResource);
  auto* const split = CALFVO_DRIVER(cuDevSmResourceSplitByCount);
  auto* const describe = CALFVO_DRIVER(cuDevResourceGenerateDesc);
  auto* const make_context = CALFVO_DRIVER(cuGreenCtxCreate);
  auto* const make_stream = CALFVO_DRIVER(cuGreenCtxStreamCreate);
  if (!get_device || !get_resource || !split || !describe || !make_context || !make_stream)
    return std::nullopt;

  CUdevice device = 0;
  CUdevResource all = {};
  if (get_device(&device, index) != CUDA_SUCCESS ||
      get_resource(device, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS) {
    return std::nullopt;
  }
  const unsigned half = all.sm.smCount / 2 / kGranularity * kGranularity;
  if (half == 0) return std::nullopt;
  unsigned groups = 1;
  CUdevResource part = {};
  CUdevResourceDesc description = nullptr;
  CUgreenCtx context = nullptr;
  CUstream stream = nullptr;
  if (split(&part, &groups, &all, nullptr, 0, half) != CUDA_SUCCESS ||
      describe(&description, &part, 1) != CUDA_SUCCESS ||
      make_context(&context, description, device, CU_GREEN_CTX_DEFAULT_STREAM) != CUDA_SUCCESS ||
      make_stream(&stream, context, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS) {
    return std::nullopt;
  }
  return stream;
}

#undef CALFVO_DRIVER

#else

std::optional<cudaStream_t> StreamOnHalf(c10::DeviceIndex) {
  return std::nullopt;
}

#endif

}  // namespace

c10::cuda::CUDAStream RenderStream(c10::DeviceIndex device) {
  // They stay until the program ends, since LibTorch keeps memory for every stream that it has seen.
  static std::mutex mutex;
  static std::map<c10::DeviceIndex, c10::cuda::CUDAStream> streams;
  const std::lock_guard lock(mutex);
  if (const auto found = streams.find(device); found != streams.end()) return found->second;
  const auto half = StreamOnHalf(device);
  const c10::cuda::CUDAStream stream =
      half ? c10::cuda::getStreamFromExternal(*half, device) : c10::cuda::getStreamFromPool(false, device);
  return streams.emplace(device, stream).first->second;
}

}  // namespace calfvo::train
