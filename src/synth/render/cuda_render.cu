// SPDX-License-Identifier: Apache-2.0
// Compiled with fast arithmetic: images may differ from the host's by rounding.
#include <cuda_runtime.h>

#include <climits>

#include "synth/render/cuda_kernels.h"
#include "synth/render/jpeg_blocks.h"
#include "synth/render/render_pixel.h"

namespace calfvo::synth {
namespace {

// What every kernel below reads.
struct RenderArguments {
  DeviceBatch batch;
  const MoverTable* movers;  // [B, K]
  uint8_t* unsharpened;      // as batch.rgb, of windows whose sharpness changes
  TextureView textures;
  uint64_t seed;
  int frames;
  int width;
  int height;
  int cell;
  int samples;
  unsigned zero = 0;  // see OfThread
};

// A number of the block as a number of the thread, which the compiler cannot know to be the same in all of a
// warp. It kept what it knows to be the same in registers that the warp shares, and changed them in place
// where it took the warp for together, as after the loops of Trace. Now and then, in one window of some ten
// thousand, part of the warp was ahead there, and the rest read from a wrong address (nvcc 13.0.88, sm_90).
__device__ int OfThread(const RenderArguments& a, unsigned of_block) {
  return static_cast<int>(of_block + threadIdx.x * a.zero);
}

__device__ FrameView ViewOf(const RenderArguments& a, int window, int frame) {
  FrameView view;
  view.scene = a.batch.scenes + window;
  view.movers = a.movers + window * a.frames + frame;
  view.camera = a.batch.cameras + window;
  view.frame = a.batch.frames + window * a.frames + frame;
  view.effects = a.batch.effects + window;
  view.textures = a.textures;
  return view;
}

// The first pixel of a frame's image.
__device__ int64_t ImageStart(const RenderArguments& a, int window, int frame) {
  return static_cast<int64_t>(window * a.frames + frame) * a.width * a.height;
}

// One thread per mover and frame; the first of them also bounds all.
__global__ void MoverKernel(RenderArguments a, MoverTable* tables) {
  const int window = static_cast<int>(blockIdx.y);
  const int frame = static_cast<int>(blockIdx.x);
  const int mover = static_cast<int>(threadIdx.x);
  const Scene& scene = a.batch.scenes[window];
  MoverTable& table = tables[window * a.frames + frame];
  const float time_s = a.batch.frames[window * a.frames + frame].time_s;
  const WindowEffects& effects = a.batch.effects[window];
  const float reach_s = 0.5F * (effects.readout_s + effects.exposure_s);
  if (mover < scene.mover_count) FillMover(scene, mover, time_s, reach_s, table);
  __syncthreads();
  if (mover == 0) BoundMovers(scene, table);
}

// Sets the automatic exposure of a window, see CpuRenderer::Meter; a thread per place.
__global__ void __launch_bounds__(kMeterPlaces) MeterKernel(RenderArguments a) {
  const int window = OfThread(a, blockIdx.x);
  WindowEffects& effects = a.batch.effects[window];
  if (effects.target <= 0.0F) return;  // all threads leave together
  __shared__ float seen[kMeterPlaces];
  seen[threadIdx.x] = MeterAt(ViewOf(a, window, 0), static_cast<int>(threadIdx.x));
  __syncthreads();
  if (threadIdx.x != 0) return;
  float sum = 0.0F;
  for (int i = 0; i < kMeterPlaces; ++i) sum += seen[i];
  SetExposure(sum / kMeterPlaces, effects);
}

// What FindCandidatesByBlock works with, in shared memory.
struct CandidateScratch {
  Candidates candidates;
  int box[6];  // low, then −high, see Ordered
  int found;
  float near[kMaxCandidates];  // in the order in which threads found them
  uint16_t places[kMaxCandidates];
};

// Floats as integers of the same order, and back.
__device__ int Ordered(float x) {
  const int bits = __float_as_int(x);
  return bits >= 0 ? bits : bits ^ 0x7FFFFFFF;
}
__device__ float FromOrdered(int x) {
  return __int_as_float(x >= 0 ? x : x ^ 0x7FFFFFFF);
}

// The box around those of all threads of a block, with which they go on to FindCandidatesByBlock.
__device__ Box JoinByBlock(const Box& own, CandidateScratch& scratch) {
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread & 31;
  if (thread < 6) scratch.box[thread] = INT_MAX;
  if (thread == 0) scratch.found = 0;
  __syncthreads();
  const float sides[6] = {own.low.x, own.low.y, own.low.z, -own.high.x, -own.high.y, -own.high.z};
  int least = 0;  // of side `lane`
#pragma unroll
  for (int i = 0; i < 6; ++i) {
    const int of_warp = __reduce_min_sync(0xFFFFFFFFU, Ordered(sides[i]));
    if (lane == i) least = of_warp;
  }
  if (lane < 6) atomicMin(scratch.box + lane, least);
  __syncthreads();
  const auto side = [&](int i) { return FromOrdered(scratch.box[i]); };
  return {{side(0), side(1), side(2)}, {-side(3), -side(4), -side(5)}};
}

// What FindCandidates does, by all threads of a block. Threads may read scratch.candidates afterwards, and
// must have done so before the next call.
__device__ void FindCandidatesByBlock(const FrameView& view, const RayBounds& bounds,
                                      CandidateScratch& scratch) {
  const Scene& scene = *view.scene;
  const int thread = static_cast<int>(threadIdx.x);
  const Bundle bundle = ToBundle(bounds);
  const int places = IsEmpty(bounds.origins) ? 0 : CandidatePlaces(scene);
  CALFVO_ROLLED
  for (int place = thread; place < places; place += static_cast<int>(blockDim.x)) {
    const float near = EnterPlace(scene, *view.movers, place, bundle);
    if (near == kFar) continue;
    const int slot = atomicAdd(&scratch.found, 1);
    scratch.near[slot] = near;
    scratch.places[slot] = static_cast<uint16_t>(place);
  }
  __syncthreads();
  const int count = scratch.found;
  if (thread == 0) scratch.candidates.count = count;
  CALFVO_ROLLED
  for (int slot = thread; slot < count; slot += static_cast<int>(blockDim.x)) {
    const float near = scratch.near[slot];
    const uint16_t place = scratch.places[slot];
    int rank = 0;
    CALFVO_ROLLED
    for (int i = 0; i < count; ++i) {
      rank += scratch.near[i] < near || (scratch.near[i] == near && scratch.places[i] < place) ? 1 : 0;
    }
    scratch.candidates.near[rank] = near;
    scratch.candidates.boxes[rank] = &BoxAt(scene, *view.movers, place);
  }
  __syncthreads();
}

// A block of 32 × 16 pixels; a warp covers 8 × 4 of them, so that its rays stay together. The code is much
// larger than the caches of instructions, and the warps of a block go through it together.
constexpr int kTileWidth = 32;
constexpr int kTileHeight = 16;

__global__ void __launch_bounds__(kTileWidth* kTileHeight, 2) ImageKernel(RenderArguments a) {
  __shared__ CandidateScratch scratch;
  const int window = OfThread(a, blockIdx.z);
  const int frame = OfThread(a, blockIdx.y);
  const int tile = OfThread(a, blockIdx.x);
  const int tiles = (a.width + kTileWidth - 1) / kTileWidth;
  const int left = (tile % tiles) * kTileWidth;
  const int top = (tile / tiles) * kTileHeight;
  const int lane = static_cast<int>(threadIdx.x) & 31;
  const int warp = static_cast<int>(threadIdx.x) >> 5;
  const int tile_pixel_x = left + (warp % (kTileWidth / 8)) * 8 + (lane & 7);
  const int tile_pixel_y = top + (warp / (kTileWidth / 8)) * 4 + (lane >> 3);
  const bool inside = tile_pixel_x < a.width && tile_pixel_y < a.height;
  const int x = min(tile_pixel_x, a.width - 1);  // those outside help to find candidates
  const int y = min(tile_pixel_y, a.height - 1);
  const FrameView view = ViewOf(a, window, frame);
  const WindowEffects& effects = *view.effects;
  const int samples = effects.samples > 0 ? effects.samples : a.samples;
  const int bottom = min(top + kTileHeight, a.height) - 1;
  PixelSum sum;
  CALFVO_ROLLED
  for (int first = 0; first < samples; first += 2) {
    const bool two = first + 1 < samples;
    const Sample one = SampleAt(view, x, y, first, samples);
    const Sample other = SampleAt(view, x, y, two ? first + 1 : first, samples);
    Box directions;
    Include(one.ray.direction, directions);
    Include(other.ray.direction, directions);
    FindCandidatesByBlock(view, {SampleOrigins(view, top, bottom), JoinByBlock(directions, scratch)},
                          scratch);
    Hit hit_of_one;
    Hit hit_of_other;
    int shadow_of = sum.shadow_of;
    Box points;
    CALFVO_ROLLED
    for (int i = 0; i < (two ? 2 : 1); ++i) {
      const Sample sample = i == 0 ? one : other;
      const Hit hit = TraceAmong(scratch.candidates, *view.scene, *view.movers, sample.dt, sample.ray);
      IncludeShadowed(sample, hit, shadow_of, points);
      (i == 0 ? hit_of_one : hit_of_other) = hit;
    }
    FindCandidatesByBlock(view, ShadowBounds(view.scene->light, JoinByBlock(points, scratch)), scratch);
    CALFVO_ROLLED
    for (int i = 0; i < (two ? 2 : 1); ++i) {
      const Sample sample = i == 0 ? one : other;
      const auto is_hidden = [&](const Ray& shadow, float distance) {
        return IsHiddenAmong(scratch.candidates, *view.scene, *view.movers, sample.dt, shadow, distance);
      };
      AddSample(view, sample, i == 0 ? hit_of_one : hit_of_other, is_hidden, sum);
    }
  }
  if (!inside) return;
  const Vec3 light = sum.light * (1.0F / static_cast<float>(samples));
  const uint64_t window_seed = a.seed + static_cast<uint64_t>(window) * 0x10001U;
  const auto noise_seed =
      static_cast<uint32_t>(portable::Mix(window_seed + static_cast<uint64_t>(frame) * 977U));
  const Rgb8 color = Develop(effects, light, FrameGain(effects, frame), x, y, a.width, a.height, noise_seed);
  uint8_t* images = effects.sharpness != 0.0F ? a.unsharpened : a.batch.rgb;
  Store(color, images + 3 * (ImageStart(a, window, frame) + y * a.width + x));
}

// A thread per pixel.
__global__ void __launch_bounds__(256) SharpnessKernel(RenderArguments a) {
  const int window = static_cast<int>(blockIdx.z);
  const float sharpness = a.batch.effects[window].sharpness;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (sharpness == 0.0F || i >= a.width * a.height) return;
  const int64_t start = ImageStart(a, window, static_cast<int>(blockIdx.y));
  const int y = i / a.width;
  Store(Sharpened(a.unsharpened + 3 * start, i - y * a.width, y, a.width, a.height, sharpness),
        a.batch.rgb + 3 * (start + i));
}

__global__ void __launch_bounds__(128) DepthKernel(RenderArguments a) {
  const int window = OfThread(a, blockIdx.z);
  const int frame = OfThread(a, blockIdx.y);
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= a.width * a.height) return;
  const int y = i / a.width;
  const int x = i - y * a.width;
  Hit hit;
  const float depth = PixelDepth(ViewOf(a, window, frame), static_cast<float>(x), static_cast<float>(y), hit);
  a.batch.depth[ImageStart(a, window, frame) + i] = depth < kFar ? depth : __int_as_float(0x7F800000);
}

__device__ void StoreCellMotion(const RenderArguments& a, const FrameView& view, int window, int other,
                                Pixel at, const Hit& hit, float* out) {
  const float nan = __int_as_float(0x7FC00000);
  Pixel motion;
  const bool found =
      other >= 0 && other < a.frames && PixelMotion(view, ViewOf(a, window, other), at.x, at.y, hit, motion);
  out[0] = found ? motion.x : nan;
  out[1] = found ? motion.y : nan;
}

__global__ void __launch_bounds__(128) CellKernel(RenderArguments a) {
  const int window = OfThread(a, blockIdx.z);
  const int frame = OfThread(a, blockIdx.y);
  const int columns = a.width / a.cell;
  const int rows = a.height / a.cell;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= columns * rows) return;
  const Pixel at = CellMiddle(i % columns, i / columns, a.cell);
  const FrameView view = ViewOf(a, window, frame);
  Hit hit;
  const float depth = PixelDepth(view, at.x, at.y, hit);
  const int64_t index = static_cast<int64_t>(window * a.frames + frame) * columns * rows + i;
  a.batch.cell_depth[index] = depth < kFar ? depth : __int_as_float(0x7F800000);
  StoreCellMotion(a, view, window, frame + 1, at, hit, a.batch.cell_to_next + 2 * index);
  StoreCellMotion(a, view, window, frame - 1, at, hit, a.batch.cell_to_previous + 2 * index);
}

