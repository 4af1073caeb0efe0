// SPDX-License-Identifier: Apache-2.0
// A product with a wide result that goes through GELU, forward and backward, in one pass over the result,
// which is what takes the time: x [rows, 256] · weightsᵀ, in bf16, on Hopper.
//
// Blocks stay and take 192 rows in turn, four warps together 64 of them, which they keep in registers as the
// first factor of all their products. The weights pass by in tiles of 64 columns of the result, as
// PackWeights has laid them out, several of them under way. Warps that wait only for the weights drift
// apart, and some compute products while others go through GELU.
#include "network/cuda_bulk_copy.h"
#include "network/cuda_kernels.h"
#include "network/cuda_launch.h"
#include "network/cuda_mma.h"
#include "network/cuda_vector.h"
#include "network/cuda_wgmma.h"
#include "network/gelu_one.h"
#include "network/partial_sums.h"

namespace calfvo::train {
namespace {

using Bf16 = __nv_bfloat16;

constexpr int kInner = kGeluProductInner;
constexpr int kSteps = kInner / 16;
constexpr int kTileColumns = 64;
constexpr int kTiles = kTileColumns / 8;
constexpr int kTileParts = kTileColumns * kInner / kVector;  // of 16 bytes
constexpr int kStages = 4;                                   // tiles of weights under way
constexpr int kWarps = 12;
constexpr int kThreads = 32 * kWarps;
constexpr int kBlockRows = 16 * kWarps;

// Where element k of row n of a tile's weights lies, in elements. Sixteen elements of a row are a step of the
// product. Lanes load eight neighbouring elements of x at a time, which are their share of two steps: the
// others are in the same order.
__device__ int PackedPlace(int n, int k) {
  const int lane = k / 8 % 4;
  const int step = k / 32 * 2 + k / 4 % 2;
  const int slot = k / 2 % 2 * 8 + 2 * lane + k % 2;
  const int column = step % 4 * 16 + slot;  // of a block of 64
  return (step / 4 * kTileColumns + n) * 64 + (column / 8 ^ n % 8) * 8 + column % 8;
}

__global__ void Pack(int columns, bool transposed, const float* __restrict__ weights,
                     Bf16* __restrict__ packed) {
  const int index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (index >= columns * kInner) return;
  const int n = transposed ? index % columns : index / kInner;
  const int k = transposed ? index / columns : index % kInner;
  packed[n / kTileColumns * kTileColumns * kInner + PackedPlace(n % kTileColumns, k)] =
      __float2bfloat16(weights[index]);
}

// The tiles of weights that pass by, over and over, in a block's shared memory. The last warp that has read
// one has the next copied to its place.
class Tiles {
 public:
  // By all threads: `tile_count` tiles of `packed`, `times` times over.
  __device__ void Start(const uint4* packed, int tile_count, int64_t times) {
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < kStages; ++stage) {
        full_[stage].Start(1);
        readers_[stage] = 0;
      }
      PublishBarriers();
      for (int stage = 0; stage < kStages; ++stage) Copy(packed, tile_count, times, stage);
    }
    __syncthreads();
  }

  // The tile with this number, counted over all times.
  __device__ WideRows Wait(int64_t number) const {
    full_[number % kStages].Wait(static_cast<uint32_t>(number / kStages % 2));
    return WideRows(SharedAddress(tiles_[number % kStages]));
  }

  // By all lanes of a warp when its products with that tile are done.
  __device__ void Release(const uint4* packed, int tile_count, int64_t times, int64_t number) {
    if (threadIdx.x % 32 != 0) return;
    int& readers = readers_[number % kStages];
    __threadfence_block();
    if (atomicAdd(&readers, 1) < kWarps - 1) return;
    readers = 0;
    __threadfence_block();
    Copy(packed, tile_count, times, number + kStages);
  }

 private:
  __device__ void Copy(const uint4* packed, int tile_count, int64_t times, int64_t number) {
    if (number >= tile_count * times) return;
    full_[number % kStages].ArriveWithCopy(
        tiles_[number % kStages], packed + number % tile_count * kTileParts, kTileParts * sizeof(uint4));
  }

  uint4 tiles_[kStages][kTileParts];
  Barrier full_[kStages];
  int readers_[kStages];
};

// A warp's sixteen rows of x as the first factor.
struct FirstFactor {
  uint32_t pairs[kSteps][4];

  // The lane's upper and lower row.
  __device__ FirstFactor(const Lane& lane, const Bf16* upper, const Bf16* lower) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int i = 0; i < kSteps / 2; ++i) {
        const Bf16* from = (half == 0 ? upper : lower) + 32 * i + 8 * lane.place;
        const uint4 eight = *reinterpret_cast<const uint4*>(from);
        pairs[2 * i][half] = eight.x;
        pairs[2 * i][2 + half] = eight.y;
        pairs[2 * i + 1][half] = eight.z;
        pairs[2 * i + 1][2 + half] = eight.w;
      }
    }
  }
};

