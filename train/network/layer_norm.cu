// SPDX-License-Identifier: Apache-2.0
// A row is held in the registers of kLanes lanes, kVectors times eight elements each, so that narrow feature
// maps fill warps as well as wide tokens do. Statistics are computed again in the backward pass, which has to
// read the row anyway.
#include <algorithm>

#include "network/cuda_kernels.h"
#include "network/cuda_launch.h"
#include "network/cuda_vector.h"
#include "network/gelu_one.h"
#include "network/partial_sums.h"

namespace calfvo::train {
namespace {

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;
constexpr int kForwardBlocks = 8 * kNormBlocks;

// The lanes that share a row, and their part of it.
template <int kLanes, int kVectors>
struct Row {
  using Values = Vector[kVectors];

  int lane;       // 0 to kLanes − 1
  unsigned mask;  // of the lanes of this row in the warp
  int channels;

  __device__ explicit Row(int channels_) : channels(channels_) {
    const int thread = static_cast<int>(threadIdx.x);
    lane = thread % kLanes;
    mask = kLanes == 32 ? 0xFFFFFFFFU : ((1U << (kLanes % 32)) - 1U) << (thread % 32 / kLanes * kLanes);
  }

  __device__ int Column(int vector) const { return (vector * kLanes + lane) * kVector; }
  __device__ bool Has(int vector) const { return Column(vector) < channels; }

  template <typename T>
  __device__ void Load(const T* from, int64_t row, Values& x) const {
#pragma unroll
    for (int i = 0; i < kVectors; ++i) x[i] = Has(i) ? Load8(from + row * channels + Column(i)) : Vector{};
  }

  // One by one: parameters may lie anywhere in a buffer of all of them. Zeros where there are none.
  __device__ void LoadParameter(const float* from, Values& x) const {
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
#pragma unroll
      for (int e = 0; e < kVector; ++e) {
        x[i].v[e] = from != nullptr && Has(i) ? from[Column(i) + e] : 0.0F;
      }
    }
  }

  template <typename T>
  __device__ void Add(const T* from, int64_t row, Values& x) const {
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      if (Has(i)) AddScaled(x[i], 1.0F, Load8(from + row * channels + Column(i)));
    }
  }

  template <typename T>
  __device__ void Store(T* to, int64_t row, const Values& x) const {
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      if (Has(i)) Store8(to + row * channels + Column(i), x[i]);
    }
  }

  // Makes x (x − mean) / σ; returns 1 / σ.
  __device__ float Normalize(Values& x, float eps) const {
    float sum = 0.0F;
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
#pragma unroll
      for (int e = 0; e < kVector; ++e) sum += x[i].v[e];
    }
    const float mean = LaneSum<kLanes>(sum, mask) / static_cast<float>(channels);
    float squares = 0.0F;
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
#pragma unroll
      for (int e = 0; e < kVector; ++e) {
        x[i].v[e] = Has(i) ? x[i].v[e] - mean : 0.0F;
        squares += x[i].v[e] * x[i].v[e];
      }
    }
    const float inverse = rsqrtf(LaneSum<kLanes>(squares, mask) / static_cast<float>(channels) + eps);
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
#pragma unroll
      for (int e = 0; e < kVector; ++e) x[i].v[e] *= inverse;
    }
    return inverse;
  }
};

__device__ bool IsCamera(const NormShape& shape, int64_t row) {
  return shape.camera != CameraRule::kNone && static_cast<uint32_t>(row) % shape.tokens == 0;
}

// The camera token of the first frame of the row's window.
__device__ int64_t FirstCamera(const NormShape& shape, int64_t row) {
  const uint32_t window = shape.tokens * shape.frames;
  return static_cast<uint32_t>(row) / window * window;
}

