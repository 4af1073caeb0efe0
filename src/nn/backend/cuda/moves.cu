// SPDX-License-Identifier: Apache-2.0
// Kernels that convert, gather, add and average.
#include "nn/backend/cuda/cuda_check.h"
#include "nn/backend/cuda/element.cuh"
#include "nn/backend/cuda/kernels.h"
#include "nn/backend/cuda/stream_element.cuh"

namespace calfvo::cuda {
namespace {

constexpr int kThreads = 256;

// body(i) for i < count, one thread each.
template <typename Body>
__global__ void __launch_bounds__(kThreads) Each(int64_t count, Body body) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) body(i);
}

template <typename Body>
void ForEach(int64_t count, cudaStream_t stream, const char* what, Body body) {
  if (count == 0) return;
  Each<<<static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads, 0, stream>>>(count, body);
  CheckLaunch(what);
}

template <typename From, typename To>
void Convert(const void* from, int64_t count, void* to, cudaStream_t stream) {
  ForEach(count, stream, "converting",
          [from = static_cast<const From*>(from), to = static_cast<To*>(to)] __device__(int64_t i) {
            to[i] = Round<To>(static_cast<float>(from[i]), 1.0F);
          });
}

constexpr int kMeanColumns = 64;
constexpr int kMeanShares = kThreads / kMeanColumns;

// Four threads share the rows of a column; the order of additions is fixed.
__global__ void __launch_bounds__(kThreads) Means(MeanArguments a) {
  __shared__ float shares[kMeanShares][kMeanColumns];
  const int in_block = static_cast<int>(threadIdx.x) % kMeanColumns;
  const int share = static_cast<int>(threadIdx.x) / kMeanColumns;
  const int column = static_cast<int>(blockIdx.x) * kMeanColumns + in_block;
  const int64_t group = blockIdx.y / a.parts, part = blockIdx.y % a.parts;
  const int64_t first_row = group * a.group_step + part * a.part_step + a.first;
  const auto* from = static_cast<const StreamElement*>(a.x) + first_row * a.dim + column;
  float sum = 0.0F;
  if (column < a.dim) {
#pragma unroll 8
    for (int64_t i = share; i < a.count; i += kMeanShares)
      sum += static_cast<float>(from[i * a.step * a.dim]);
  }
  shares[share][in_block] = sum;
  __syncthreads();
  if (share > 0 || column >= a.dim) return;
  for (int i = 1; i < kMeanShares; ++i) sum += shares[i][in_block];
  a.out[(group * a.out_step + part + a.out_first) * a.dim + column] = sum / static_cast<float>(a.count);
}

// y[r, o] = x[r] · weight[o] + bias[o], one block each.
__global__ void __launch_bounds__(kThreads)
    Dots(const float* x, int64_t inputs, const float* weight, const float* bias, int64_t n, float* y) {
  __shared__ float shares[kThreads / kWarp];
  const int64_t output = blockIdx.x % n;
  const float* row = x + blockIdx.x / n * inputs;
  const float* factors = weight + output * inputs;
  float sum = 0.0F;
  for (int64_t i = threadIdx.x; i < inputs; i += kThreads) sum += row[i] * factors[i];
  sum = WarpSum(sum);
  if (threadIdx.x % kWarp == 0) shares[threadIdx.x / kWarp] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int i = 1; i < kThreads / kWarp; ++i) sum += shares[i];
  y[blockIdx.x] = sum + bias[output];
}

struct Convolution {
  int64_t count;
  int height, width, stride;
};

// `Element` is as many channels as can be moved at once, `parts` of which make a pixel.
template <typename Element>
void Gather(const Convolution& c, int parts, const void* maps, void* out, cudaStream_t stream) {
  const int out_height = (c.height - 1) / c.stride + 1;
  const int out_width = (c.width - 1) / c.stride + 1;
  ForEach(
      c.count * out_height * out_width * 9 * parts, stream, "gathering neighbourhoods",
      [=, from = static_cast<const Element*>(maps), to = static_cast<Element*>(out)] __device__(int64_t i) {
        const int part = static_cast<int>(i % parts);
        const int tap = static_cast<int>(i / parts % 9);
        const int64_t pixel = i / parts / 9;
        const int x = static_cast<int>(pixel % out_width) * c.stride + tap % 3 - 1;
        const int y = static_cast<int>(pixel / out_width % out_height) * c.stride + tap / 3 - 1;
        const int64_t map = pixel / out_width / out_height;
        const bool inside = x >= 0 && x < c.width && y >= 0 && y < c.height;
        to[i] = inside ? from[((map * c.height + y) * c.width + x) * parts + part] : Element{};
      });
}

}  // namespace

