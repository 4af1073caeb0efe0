// SPDX-License-Identifier: Apache-2.0
// The first stage of calfvo-s's stem, from the images' bytes: pairs of them, a convolution of 3 × 3 in
// steps of two, layer norm, GELU. Its map is the largest of the network, and composed of single operations it
// would be written and read again by each of them. Here only images are read and only results written;
// backward, the convolution is computed once more, and no gradient of it leaves the registers.
//
// A block has four rows of results at a time, a warp one of them. What they see of the images lies in
// shared memory as bf16, the six colours of a pixel side by side. Sixteen results are one product on tensor
// cores, 16 × 56 by 56 × 32: 54 colours under the kernel, and two ones for the bias, which is given as two
// bf16 that add up to it. The weights' columns are ordered so that a lane has eight neighbouring channels of
// two results, which are eight apart. For the gradient of the weights, products over results, fragments are
// transposed from lane to lane.
#include <algorithm>

#include "network/cuda_kernels.h"
#include "network/cuda_launch.h"
#include "network/cuda_mma.h"
#include "network/cuda_vector.h"
#include "network/gelu_one.h"
#include "network/partial_sums.h"

namespace calfvo::train {
namespace {

constexpr int kChannels = kFirstStageChannels;
constexpr int kColours = 6;
constexpr int kTaps = 9;
constexpr int kWeights = kTaps * kColours;  // of a channel
constexpr int kWarps = 4;
constexpr int kThreads = 32 * kWarps;
constexpr int kInputRows = 2 * kWarps + 1;
constexpr int kRun = 16;            // results of a product
constexpr int kTiles = 4;           // of eight channels
constexpr int kSteps = 7;           // of eight factors of a product
constexpr int kPixelWords = 3;      // of two colours
constexpr int kLeftWords = 4;       // before a row's first pixel: the one outside the image, aligned
constexpr int kBackwardBlocks = 3;  // per processor
static_assert(kChannels == 8 * kTiles && kWeights + 2 == 8 * kSteps);
static_assert(kFirstStageGradients == kChannels * (kWeights + 3));

__host__ __device__ int Pitch(int width) {
  return kLeftWords + kPixelWords * width;
}

// A lane's channels among those of its fragments.
struct ChannelLane : Lane {
  // Of the columns of tile `tile`, the channel of this group's.
  __device__ int ChannelOfColumn(int tile) const { return group / 2 * 8 + tile * 2 + group % 2; }
  __device__ int FirstChannel() const { return 8 * place; }
};

// The 8 × 8 matrix of which every group has a row, transposed.
__device__ uint32_t Transposed(uint32_t row) {
  uint32_t column;
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(column) : "r"(row));
  return column;
}

__device__ void Multiply8(float (&sums)[4], uint32_t a0, uint32_t a1, uint32_t b0) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a0), "r"(a1), "r"(b0));
}

// Four pixels of a row of both images, as words of two colours.
struct FourPixels {
  uint32_t words[4 * kPixelWords] = {};

  __device__ void Take(const uint8_t* previous, const uint8_t* current, const float (&scale)[3],
                       const float (&shift)[3]) {
    uint32_t bytes[2][3];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      bytes[0][i] = reinterpret_cast<const uint32_t*>(previous)[i];
      bytes[1][i] = reinterpret_cast<const uint32_t*>(current)[i];
    }
#pragma unroll
    for (int pixel = 0; pixel < 4; ++pixel) {
      float colours[kColours];
#pragma unroll
      for (int c = 0; c < kColours; ++c) {
        const int byte = 3 * pixel + c % 3;
        const uint32_t value = bytes[c / 3][byte / 4] >> (8 * (byte % 4)) & 0xFFU;
        colours[c] = static_cast<float>(value) * scale[c % 3] + shift[c % 3];
      }
#pragma unroll
      for (int i = 0; i < kPixelWords; ++i) {
        words[kPixelWords * pixel + i] = PackedPair(colours[2 * i], colours[2 * i + 1]);
      }
    }
  }
};