template <typename T, int kLanes, int kVectors, bool kGelu>
__global__ void __launch_bounds__(kThreads)
    Forward(NormShape shape, NormInputs inputs, T* __restrict__ sum, T* __restrict__ normed) {
  constexpr int kRows = kThreads / kLanes;
  const Row<kLanes, kVectors> lanes(shape.channels);
  const T* __restrict__ x = static_cast<const T*>(inputs.x);
  const T* __restrict__ branch = static_cast<const T*>(inputs.branch);
  Vector gains[kVectors], shifts[kVectors], offsets[kVectors];
  lanes.LoadParameter(inputs.weight, gains);
  lanes.LoadParameter(inputs.bias, shifts);
  lanes.LoadParameter(inputs.offset, offsets);
  const int64_t first = int64_t{blockIdx.x} * kRows + threadIdx.x / kLanes;
  for (int64_t row = first; row < shape.rows; row += int64_t{gridDim.x} * kRows) {
    const bool camera = IsCamera(shape, row);
    Vector values[kVectors];
    lanes.Load(x, row, values);
    if (camera && shape.camera == CameraRule::kMean) {
      const int64_t first_camera = FirstCamera(shape, row);
      Vector total[kVectors] = {};
      for (uint32_t k = 0; k < shape.frames; ++k) {
        lanes.Add(x, first_camera + int64_t{k} * shape.tokens, total);
        lanes.Add(branch, first_camera + int64_t{k} * shape.tokens, total);
      }
#pragma unroll
      for (int i = 0; i < kVectors; ++i) {
#pragma unroll
        for (int e = 0; e < kVector; ++e) values[i].v[e] = total[i].v[e] / static_cast<float>(shape.frames);
      }
    } else if (branch != nullptr && !camera) {
      lanes.Add(branch, row, values);
    }
    if (!camera || shape.camera == CameraRule::kMean) {
#pragma unroll
      for (int i = 0; i < kVectors; ++i) AddScaled(values[i], 1.0F, offsets[i]);
    }
    if (branch != nullptr) lanes.Store(sum, row, values);
    lanes.Normalize(values, shape.eps);
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
#pragma unroll
      for (int e = 0; e < kVector; ++e) {
        const float z = values[i].v[e] * gains[i].v[e] + shifts[i].v[e];
        values[i].v[e] = kGelu ? Gelu(z) : z;
      }
    }
    lanes.Store(normed, row, values);
  }
}

// Parameters as the backward pass needs them; the last two with GELU only.
template <int kVectors>
struct Parameters {
  Vector gains[kVectors];
  Vector shifts[kVectors];
  Vector offsets[kVectors];
};

// Each lane's share of the gradients of parameters, over all rows that it sees.
template <int kVectors>
struct Sums {
  Vector weight[kVectors] = {};
  Vector bias[kVectors] = {};
  Vector offset[kVectors] = {};
};

// What the gradient of a row is computed from, as it lies in memory.
template <typename T, int kVectors>
struct RowInputs {
  Packed<T> sum[kVectors];
  Packed<T> of_normed[kVectors];
  Packed<T> of_other[kVectors];
};

template <typename T, int kLanes, int kVectors, bool kGelu>
__device__ RowInputs<T, kVectors> Fetch(const NormShape& shape, const Row<kLanes, kVectors>& lanes,
                                        const NormInputs& inputs, const NormGradients& gradients,
                                        int64_t row) {
  RowInputs<T, kVectors> out = {};
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    if (row >= shape.rows || !lanes.Has(i)) continue;
    const int64_t at = row * shape.channels + lanes.Column(i);
    out.sum[i] = LoadPacked(static_cast<const T*>(inputs.x) + at);
    out.of_normed[i] = LoadPacked(static_cast<const T*>(gradients.of_normed) + at);
    if (gradients.of_other != nullptr)
      out.of_other[i] = LoadPacked(static_cast<const T*>(gradients.of_other) + at);
  }
  return out;
}