// Four blocks of 8 × 8 pixels at a time, one thread per pixel; see ApplyJpeg for the same on the host.
constexpr int kJpegBlocks = 4;

__global__ void __launch_bounds__(64 * kJpegBlocks) JpegKernel(RenderArguments a) {
  const int window = static_cast<int>(blockIdx.z);
  const int quality = a.batch.effects[window].jpeg_quality;
  if (quality <= 0) return;    // the whole block of threads leaves together
  __shared__ float basis[64];  // [frequency][place]
  __shared__ float values[kJpegBlocks][64];
  __shared__ float halves[kJpegBlocks][64];
  const int i = static_cast<int>(threadIdx.x) & 63;
  const int local = static_cast<int>(threadIdx.x) >> 6;
  const int column = i & 7;
  const int row = i >> 3;
  if (local == 0) basis[i] = CosineBasis(column, row);
  const int columns = (a.width + 7) / 8;
  const int blocks = columns * ((a.height + 7) / 8);
  const int block = min(static_cast<int>(blockIdx.x) * kJpegBlocks + local, blocks - 1);
  const int x = 8 * (block % columns) + column;
  const int y = 8 * (block / columns) + row;
  uint8_t* image = a.batch.rgb + 3 * ImageStart(a, window, static_cast<int>(blockIdx.y));
  uint8_t* pixel = image + 3 * (static_cast<int64_t>(min(y, a.height - 1)) * a.width + min(x, a.width - 1));
  const Vec3 color = ToLumaChroma(
      {static_cast<float>(pixel[0]), static_cast<float>(pixel[1]), static_cast<float>(pixel[2])});
  float channels[3] = {color.x - 128.0F, color.y, color.z};
  for (int channel = 0; channel < 3; ++channel) {
    float* v = values[local];
    float* h = halves[local];
    __syncthreads();
    v[i] = channels[channel];
    __syncthreads();
    float sum = 0.0F;
    for (int k = 0; k < 8; ++k) sum += basis[8 * column + k] * v[8 * row + k];
    h[i] = sum;
    __syncthreads();
    sum = 0.0F;
    for (int k = 0; k < 8; ++k) sum += basis[8 * row + k] * h[8 * k + column];
    v[i] = Quantize(sum, i, channel, quality);
    __syncthreads();
    sum = 0.0F;
    for (int k = 0; k < 8; ++k) sum += basis[8 * k + column] * v[8 * row + k];
    h[i] = sum;
    __syncthreads();
    sum = 0.0F;
    for (int k = 0; k < 8; ++k) sum += basis[8 * k + row] * h[8 * k + column];
    channels[channel] = sum;
  }
  const bool last_repeated = static_cast<int>(blockIdx.x) * kJpegBlocks + local >= blocks;
  if (x >= a.width || y >= a.height || last_repeated) return;
  const Vec3 rgb = FromLumaChroma({channels[0] + 128.0F, channels[1], channels[2]});
  pixel[0] = ToByte(rgb.x);
  pixel[1] = ToByte(rgb.y);
  pixel[2] = ToByte(rgb.z);
}