// What a block of either kernel works through: rows of results by fours.
struct Tiles {
  FirstStageShape shape;
  FirstStageInputs inputs;

  __device__ int64_t count() const { return shape.windows * shape.frames * (shape.height / 2 / kWarps); }
  __device__ int64_t Frame(int64_t tile) const { return tile / (shape.height / 2 / kWarps); }
  __device__ int FirstRow(int64_t tile) const {
    return static_cast<int>(tile % (shape.height / 2 / kWarps)) * kWarps;
  }
  // The first channel of the first result of this warp's row.
  __device__ int64_t Place(int64_t tile) const {
    const int64_t row = Frame(tile) * (shape.height / 2) + FirstRow(tile) + threadIdx.x / 32;
    return row * (shape.width / 2) * kChannels;
  }

  // The pixels outside of the images on the left, which nothing else is written to.
  __device__ void ClearLeft(uint32_t* shared) const {
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < kInputRows * kLeftWords)
      shared[thread / kLeftWords * Pitch(shape.width) + thread % kLeftWords] = 0;
  }

  // The rows of both images that a tile sees, the one above them first.
  __device__ void Load(int64_t tile, uint32_t* shared) const {
    const int64_t frame = Frame(tile);
    const int64_t window = frame / shape.frames;
    const int64_t in_window = frame % shape.frames;
    const int64_t image = int64_t{3} * shape.height * shape.width;
    const uint8_t* current = inputs.frames + window * inputs.window_stride + in_window * image;
    const uint8_t* previous = in_window > 0              ? current - image
                              : inputs.before == nullptr ? current
                                                         : inputs.before + window * inputs.before_stride;
    float scale[3], shift[3];
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      scale[c] = inputs.scale[c];
      shift[c] = inputs.shift[c];
    }
    const int fours = shape.width / 4;
    const int first_row = 2 * FirstRow(tile) - 1;
#pragma unroll 2
    for (int i = static_cast<int>(threadIdx.x); i < kInputRows * fours; i += kThreads) {
      const int row = i / fours;
      const int four = i % fours;
      FourPixels pixels;
      if (first_row + row >= 0) {
        const int64_t at = 3 * (int64_t{first_row + row} * shape.width + 4 * four);
        pixels.Take(previous + at, current + at, scale, shift);
      }
      auto* to =
          reinterpret_cast<uint4*>(shared + row * Pitch(shape.width) + kLeftWords) + kPixelWords * four;
#pragma unroll
      for (int j = 0; j < kPixelWords; ++j) {
        const uint32_t* words = pixels.words + 4 * j;
        to[j] = make_uint4(words[0], words[1], words[2], words[3]);
      }
    }
  }
};

// The convolution's weights and bias, and where a lane finds the colours that they are multiplied by.
struct Convolution {
  uint32_t weights[kTiles][kSteps];
  int offsets[kSteps];