// d += the gradient of a row of the sum through the norm and, without GELU, that from its other uses.
template <typename T, int kLanes, int kVectors, bool kGelu>
__device__ void RowGradient(const NormShape& shape, const Row<kLanes, kVectors>& lanes,
                            const RowInputs<T, kVectors>& row, const Parameters<kVectors>& parameters,
                            bool counts, Sums<kVectors>& sums, Vector (&d)[kVectors]) {
  Vector x[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    x[i] = Unpacked(row.sum[i]);
    if constexpr (kGelu) AddScaled(x[i], 1.0F, parameters.offsets[i]);
  }
  const float inverse = lanes.Normalize(x, shape.eps);
  Vector g[kVectors];
  float mean = 0.0F;
  float projection = 0.0F;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    g[i] = Unpacked(row.of_normed[i]);
    if constexpr (kGelu) AddScaled(g[i], 1.0F, Unpacked(row.of_other[i]));
#pragma unroll
    for (int e = 0; e < kVector; ++e) {
      float& value = g[i].v[e];
      const float gain = parameters.gains[i].v[e];
      if constexpr (kGelu) value *= GeluDerivative(x[i].v[e] * gain + parameters.shifts[i].v[e]);
      if (counts) {
        sums.weight[i].v[e] += value * x[i].v[e];
        sums.bias[i].v[e] += value;
      }
      value *= gain;
      mean += value;
      projection += value * x[i].v[e];
    }
  }
  mean = LaneSum<kLanes>(mean, lanes.mask) / static_cast<float>(shape.channels);
  projection = LaneSum<kLanes>(projection, lanes.mask) / static_cast<float>(shape.channels);
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    if constexpr (!kGelu) AddScaled(d[i], 1.0F, Unpacked(row.of_other[i]));
#pragma unroll
    for (int e = 0; e < kVector; ++e) {
      d[i].v[e] += inverse * (g[i].v[e] - mean - x[i].v[e] * projection);
    }
  }
}

// The block's sums [3, channels], in a fixed order.
template <int kLanes, int kVectors>
__device__ void StoreSums(const Row<kLanes, kVectors>& lanes, const Sums<kVectors>& sums, float* to) {
  extern __shared__ float shared[];  // [kWarps, 3, channels]
  const int thread = static_cast<int>(threadIdx.x);
  const int channels = lanes.channels;
#pragma unroll
  for (int which = 0; which < 3; ++which) {
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
#pragma unroll
      for (int e = 0; e < kVector; ++e) {
        float value = which == 0 ? sums.weight[i].v[e] : which == 1 ? sums.bias[i].v[e] : sums.offset[i].v[e];
        for (int offset = kLanes; offset < 32; offset *= 2)
          value += __shfl_xor_sync(0xFFFFFFFFU, value, offset);
        if (thread % 32 < kLanes && lanes.Has(i)) {
          shared[(thread / 32 * 3 + which) * channels + lanes.Column(i) + e] = value;
        }
      }
    }
  }
  __syncthreads();
  for (int c = thread; c < 3 * channels; c += kThreads) {
    float total = 0.0F;
    for (int warp = 0; warp < kWarps; ++warp) total += shared[warp * 3 * channels + c];
    to[c] = total;
  }
}

// How many blocks of Backward a processor must have registers for; 0: no matter. GELU is much to compute, and
// in bf16 a fifth block takes only a few registers from each thread.
template <typename T, int kVectors, bool kGelu>
constexpr int kBlocksAtLeast = sizeof(T) == 2 && kVectors == 1 && kGelu ? 5 : 0;

template <typename T, int kLanes, int kVectors, bool kGelu>
__global__ void __launch_bounds__(kThreads, kBlocksAtLeast<T, kVectors, kGelu>)
    Backward(NormShape shape, NormInputs inputs, NormGradients gradients) {
  constexpr int kRows = kThreads / kLanes;
  // The next row is on its way while one is computed; wide rows leave no registers for it.
  constexpr bool kAhead = kVectors == 1;
  const Row<kLanes, kVectors> lanes(shape.channels);
  const auto fetch = [&](int64_t row) {
    return Fetch<T, kLanes, kVectors, kGelu>(shape, lanes, inputs, gradients, row);
  };
  T* of_branch = static_cast<T*>(gradients.of_branch);
  Parameters<kVectors> parameters;
  lanes.LoadParameter(inputs.weight, parameters.gains);
  if constexpr (kGelu) {
    lanes.LoadParameter(inputs.bias, parameters.shifts);
    lanes.LoadParameter(inputs.offset, parameters.offsets);
  }
  Sums<kVectors> sums;
  const int64_t first = int64_t{blockIdx.x} * kRows + threadIdx.x / kLanes;
  const int64_t step = int64_t{gridDim.x} * kRows;
  RowInputs<T, kVectors> next;
  if constexpr (kAhead) next = fetch(first);
  for (int64_t row = first; row < shape.rows; row += step) {
    const RowInputs<T, kVectors> now = kAhead ? next : fetch(row);
    if constexpr (kAhead) next = fetch(row + step);
    const bool camera = !kGelu && IsCamera(shape, row);
    Vector d[kVectors] = {};
    if (camera && shape.camera == CameraRule::kMean) {
      const int64_t first_camera = FirstCamera(shape, row);
      for (uint32_t k = 0; k < shape.frames; ++k) {
        const int64_t other = first_camera + int64_t{k} * shape.tokens;
        RowGradient<T, kLanes, kVectors, kGelu>(shape, lanes, fetch(other), parameters, other == row, sums,
                                                d);
      }
#pragma unroll
      for (int i = 0; i < kVectors; ++i) {
#pragma unroll
        for (int e = 0; e < kVector; ++e) d[i].v[e] /= static_cast<float>(shape.frames);
      }
    } else {
      RowGradient<T, kLanes, kVectors, kGelu>(shape, lanes, now, parameters, true, sums, d);
    }
    lanes.Store(static_cast<T*>(gradients.of_x), row, d);
    if (camera && shape.camera == CameraRule::kSkip) {
      const Vector zeros[kVectors] = {};
      lanes.Store(of_branch, row, zeros);
      continue;
    }
    if (of_branch != nullptr) lanes.Store(of_branch, row, d);
#pragma unroll
    for (int i = 0; i < kVectors; ++i) AddScaled(sums.offset[i], 1.0F, d[i]);
  }
  __syncwarp();
  StoreSums(lanes, sums, gradients.partial + int64_t{blockIdx.x} * 3 * shape.channels);
}

