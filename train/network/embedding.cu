// SPDX-License-Identifier: Apache-2.0
// One thread takes eight channels of one token of one frame, in window after window: it reads the parameters
// once, and sums without others.
#include <algorithm>

#include "network/cuda_kernels.h"
#include "network/cuda_launch.h"
#include "network/cuda_vector.h"

namespace calfvo::train {
namespace {

constexpr int kThreads = 256;
constexpr int kForwardParts = 16;  // of the windows
constexpr int kWindowsAtOnce = 4;  // of a thread: so many loads are under way

// A thread's place in any window.
struct Place {
  int rows;  // of a window, with cameras
  int row;
  int column;
  int frame;
  int token;  // −1: the camera

  __device__ explicit Place(const EmbeddingShape& shape) {
    const int vectors = shape.channels / kVector;
    const auto index = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    rows = shape.frames * (1 + shape.tokens);
    row = index / vectors;
    column = index % vectors * kVector;
    frame = row / (1 + shape.tokens);
    token = row % (1 + shape.tokens) - 1;
  }

  __device__ int64_t WithCamera(const EmbeddingShape& shape, int64_t window) const {
    return (window * rows + row) * shape.channels + column;
  }
  __device__ int64_t WithoutCamera(const EmbeddingShape& shape, int64_t window) const {
    return ((window * shape.frames + frame) * shape.tokens + token) * shape.channels + column;
  }
};

// One by one: parameters may lie anywhere in a buffer of all of them.
__device__ Vector Parameter(const float* from) {
  Vector x;
#pragma unroll
  for (int e = 0; e < kVector; ++e) x.v[e] = from[e];
  return x;
}

// use(window, load(window)) for this block's part of the windows, several loads at a time.
template <typename T, typename Load, typename Use>
__device__ void ForWindows(const EmbeddingShape& shape, const Load& load, const Use& use) {
  const int64_t step = gridDim.y;
  for (int64_t first = blockIdx.y; first < shape.windows; first += kWindowsAtOnce * step) {
    Packed<T> loaded[kWindowsAtOnce] = {};
#pragma unroll
    for (int i = 0; i < kWindowsAtOnce; ++i) {
      const int64_t window = first + i * step;
      if (window < shape.windows) loaded[i] = load(window);
    }
#pragma unroll
    for (int i = 0; i < kWindowsAtOnce; ++i) {
      const int64_t window = first + i * step;
      if (window >= shape.windows) break;
      use(window, Unpacked(loaded[i]));
    }
  }
}

template <typename T>
__global__ void Embed(EmbeddingShape shape, EmbeddingInputs inputs, const T* __restrict__ tokens,
                      T* __restrict__ out) {
  const Place place(shape);
  if (place.row >= place.rows) return;
  const bool camera = place.token < 0;
  Vector added;
  Vector aspect = {};
  if (camera) {
    added = Parameter(inputs.camera + place.column);
  } else {
    added = Parameter(inputs.position + place.token * shape.channels + place.column);
    AddScaled(added, 1.0F, Parameter(inputs.time + place.frame * shape.channels + place.column));
    if (inputs.aspect != nullptr) aspect = Parameter(inputs.aspect + place.column);
  }
  ForWindows<T>(
      shape,
      [&](int64_t window) {
        return camera ? Packed<T>{} : LoadPacked(tokens + place.WithoutCamera(shape, window));
      },
      [&](int64_t window, Vector x) {
        AddScaled(x, 1.0F, added);
        if (inputs.aspect != nullptr) AddScaled(x, inputs.log_aspect[window], aspect);
        Store8(out + place.WithCamera(shape, window), x);
      });
}

template <typename T>
__global__ void Gradient(EmbeddingShape shape, const float* __restrict__ log_aspect,
                         const T* __restrict__ of_out, T* __restrict__ of_tokens, float* __restrict__ sums) {
  const Place place(shape);
  if (place.row >= place.rows) return;
  Vector sum = {};
  Vector weighted = {};
  ForWindows<T>(
      shape, [&](int64_t window) { return LoadPacked(of_out + place.WithCamera(shape, window)); },
      [&](int64_t window, const Vector& d) {
        if (place.token >= 0) Store8(of_tokens + place.WithoutCamera(shape, window), d);
        AddScaled(sum, 1.0F, d);
        if (log_aspect != nullptr) AddScaled(weighted, log_aspect[window], d);
      });
  Store8(sums + place.WithCamera(shape, 2 * int64_t{blockIdx.y}), sum);
  if (log_aspect != nullptr) Store8(sums + place.WithCamera(shape, 2 * int64_t{blockIdx.y} + 1), weighted);
}

dim3 GridFor(const EmbeddingShape& shape, int64_t parts) {
  const int64_t vectors = int64_t{shape.frames} * (1 + shape.tokens) * (shape.channels / kVector);
  return {static_cast<unsigned>((vectors + kThreads - 1) / kThreads), static_cast<unsigned>(parts)};
}

}  // namespace

void EmbeddingForward(const EmbeddingShape& shape, Element element, const EmbeddingInputs& inputs,
                      const void* tokens, void* out, CudaStream stream) {
  if (shape.windows == 0) return;
  const dim3 grid = GridFor(shape, std::min<int64_t>(shape.windows, kForwardParts));
  WithElement(element, [&]<typename T>() {
    Embed<<<grid, kThreads, 0, stream>>>(shape, inputs, static_cast<const T*>(tokens), static_cast<T*>(out));
  });
  CheckLaunch("embedding");
}

void EmbeddingBackward(const EmbeddingShape& shape, Element element, const float* log_aspect,
                       const void* of_out, void* of_tokens, float* sums, CudaStream stream) {
  WithElement(element, [&]<typename T>() {
    Gradient<<<GridFor(shape, kEmbeddingParts), kThreads, 0, stream>>>(
        shape, log_aspect, static_cast<const T*>(of_out), static_cast<T*>(of_tokens), sums);
  });
  CheckLaunch("embedding's gradient");
}

}  // namespace calfvo::train