  __device__ Convolution(const FirstStageInputs& inputs, const ChannelLane& lane, int pitch) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const int pair = 4 * step + lane.place;  // of colours under the kernel, row by row
      const int row_words = 3 * kPixelWords;
      offsets[step] = IsBias(step, lane) ? 0 : pair / row_words * pitch + pair % row_words;
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        const int channel = lane.ChannelOfColumn(tile);
        if (IsBias(step, lane)) {
          const float bias = inputs.bias[channel];
          weights[tile][step] = PackedPair(bias, bias - __bfloat162float(__float2bfloat16(bias)));
        } else {
          const float* of_channel = inputs.weight + channel * kWeights;
          weights[tile][step] =
              PackedPair(of_channel[WeightOf(2 * pair)], of_channel[WeightOf(2 * pair + 1)]);
        }
      }
    }
  }

  __device__ static bool IsBias(int step, const ChannelLane& lane) {
    return step == kSteps - 1 && lane.place == 3;
  }
  // Where the weight of a factor lies among those of its channel: [colours, 3, 3].
  __device__ static int WeightOf(int factor) {
    return factor % kColours * kTaps + factor / kColours;
  }

  // The colours of results x + group and x + group + 8 of the row whose images begin at `rows`, and the
  // sums of their eight channels: [..][0] and [1] of the first, [2] and [3] of the second.
  __device__ void Take(const uint32_t* rows, int x, const ChannelLane& lane, uint32_t (&first)[kSteps],
                       uint32_t (&second)[kSteps], float (&sums)[kTiles][4]) const {
    constexpr uint32_t kOnes = 0x3F803F80U;
    const uint32_t* at = rows + kLeftWords - kPixelWords + 2 * kPixelWords * (x + lane.group);
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const bool bias = IsBias(step, lane);
      first[step] = bias ? kOnes : at[offsets[step]];
      second[step] = bias ? kOnes : at[offsets[step] + 8 * 2 * kPixelWords];
    }
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
      for (float& sum : sums[tile]) sum = 0.0F;
#pragma unroll
      for (int step = 0; step + 1 < kSteps; step += 2) {
        Multiply16(sums[tile], first[step], second[step], first[step + 1], second[step + 1],
                   weights[tile][step], weights[tile][step + 1]);
      }
      Multiply8(sums[tile], first[kSteps - 1], second[kSteps - 1], weights[tile][kSteps - 1]);
    }
  }
};

// The eight channels that a lane has of one of its two results.
__device__ Vector ChannelsOf(const float (&sums)[kTiles][4], int result) {
  Vector values;
#pragma unroll
  for (int c = 0; c < kVector; ++c) values.v[c] = sums[c / 2][2 * result + c % 2];
  return values;
}

// Makes x (x − mean) / σ over the four lanes of a group; returns 1 / σ.
__device__ float Normalize(Vector& x, float eps) {
  float sum = 0.0F;
#pragma unroll
  for (const float value : x.v) sum += value;
  const float mean = LaneSum<4>(sum) / kChannels;
  float squares = 0.0F;
#pragma unroll
  for (float& value : x.v) {
    value -= mean;
    squares += value * value;
  }
  const float inverse = rsqrtf(LaneSum<4>(squares) / kChannels + eps);
#pragma unroll
  for (float& value : x.v) value *= inverse;
  return inverse;
}

// The norm's parameters for a lane's channels.
__device__ Vector ParametersAt(const float* from, const ChannelLane& lane) {
  Vector values;
#pragma unroll
  for (int c = 0; c < kVector; ++c) values.v[c] = from[lane.FirstChannel() + c];
  return values;
}

__global__ void __launch_bounds__(kThreads) Forward(Tiles tiles, float eps, __nv_bfloat16* __restrict__ out) {
  extern __shared__ uint4 shared_memory[];
  auto* shared = reinterpret_cast<uint32_t*>(shared_memory);
  const int pitch = Pitch(tiles.shape.width);
  const ChannelLane lane;
  const Convolution convolution(tiles.inputs, lane, pitch);
  const Vector gains = ParametersAt(tiles.inputs.norm_weight, lane);
  const Vector shifts = ParametersAt(tiles.inputs.norm_bias, lane);
  tiles.ClearLeft(shared);
  for (int64_t tile = blockIdx.x; tile < tiles.count(); tile += gridDim.x) {
    __syncthreads();  // other warps may still read the previous tile
    tiles.Load(tile, shared);
    __syncthreads();
    const uint32_t* rows = shared + threadIdx.x / 32 * 2 * pitch;
    __nv_bfloat16* to = out + tiles.Place(tile) + lane.FirstChannel();
    for (int x = 0; x < tiles.shape.width / 2; x += kRun) {
      uint32_t first[kSteps], second[kSteps];
      float sums[kTiles][4];
      convolution.Take(rows, x, lane, first, second, sums);
#pragma unroll
      for (int result = 0; result < 2; ++result) {
        Vector z = ChannelsOf(sums, result);
        Normalize(z, eps);
#pragma unroll
        for (int c = 0; c < kVector; ++c) z.v[c] = Gelu(z.v[c] * gains.v[c] + shifts.v[c]);
        Store8(to + (x + lane.group + 8 * result) * kChannels, z);
      }
    }
  }
}