unsigned Blocks(int count, int per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

}  // namespace

void LaunchRender(const WindowBatchOptions& options, const DeviceBatch& batch, const RenderMemory& memory,
                  TextureView textures, uint64_t seed, CudaStream stream) {
  const RenderArguments a{batch,          memory.movers, memory.unsharpened, textures,     seed,
                          options.frames, options.width, options.height,     options.cell, options.samples};
  const auto frames = static_cast<unsigned>(options.frames);
  const auto windows = static_cast<unsigned>(options.windows);
  MoverKernel<<<dim3(frames, windows), 32, 0, stream>>>(a, memory.movers);
  CheckLaunch("mover kernel");
  if (options.effects.metering_probability > 0.0F) {
    MeterKernel<<<windows, kMeterPlaces, 0, stream>>>(a);
    CheckLaunch("meter kernel");
  }
  const unsigned tiles = Blocks(options.width, kTileWidth) * Blocks(options.height, kTileHeight);
  ImageKernel<<<dim3(tiles, frames, windows), kTileWidth * kTileHeight, 0, stream>>>(a);
  CheckLaunch("image kernel");
  if (options.effects.sharpness_probability > 0.0F) {
    SharpnessKernel<<<dim3(Blocks(options.width * options.height, 256), frames, windows), 256, 0, stream>>>(
        a);
    CheckLaunch("sharpness kernel");
  }
  if (options.effects.jpeg_probability > 0.0F) {
    const unsigned blocks = Blocks(options.width, 8) * Blocks(options.height, 8);
    JpegKernel<<<dim3(Blocks(static_cast<int>(blocks), kJpegBlocks), frames, windows), 64 * kJpegBlocks, 0,
                 stream>>>(a);
    CheckLaunch("jpeg kernel");
  }
  const int cells = (options.width / options.cell) * (options.height / options.cell);
  CellKernel<<<dim3(Blocks(cells, 128), frames, windows), 128, 0, stream>>>(a);
  CheckLaunch("cell kernel");
  if (batch.depth != nullptr) {
    DepthKernel<<<dim3(Blocks(options.width * options.height, 128), frames, windows), 128, 0, stream>>>(a);
    CheckLaunch("depth kernel");
  }
}

}  // namespace calfvo::synth