__device__ uint2 PackedFour(const float (&v)[4]) {
  return {PackedPair(v[0], v[1]), PackedPair(v[2], v[3])};
}
__device__ void Unpack(uint2 four, float (&v)[4]) {
  v[0] = __uint_as_float(four.x << 16);
  v[1] = __uint_as_float(four.x & 0xFFFF0000U);
  v[2] = __uint_as_float(four.y << 16);
  v[3] = __uint_as_float(four.y & 0xFFFF0000U);
}

// The first of the lane's four columns of pair `pair` of tiles, see FourColumns.
__device__ int FirstColumn(const Lane& lane, int pair) {
  return 16 * pair + FirstOfFour(lane);
}

// For the warp's rows and all tiles: finish(row, tile, products, load(row, tile)), where what is loaded is
// under way while the products are computed. The row is the lane's upper one; the other is eight below.
template <typename Load, typename Finish>
__device__ void ForTiles(Tiles& tiles, const Lane& lane, const GeluProductShape& shape, const Bf16* x,
                         const uint4* packed, const Load& load, const Finish& finish) {
  const int tile_count = shape.columns / kTileColumns;
  const int64_t apart = int64_t{gridDim.x} * kBlockRows;
  const int64_t block_row = int64_t{blockIdx.x} * kBlockRows;
  const int64_t times = (shape.rows - block_row + apart - 1) / apart;
  tiles.Start(packed, tile_count, times);
  int64_t number = 0;
  for (int64_t time = 0; time < times; ++time) {
    const int64_t row = block_row + time * apart + static_cast<int>(threadIdx.x) / 32 * 16 + lane.group;
    const int64_t last = shape.rows - 1;
    const FirstFactor factor(lane, x + min(row, last) * kInner, x + min(row + 8, last) * kInner);
    for (int tile = 0; tile < tile_count; ++tile, ++number) {
      const auto loaded = load(row, tile);
      const WideRows weights = tiles.Wait(number);
      float products[kTiles][4];
      StartProducts();
#pragma unroll
      for (int step = 0; step < kSteps; ++step)
        MultiplyAsync(products, factor.pairs[step], weights.From(step / 4 * kTileColumns, step % 4),
                      step > 0);
      CommitProducts();
      WaitForProducts<0>(products);
      tiles.Release(packed, tile_count, times, number);
      finish(row, tile, products, loaded);
    }
  }
}

__global__ void __launch_bounds__(kThreads, 1)
    GeluProduct(GeluProductShape shape, const Bf16* __restrict__ x, const uint4* __restrict__ packed,
                const float* __restrict__ bias, Bf16* __restrict__ product, Bf16* __restrict__ out) {
  extern __shared__ __align__(1024) uint4 bytes[];
  auto& tiles = *reinterpret_cast<Tiles*>(bytes);
  const Lane lane;
  struct Biases {
    float2 of[kTiles];  // by eight columns, the lane's two
  };
  const auto load = [&](int64_t, int tile) {
    Biases biases;
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
      const int column = tile * kTileColumns + 8 * i + 2 * lane.place;
      biases.of[i] = *reinterpret_cast<const float2*>(bias + column);
    }
    return biases;
  };
  const auto finish = [&](int64_t row, int tile, const float(&products)[kTiles][4], const Biases& biases) {
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {  // pairs of tiles in the upper and the lower row
      const int half = i % 2;
      const float* a = products[i / 2 * 2] + 2 * half;
      const float* b = products[i / 2 * 2 + 1] + 2 * half;
      const float2 even = biases.of[i / 2 * 2];
      const float2 odd = biases.of[i / 2 * 2 + 1];
      const uint2 before =
          FourColumns(lane, PackedPair(a[0] + even.x, a[1] + even.y), PackedPair(b[0] + odd.x, b[1] + odd.y));
      float values[4];
      Unpack(before, values);
#pragma unroll
      for (float& value : values) value = Gelu(value);
      if (row + 8 * half >= shape.rows) continue;
      const int64_t at = (row + 8 * half) * shape.columns + tile * kTileColumns + FirstColumn(lane, i / 2);
      *reinterpret_cast<uint2*>(product + at) = before;
      *reinterpret_cast<uint2*>(out + at) = PackedFour(values);
    }
  };
  ForTiles(tiles, lane, shape, x, packed, load, finish);
}