// Calls launch<T, kLanes, kVectors, kGelu>(blocks) for the shape.
template <typename Launch>
void Dispatch(const NormShape& shape, Element element, int64_t max_blocks, const Launch& launch) {
  const auto with_lanes = [&]<typename T, int kLanes, int kVectors>() {
    constexpr int64_t kRows = kThreads / kLanes;
    const int64_t blocks = (shape.rows + kRows - 1) / kRows;
    const auto count = static_cast<int>(std::min(blocks, max_blocks));
    if (shape.gelu) {
      launch.template operator()<T, kLanes, kVectors, true>(count);
    } else {
      launch.template operator()<T, kLanes, kVectors, false>(count);
    }
  };
  WithElement(element, [&]<typename T>() {
    const int vectors = shape.channels / kVector;
    if (vectors <= 4) return with_lanes.template operator()<T, 4, 1>();
    if (vectors <= 8) return with_lanes.template operator()<T, 8, 1>();
    if (vectors <= 16) return with_lanes.template operator()<T, 16, 1>();
    if (vectors <= 32) return with_lanes.template operator()<T, 32, 1>();
    if (vectors <= 64) return with_lanes.template operator()<T, 32, 2>();
    with_lanes.template operator()<T, 32, 4>();
  });
}

}  // namespace

void NormForward(const NormShape& shape, Element element, const NormInputs& inputs, void* sum, void* normed,
                 CudaStream stream) {
  if (shape.rows == 0) return;
  Dispatch(shape, element, kForwardBlocks, [&]<typename T, int kLanes, int kVectors, bool kGelu>(int blocks) {
    Forward<T, kLanes, kVectors, kGelu>
        <<<blocks, kThreads, 0, stream>>>(shape, inputs, static_cast<T*>(sum), static_cast<T*>(normed));
  });
  CheckLaunch("layer norm");
}

void NormBackward(const NormShape& shape, Element element, const NormInputs& inputs,
                  const NormGradients& gradients, CudaStream stream) {
  if (shape.rows == 0) return;
  const int columns = 3 * shape.channels;
  const size_t shared_bytes = static_cast<size_t>(kWarps * columns) * sizeof(float);
  Dispatch(shape, element, kNormBlocks, [&]<typename T, int kLanes, int kVectors, bool kGelu>(int most) {
    const auto kernel = Backward<T, kLanes, kVectors, kGelu>;
    const int blocks = std::min(most, BlocksAtOnce(kernel, kThreads, shared_bytes));
    kernel<<<blocks, kThreads, shared_bytes, stream>>>(shape, inputs, gradients);
    SumPartials(blocks, columns, gradients.partial, gradients.of_parameters, stream);
  });
  CheckLaunch("layer norm's gradient");
}

}  // namespace calfvo::train