void FloatsToStream(const float* from, int64_t count, void* to, cudaStream_t stream) {
  Convert<float, StreamElement>(from, count, to, stream);
}
void StreamToFloats(const void* from, int64_t count, float* to, cudaStream_t stream) {
  Convert<StreamElement, float>(from, count, to, stream);
}
void FloatsToActivation(const float* from, int64_t count, void* to, cudaStream_t stream) {
  Convert<float, BF16>(from, count, to, stream);
}
void ActivationToFloats(const void* from, int64_t count, float* to, cudaStream_t stream) {
  Convert<BF16, float>(from, count, to, stream);
}
void StreamToActivation(const void* from, int64_t count, void* to, cudaStream_t stream) {
  Convert<StreamElement, BF16>(from, count, to, stream);
}
void ActivationToStream(const void* from, int64_t count, void* to, cudaStream_t stream) {
  Convert<BF16, StreamElement>(from, count, to, stream);
}

void ResampleRows(const portable::ResampleAxis& axis, const uint8_t* in, int64_t rows, int64_t row_bytes,
                  uint8_t* out, cudaStream_t stream) {
  ForEach(rows * axis.size, stream, "resampling rows", [=] __device__(int64_t i) {
    const auto [red, green, blue] =
        portable::ResamplePixel(axis, static_cast<int>(i % axis.size), in + i / axis.size * row_bytes, 3);
    out[i * 3] = red;
    out[i * 3 + 1] = green;
    out[i * 3 + 2] = blue;
  });
}

void ResampleColumns(const portable::ResampleAxis& axis, const uint8_t* in, int width,
                     const float* normalised, float* out, cudaStream_t stream) {
  const int64_t plane = int64_t{axis.size} * width;
  ForEach(plane, stream, "resampling columns", [=] __device__(int64_t i) {
    const auto [red, green, blue] =
        portable::ResamplePixel(axis, static_cast<int>(i / width), in + i % width * 3, int64_t{3} * width);
    out[i] = normalised[red];
    out[plane + i] = normalised[256 + green];
    out[2 * plane + i] = normalised[512 + blue];
  });
}

void Patchify(const float* images, int64_t count, int size, int patch, void* out, cudaStream_t stream) {
  const int across = size / patch;
  const int row_length = 3 * patch * patch;
  ForEach(count * across * across * row_length, stream, "cutting patches",
          [=, to = static_cast<BF16*>(out)] __device__(int64_t i) {
            const int element = static_cast<int>(i % row_length);
            const int64_t row = i / row_length;
            const int x = static_cast<int>(row % across) * patch + element % patch;
            const int y = static_cast<int>(row / across % across) * patch + element / patch % patch;
            const int64_t plane = row / across / across * 3 + element / (patch * patch);
            to[i] = __float2bfloat16_rn(images[(plane * size + y) * size + x]);
          });
}

void StackPairs(const float* images, int64_t count, int size, void* out, cudaStream_t stream) {
  const int64_t pixels = int64_t{size} * size;
  ForEach((count - 1) * pixels, stream, "stacking images",
          [=, to = static_cast<BF16*>(out)] __device__(int64_t i) {
            const float* from = images + i / pixels * 3 * pixels + i % pixels;
            for (int channel = 0; channel < 6; ++channel) {
              to[i * 6 + channel] = __float2bfloat16_rn(from[channel * pixels]);
            }
          });
}

void Neighbourhoods(const void* maps, int64_t count, int height, int width, int channels, int stride,
                    void* out, cudaStream_t stream) {
  const Convolution shape{count, height, width, stride};
  if (channels % 8 == 0) {
    Gather<uint4>(shape, channels / 8, maps, out, stream);
  } else if (channels % 2 == 0) {
    Gather<uint32_t>(shape, channels / 2, maps, out, stream);
  } else {
    Gather<uint16_t>(shape, channels, maps, out, stream);
  }
}

void AddPrefix(const void* patches, int64_t tokens, int dim, const float* prefix, int64_t prefix_rows,
               const float* positions, void* out, cudaStream_t stream) {
  ForEach((prefix_rows + tokens) * dim, stream, "adding prefix tokens",
          [=, from = static_cast<const StreamElement*>(patches),
           to = static_cast<StreamElement*>(out)] __device__(int64_t i) {
            const int64_t before = prefix_rows * dim;
            const float value = i < before ? prefix[i]
                                           : static_cast<float>(from[i - before]) +
                                                 (positions != nullptr ? positions[i - before] : 0.0F);
            to[i] = Round<StreamElement>(value, 1.0F);
          });
}