__global__ void __launch_bounds__(kThreads, 1)
    GeluProductGradient(GeluProductShape shape, const Bf16* __restrict__ of_next,
                        const uint4* __restrict__ packed, const Bf16* __restrict__ product,
                        Bf16* __restrict__ of_product, float* __restrict__ partial) {
  extern __shared__ __align__(1024) uint4 bytes[];
  auto& tiles = *reinterpret_cast<Tiles*>(bytes);
  auto* sums = reinterpret_cast<float*>(&tiles + 1);  // [warps][columns]
  for (int i = static_cast<int>(threadIdx.x); i < kWarps * shape.columns; i += kThreads) sums[i] = 0.0F;
  const Lane lane;
  float* warp_sums = sums + static_cast<int>(threadIdx.x) / 32 * shape.columns;
  struct Before {
    uint2 bits[kTiles];  // of four columns: of pairs of tiles, in the upper and the lower row
  };
  const auto load = [&](int64_t row, int tile) {
    Before before;
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
      const int64_t there = min(row + 8 * (i % 2), shape.rows - 1);
      const int64_t at = there * shape.columns + tile * kTileColumns + FirstColumn(lane, i / 2);
      before.bits[i] = *reinterpret_cast<const uint2*>(product + at);
    }
    return before;
  };
  const auto finish = [&](int64_t row, int tile, const float(&products)[kTiles][4], const Before& before) {
    float over_rows[2 * kTiles] = {};  // sums of the lane's columns, pair by pair
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
      const int half = i % 2;
      const float* a = products[i / 2 * 2] + 2 * half;
      const float* b = products[i / 2 * 2 + 1] + 2 * half;
      float values[4], at_values[4];
      Unpack(FourColumns(lane, PackedPair(a[0], a[1]), PackedPair(b[0], b[1])), values);
      Unpack(before.bits[i], at_values);
#pragma unroll
      for (int j = 0; j < 4; ++j) values[j] *= GeluDerivative(at_values[j]);
      if (row + 8 * half >= shape.rows) continue;
      const int64_t at = (row + 8 * half) * shape.columns + tile * kTileColumns + FirstColumn(lane, i / 2);
      *reinterpret_cast<uint2*>(of_product + at) = PackedFour(values);
#pragma unroll
      for (int j = 0; j < 4; ++j) over_rows[i / 2 * 4 + j] += values[j];
    }
    SplitSums<16, 4, kTiles>(over_rows);  // the lane's two are of a pair's first or last two columns
    const int column = FirstColumn(lane, lane.group / 2) + lane.group % 2 * 2;
    auto& two = *reinterpret_cast<float2*>(warp_sums + tile * kTileColumns + column);
    two.x += over_rows[0];
    two.y += over_rows[1];
  };
  ForTiles(tiles, lane, shape, of_next, packed, load, finish);
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < shape.columns; i += kThreads) {
    float sum = 0.0F;
    for (int warp = 0; warp < kWarps; ++warp) sum += sums[warp * shape.columns + i];
    partial[int64_t{blockIdx.x} * shape.columns + i] = sum;
  }
}

template <typename Kernel, typename... Arguments>
int Launch(Kernel kernel, const GeluProductShape& shape, size_t more_bytes, CudaStream stream,
           Arguments... arguments) {
  const size_t bytes = sizeof(Tiles) + more_bytes;
  const cudaError_t status =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (status != cudaSuccess) throw Error(std::string("feed-forward: ") + cudaGetErrorString(status));
  const int64_t turns = (shape.rows + kBlockRows - 1) / kBlockRows;
  const int blocks =
      static_cast<int>(std::min<int64_t>({turns, BlocksAtOnce(kernel, kThreads, bytes), kGeluProductBlocks}));
  if (blocks > 0) kernel<<<static_cast<unsigned>(blocks), kThreads, bytes, stream>>>(shape, arguments...);
  return blocks;
}

}  // namespace

void PackWeights(int columns, bool transposed, const float* weights, void* packed, CudaStream stream) {
  constexpr int kPackThreads = 256;
  const int blocks = (columns * kInner + kPackThreads - 1) / kPackThreads;
  Pack<<<static_cast<unsigned>(blocks), kPackThreads, 0, stream>>>(columns, transposed, weights,
                                                                   static_cast<Bf16*>(packed));
  CheckLaunch("feed-forward");
}

void GeluProductForward(const GeluProductShape& shape, const void* x, const void* packed, const float* bias,
                        void* product, void* out, CudaStream stream) {
  Launch(GeluProduct, shape, 0, stream, static_cast<const Bf16*>(x), static_cast<const uint4*>(packed), bias,
         static_cast<Bf16*>(product), static_cast<Bf16*>(out));
  CheckLaunch("feed-forward");
}

void GeluProductBackward(const GeluProductShape& shape, const void* of_next, const void* packed,
                         const void* product, void* of_product, float* partial, float* of_bias,
                         CudaStream stream) {
  const int blocks = Launch(GeluProductGradient, shape, size_t{kWarps} * shape.columns * sizeof(float),
                            stream, static_cast<const Bf16*>(of_next), static_cast<const uint4*>(packed),
                            static_cast<const Bf16*>(product), static_cast<Bf16*>(of_product), partial);
  SumPartials(blocks, shape.columns, partial, of_bias, stream);
  CheckLaunch("the gradient of a feed-forward");
}

}  // namespace calfvo::train