// A lane's share of the gradients of parameters. Of the weights: [rows of the first 16 channels, then of the
// others][factors by eight], as sums of products.
struct Gradients {
  float weights[kTiles / 2][kSteps][4] = {};
  Vector gains = {};
  Vector shifts = {};

  // Adds the sums of all warps to `to` [kFirstStageGradients], one warp after the other.
  __device__ void Store(const ChannelLane& lane, float* shared, float* to) {
    const int thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < kFirstStageGradients; i += kThreads) shared[i] = 0.0F;
#pragma unroll
    for (int c = 0; c < kVector; ++c) {
#pragma unroll
      for (int offset = 4; offset < 32; offset *= 2) {
        gains.v[c] += __shfl_xor_sync(0xFFFFFFFFU, gains.v[c], offset);
        shifts.v[c] += __shfl_xor_sync(0xFFFFFFFFU, shifts.v[c], offset);
      }
    }
    for (int warp = 0; warp < kWarps; ++warp) {
      __syncthreads();
      if (thread / 32 == warp) AddTo(lane, shared);
    }
    __syncthreads();
    for (int i = thread; i < kFirstStageGradients; i += kThreads) to[i] = shared[i];
  }

 private:
  __device__ void AddTo(const ChannelLane& lane, float* shared) const {
    float* biases = shared + kChannels * kWeights;
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      const int channel = lane.ChannelOfColumn(tile);
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int factor = 8 * step + 2 * lane.place + i;
          const float sum = weights[tile / 2][step][tile % 2 * 2 + i];
          if (factor < kWeights) {
            shared[channel * kWeights + Convolution::WeightOf(factor)] += sum;
          } else if (factor == kWeights) {
            biases[channel] += sum;
          }
        }
      }
    }
    if (lane.group != 0) return;
#pragma unroll
    for (int c = 0; c < kVector; ++c) {
      biases[kChannels + lane.FirstChannel() + c] += gains.v[c];
      biases[2 * kChannels + lane.FirstChannel() + c] += shifts.v[c];
    }
  }
};