void AssembleFrames(const AssembleArguments& arguments, cudaStream_t stream) {
  const AssembleArguments a = arguments;
  const int64_t rows_per_frame = a.tokens + 1;  // the first of them is the camera's
  ForEach(a.count * rows_per_frame * a.dim, stream, "assembling a window", [=] __device__(int64_t i) {
    const int column = static_cast<int>(i % a.dim);
    const int64_t row = i / a.dim;
    const int in_launch = static_cast<int>(row / rows_per_frame);
    const int frame = a.first_frame + in_launch;
    const int token = static_cast<int>(row % rows_per_frame) - 1;
    if (token < 0 && !a.camera_per_frame && frame > 0) return;
    float value = a.camera[column];
    if (token >= 0) {
      const int64_t at = int64_t{token} * a.dim + column;
      value = static_cast<float>(static_cast<const BF16*>(a.frames[in_launch])[at]) + a.positions[at] +
              a.times[int64_t{frame} * a.dim + column];
    }
    const int64_t out_row = a.camera_per_frame ? frame * rows_per_frame + 1 + token
                                               : (token < 0 ? 0 : 1 + int64_t{frame} * a.tokens + token);
    static_cast<StreamElement*>(a.out)[out_row * a.dim + column] = Round<StreamElement>(value, 1.0F);
  });
}

void MeanRows(const MeanArguments& a, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((a.dim + kMeanColumns - 1) / kMeanColumns),
                  static_cast<unsigned>(a.groups * a.parts));
  Means<<<grid, kThreads, 0, stream>>>(a);
  CheckLaunch("averaging");
}

void ProjectFloats(const float* x, int64_t rows, int64_t inputs, const float* weight, const float* bias,
                   int64_t n, float* y, cudaStream_t stream) {
  Dots<<<static_cast<unsigned>(rows * n), kThreads, 0, stream>>>(x, inputs, weight, bias, n, y);
  CheckLaunch("projecting");
}

void CopyRows(const void* x, int64_t count, int64_t step, int dim, void* to, cudaStream_t stream) {
  ForEach(count * dim, stream, "keeping camera tokens",
          [=, from = static_cast<const StreamElement*>(x), to = static_cast<StreamElement*>(to)] __device__(
              int64_t i) { to[i] = from[i / dim * step * dim + i % dim]; });
}

void BroadcastRows(const void* from, int64_t windows, int64_t slots, int64_t step, int dim, void* x,
                   cudaStream_t stream) {
  ForEach(windows * slots * dim, stream, "restoring camera tokens",
          [=, from = static_cast<const StreamElement*>(from),
           to = static_cast<StreamElement*>(x)] __device__(int64_t i) {
            const int64_t slot = i / dim;
            to[slot * step * dim + i % dim] = from[slot / slots * dim + i % dim];
          });
}

void MergeRows(void* x, int64_t windows, int64_t slots, int64_t step, int dim, cudaStream_t stream) {
  ForEach(windows * dim, stream, "merging camera tokens",
          [=, rows = static_cast<StreamElement*>(x)] __device__(int64_t i) {
            StreamElement* column = rows + i / dim * slots * step * dim + i % dim;
            float sum = 0.0F;
#pragma unroll 8
            for (int64_t s = 0; s < slots; ++s) sum += static_cast<float>(column[s * step * dim]);
            const auto mean = Round<StreamElement>(sum / static_cast<float>(slots), 1.0F);
            for (int64_t s = 0; s < slots; ++s) column[s * step * dim] = mean;
          });
}

void LargestMagnitude(const void* activation, int64_t count, float* largest, cudaStream_t stream) {
  ForEach(count, stream, "finding the largest value",
          [=, from = static_cast<const BF16*>(activation)] __device__(int64_t i) {
            const float value = fabsf(static_cast<float>(from[i]));
            if (value > *largest) atomicMax(reinterpret_cast<int*>(largest), __float_as_int(value));
          });
}

void ActivationToFp8(const void* from, int64_t count, const float* inverse_scale, void* to,
                     cudaStream_t stream) {
  ForEach(count, stream, "quantising",
          [=, from = static_cast<const BF16*>(from), to = static_cast<FP8*>(to)] __device__(int64_t i) {
            to[i] = Round<FP8>(static_cast<float>(from[i]), *inverse_scale);
          });
}

void CountDifferences(const void* a, const void* b, int64_t words, unsigned long long* different,
                      cudaStream_t stream) {
  ForEach(
      words, stream, "comparing",
      [=, a = static_cast<const uint32_t*>(a), b = static_cast<const uint32_t*>(b)] __device__(int64_t i) {
        if (a[i] != b[i]) atomicAdd(different, 1ULL);
      });
}

cudaError_t CheckKernels() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, Means);
}

}  // namespace calfvo::cuda
