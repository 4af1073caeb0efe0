// SPDX-License-Identifier: Apache-2.0
// Compiled with -fmad=false and exact division, see build_scene.h.
#include "synth/render/cuda_kernels.h"
#include "synth/scene/build_scene.h"
#include "synth/scene/window_draw.h"

namespace calfvo::synth {
namespace {

using portable::Random;

// What MakeTerrain does, a row per lane.
__device__ void MakeTerrainByWarp(const TerrainPlan& plan, Terrain& terrain) {
  const int lane = static_cast<int>(threadIdx.x);
  if (lane == 0) terrain.size = terrain.low = terrain.high = terrain.slope = 0.0F;
  if (plan.size <= 0.0F) return;
  for (int j = lane; j < kTerrainSamples; j += 32) MakeTerrainRow(plan, terrain, j);
  __syncwarp();
  TerrainRange range;
  for (int j = lane; j < kTerrainSamples; j += 32) range = Join(range, MeasureTerrainRow(terrain, j));
  for (int step = 16; step > 0; step /= 2) {
    range = Join(
        range, {__shfl_xor_sync(0xFFFFFFFFU, range.low, step), __shfl_xor_sync(0xFFFFFFFFU, range.high, step),
                __shfl_xor_sync(0xFFFFFFFFU, range.steepest, step)});
  }
  if (lane == 0) FinishTerrain(plan, range, terrain);
}

// What BuildBvh does, by the lanes of one warp: a node each. Children get the same numbers as there.
__device__ void BuildBvhByWarp(Scene& scene, BvhScratch& scratch) {
  constexpr unsigned kAll = 0xFFFFFFFFU;
  const int lane = static_cast<int>(threadIdx.x);
  for (int i = lane; i < scene.static_count; i += 32) PreparePrimitive(scene, scratch, i);
  if (lane == 0) StartBvh(scene);
  __syncwarp();
  int begin = 0;
  int end = scene.static_count > 0 ? 1 : 0;
  int next = scene.node_count;
  for (int level = 0; begin < end; ++level) {
    for (int first = begin; first < end; first += 32) {
      const int index = first + lane;
      const int left = index < end ? CutNode(scene, scratch, index) : 0;
      const bool wants = left > 0 && level < kMaxDepth;
      const unsigned wanting = __ballot_sync(kAll, wants);
      const int child = next + 2 * __popc(wanting & ((1U << lane) - 1U));
      if (wants && child + 2 <= kMaxNodes) SplitNode(scene, index, left, child);
      next = min(next + 2 * __popc(wanting), kMaxNodes);
      __syncwarp();
    }
    begin = level == 0 ? 2 : end;
    end = next;
  }
  if (lane == 0) {
    scene.node_count = next;
    Reorder(scene.primitives, scratch.order, scene.static_count);
  }
}

__global__ void __launch_bounds__(32)
    SceneKernel(WindowBatchOptions options, DeviceBatch batch, uint64_t seed) {
  __shared__ BvhScratch scratch;
  const int window = static_cast<int>(blockIdx.x);
  Scene& scene = batch.scenes[window];
  const SceneKind kind = DrawKind(options.kind_weights, Random(WindowSeed(seed, window, WindowPart::kKind)));
  const uint64_t scene_seed = WindowSeed(seed, window, WindowPart::kScene);
  MakeTerrainByWarp(PlanTerrain(kind, scene_seed), scene.terrain);
  __syncwarp();
  if (threadIdx.x == 0) {
    SceneBuilder builder(scene, scene_seed);
    FillScene(kind, builder);
    builder.CountStatic();
    Random sensor_random(WindowSeed(seed, window, WindowPart::kSensor));
    const Sensor sensor = DrawSensor(options.sensors, kind, sensor_random);
    batch.cameras[window] = CameraFromSensor(sensor, options.width, options.height);
    batch.effects[window] =
        DrawEffects(options.effects, options.frames, Random(WindowSeed(seed, window, WindowPart::kEffects)));
  }
  __syncwarp();
  BuildBvhByWarp(scene, scratch);
}

}  // namespace

void LaunchMakeScenes(const WindowBatchOptions& options, const DeviceBatch& batch, uint64_t seed,
                      CudaStream stream) {
  SceneKernel<<<static_cast<unsigned>(options.windows), 32, 0, stream>>>(options, batch, seed);
  CheckLaunch("scene kernel");
}

}  // namespace calfvo::synth