__global__ void __launch_bounds__(kThreads, kBackwardBlocks)
    Backward(Tiles tiles, float eps, const __nv_bfloat16* __restrict__ of_out, float* __restrict__ partial) {
  extern __shared__ uint4 shared_memory[];
  auto* shared = reinterpret_cast<uint32_t*>(shared_memory);
  const int pitch = Pitch(tiles.shape.width);
  const ChannelLane lane;
  const Convolution convolution(tiles.inputs, lane, pitch);
  __shared__ float gains[kChannels], shifts[kChannels];
  if (threadIdx.x < kChannels) {
    gains[threadIdx.x] = tiles.inputs.norm_weight[threadIdx.x];
    shifts[threadIdx.x] = tiles.inputs.norm_bias[threadIdx.x];
  }
  Gradients gradients;
  tiles.ClearLeft(shared);
  for (int64_t tile = blockIdx.x; tile < tiles.count(); tile += gridDim.x) {
    const __nv_bfloat16* from = of_out + tiles.Place(tile) + lane.FirstChannel() + lane.group * kChannels;
    __syncthreads();
    tiles.Load(tile, shared);
    __syncthreads();
    const uint32_t* rows = shared + threadIdx.x / 32 * 2 * pitch;
    for (int x = 0; x < tiles.shape.width / 2; x += kRun) {
      const Packed<__nv_bfloat16> of_results[2] = {LoadPacked(from + x * kChannels),
                                                   LoadPacked(from + (x + 8) * kChannels)};
      uint32_t first[kSteps], second[kSteps];
      float sums[kTiles][4];
      convolution.Take(rows, x, lane, first, second, sums);
      uint32_t of_sums[2][kTiles];  // of both results, transposed: a group has a channel of eight results
#pragma unroll
      for (int result = 0; result < 2; ++result) {
        Vector normed = ChannelsOf(sums, result);
        const float inverse = Normalize(normed, eps);
        Vector d = Unpacked(of_results[result]);
        float mean = 0.0F;
        float projection = 0.0F;
#pragma unroll
        for (int c = 0; c < kVector; ++c) {
          const float gain = gains[lane.FirstChannel() + c];
          d.v[c] *= GeluDerivative(normed.v[c] * gain + shifts[lane.FirstChannel() + c]);
          gradients.gains.v[c] += d.v[c] * normed.v[c];
          gradients.shifts.v[c] += d.v[c];
          d.v[c] *= gain;
          mean += d.v[c];
          projection += d.v[c] * normed.v[c];
        }
        mean = LaneSum<4>(mean) / kChannels;
        projection = LaneSum<4>(projection) / kChannels;
#pragma unroll
        for (int c = 0; c < kVector; ++c) {
          d.v[c] = inverse * (d.v[c] - mean - normed.v[c] * projection);
        }
#pragma unroll
        for (int i = 0; i < kTiles; ++i) {
          of_sums[result][i] = Transposed(PackedPair(d.v[2 * i], d.v[2 * i + 1]));
        }
      }
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        const uint32_t b0 = Transposed(first[step]);
        const uint32_t b1 = Transposed(second[step]);
#pragma unroll
        for (int half = 0; half < kTiles / 2; ++half) {
          Multiply16(gradients.weights[half][step], of_sums[0][2 * half], of_sums[0][2 * half + 1],
                     of_sums[1][2 * half], of_sums[1][2 * half + 1], b0, b1);
        }
      }
    }
  }
  __syncthreads();
  gradients.Store(lane, reinterpret_cast<float*>(shared),
                  partial + int64_t{blockIdx.x} * kFirstStageGradients);
}

size_t SharedBytes(const FirstStageShape& shape) {
  return sizeof(uint32_t) *
         static_cast<size_t>(std::max(kInputRows * Pitch(shape.width), kFirstStageGradients));
}

// As many as run at a time, but not more than there are tiles; at least one.
template <typename Kernel>
int BlocksFor(Kernel kernel, const FirstStageShape& shape, int most) {
  const int64_t tiles = shape.windows * shape.frames * (shape.height / 2 / kWarps);
  const int at_once = std::min(BlocksAtOnce(kernel, kThreads, SharedBytes(shape)), most);
  return static_cast<int>(std::clamp<int64_t>(tiles, 1, at_once));
}

}  // namespace

void FirstStageForward(const FirstStageShape& shape, const FirstStageInputs& inputs, void* out,
                       CudaStream stream) {
  const int blocks = BlocksFor(Forward, shape, 1 << 16);
  Forward<<<static_cast<unsigned>(blocks), kThreads, SharedBytes(shape), stream>>>(
      Tiles{shape, inputs}, shape.eps, static_cast<__nv_bfloat16*>(out));
  CheckLaunch("the stem's first stage");
}

void FirstStageBackward(const FirstStageShape& shape, const FirstStageInputs& inputs, const void* of_out,
                        float* partial, float* gradients, CudaStream stream) {
  const int blocks = BlocksFor(Backward, shape, kFirstStageBlocks);
  Backward<<<static_cast<unsigned>(blocks), kThreads, SharedBytes(shape), stream>>>(
      Tiles{shape, inputs}, shape.eps, static_cast<const __nv_bfloat16*>(of_out), partial);
  SumPartials(blocks, kFirstStageGradients, partial, gradients, stream);
  CheckLaunch("the gradient of the stem's first stage");
}

}  // namespace calfvo::train
