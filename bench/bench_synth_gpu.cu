// SPDX-License-Identifier: Apache-2.0
// Compares the GPU's renderer with the CPU's on the same seeds, then times it. Exits with 1 when they
// disagree.
//   bench_synth_gpu [windows] [repetitions]
// Built by the preset `cuda`: cmake --preset cuda && cmake --build --preset cuda --target bench_synth_gpu
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "calfvo/error.h"
#include "core/base/thread_pool.h"
#include "synth/clip/cuda_motion.h"
#include "synth/render/cpu_renderer.h"
#include "synth/render/cuda_renderer.h"
#include "synth/scene/scene_kind.h"
#include "synth/scene/window_draw.h"

namespace calfvo {
namespace {

using synth::Scene;

void Check(cudaError_t status) {
  if (status != cudaSuccess) throw Error(std::string("CUDA: ") + cudaGetErrorString(status));
}

template <typename T>
std::vector<T> Download(const T* device, size_t count) {
  std::vector<T> host(count);
  Check(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

bool SameScene(const Scene& a, const Scene& b) {
  const auto same = [](const void* p, const void* q, size_t bytes) { return std::memcmp(p, q, bytes) == 0; };
  if (a.primitive_count != b.primitive_count || a.node_count != b.node_count ||
      a.mover_count != b.mover_count || a.material_count != b.material_count) {
    return false;
  }
  const auto bytes = [](int count, size_t each) { return static_cast<size_t>(count) * each; };
  return same(a.primitives, b.primitives, bytes(a.primitive_count, sizeof(synth::Primitive))) &&
         same(a.materials, b.materials, bytes(a.material_count, sizeof(synth::Material))) &&
         same(a.movers, b.movers, bytes(a.mover_count, sizeof(synth::Mover))) &&
         same(a.nodes, b.nodes, sizeof(synth::Node)) &&
         (a.node_count < 2 || same(a.nodes + 2, b.nodes + 2, bytes(a.node_count - 2, sizeof(synth::Node)))) &&
         same(&a.light, &b.light, sizeof(a.light)) &&
         (a.terrain.size <= 0.0F || same(&a.terrain, &b.terrain, sizeof(a.terrain)));
}

struct Agreement {
  long pixels = 0;
  long close = 0;  // within two grey levels in every channel
  long depths = 0;
  long close_depths = 0;
  long cells = 0;
  long close_cells = 0;
  int scenes = 0;
  int same_scenes = 0;
  int same_gains = 0;  // of automatic exposure, within 1 %
};

// Renders `windows` windows of one kind on both sides.
Agreement Compare(SceneKind kind, const EffectsOptions& effects, int windows, ThreadPool& threads) {
  WindowBatchOptions options;
  options.windows = windows;
  options.frames = 3;
  options.depth = true;
  options.effects = effects;
  for (float& weight : options.kind_weights) weight = 0.0F;
  options.kind_weights[static_cast<int>(kind)] = 1.0F;
  const uint64_t seed = 1000 + static_cast<uint64_t>(kind);
  CudaWindowRenderer gpu(options);
  gpu.MakeScenes(seed, nullptr);
  CudaWindowMotion(WindowMotionOptions{}).Fill(gpu, seed, nullptr);
  gpu.Render(seed, nullptr);
  Check(cudaDeviceSynchronize());

  const auto count = static_cast<size_t>(windows);
  const size_t frames = count * static_cast<size_t>(options.frames);
  const size_t pixels = static_cast<size_t>(options.width) * static_cast<size_t>(options.height);
  const size_t cells = pixels / static_cast<size_t>(options.cell * options.cell);
  const auto scenes = Download(gpu.device().scenes, count);
  const auto cameras = Download(gpu.device().cameras, count);
  const auto window_effects = Download(gpu.device().effects, count);
  const auto posed = Download(gpu.device().frames, frames);
  const auto rgb = Download(gpu.device().rgb, frames * pixels * 3);
  const auto depth = Download(gpu.device().depth, frames * pixels);
  const auto to_next = Download(gpu.device().cell_to_next, frames * cells * 2);

  const CpuRenderer cpu(threads);
  Agreement result;
  for (int w = 0; w < windows; ++w) {
    const auto scene = MakeScene(kind, synth::WindowSeed(seed, w, synth::WindowPart::kScene));
    ++result.scenes;
    result.same_scenes += SameScene(*scene, scenes[static_cast<size_t>(w)]) ? 1 : 0;
    const PosedFrame* window_frames = posed.data() + w * options.frames;
    synth::WindowEffects metered = window_effects[w];
    metered.metered_gain = 1.0F;
    cpu.Meter(*scene, cameras[w], window_frames[0], metered);
    result.same_gains +=
        std::fabs(metered.metered_gain / window_effects[w].metered_gain - 1.0F) < 1e-2F ? 1 : 0;
    for (int k = 0; k < options.frames; ++k) {
      const size_t frame = static_cast<size_t>(w * options.frames + k);
      const FrameOutputs expected =
          cpu.Render(*scene, cameras[w], window_frames, options.frames, k, window_effects[w],
                     seed + static_cast<uint64_t>(w) * 0x10001U, {.samples = options.samples});
      for (size_t i = 0; i < pixels; ++i) {
        int worst = 0;
        for (size_t c = 0; c < 3; ++c) {
          worst = std::max(worst, std::abs(rgb[3 * (frame * pixels + i) + c] - expected.rgb[3 * i + c]));
        }
        ++result.pixels;
        result.close += worst <= 2 ? 1 : 0;
        const float a = depth[frame * pixels + i];
        const float b = expected.depth[i];
        ++result.depths;
        result.close_depths += a == b || std::fabs(a - b) <= 1e-4F * b ? 1 : 0;
      }
      const CellOutputs cell = cpu.RenderCells(*scene, cameras[w], window_frames, options.frames, k,
                                               window_effects[w], options.cell);
      for (size_t i = 0; i < 2 * cells; ++i) {
        const float a = to_next[2 * frame * cells + i];
        const float b = cell.motion_to_next[i];
        ++result.cells;
        result.close_cells += (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) < 0.02F ? 1 : 0;
      }
    }
  }
  return result;
}

double Share(long part, long whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

bool CompareAll(ThreadPool& threads) {
  bool good = true;
  std::printf("%-14s %-8s %10s %10s %10s %12s\n", "kind", "effects", "pixels %", "depth %", "cells %",
              "same scenes, gains");
  for (int pass = 0; pass < 2; ++pass) {
    for (int kind = 0; kind < kSceneKindCount; ++kind) {
      const EffectsOptions effects = pass == 0 ? EffectsOptions::None() : EffectsOptions::Training();
      const Agreement a = Compare(static_cast<SceneKind>(kind), effects, 6, threads);
      std::printf("%-14s %-8s %10.4f %10.4f %10.4f %6d, %d of %d\n",
                  std::string(SceneKindName(static_cast<SceneKind>(kind))).c_str(),
                  pass == 0 ? "none" : "training", Share(a.close, a.pixels), Share(a.close_depths, a.depths),
                  Share(a.close_cells, a.cells), a.same_scenes, a.same_gains, a.scenes);
      good = good && a.same_gains == a.scenes;
      if (pass == 0) {
        good = good && Share(a.close, a.pixels) >= 99.9 && Share(a.close_depths, a.depths) >= 99.9;
      }
    }
  }
  return good;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Milliseconds of scenes, motion and rendering, each the median over `repetitions` batches.
struct Times {
  double scenes, motion, render, total, slowest;
};

Times Measure(const WindowBatchOptions& options, int repetitions) {
  CudaWindowRenderer gpu(options);
  CudaWindowMotion motion(WindowMotionOptions{});
  cudaEvent_t events[4];
  for (cudaEvent_t& event : events) Check(cudaEventCreate(&event));
  std::vector<double> parts[4];
  for (int i = -5; i < repetitions; ++i) {  // the first five warm up
    const auto seed = static_cast<uint64_t>(i + 100);
    Check(cudaEventRecord(events[0]));
    gpu.MakeScenes(seed, nullptr);
    Check(cudaEventRecord(events[1]));
    motion.Fill(gpu, seed, nullptr);
    Check(cudaEventRecord(events[2]));
    gpu.Render(seed, nullptr);
    Check(cudaEventRecord(events[3]));
    Check(cudaEventSynchronize(events[3]));
    if (i < 0) continue;
    for (int p = 0; p < 4; ++p) {
      float ms = 0.0F;
      Check(cudaEventElapsedTime(&ms, events[p == 3 ? 0 : p], events[p == 3 ? 3 : p + 1]));
      parts[p].push_back(ms);
    }
  }
  for (cudaEvent_t& event : events) cudaEventDestroy(event);
  return {Median(parts[0]), Median(parts[1]), Median(parts[2]), Median(parts[3]),
          *std::max_element(parts[3].begin(), parts[3].end())};
}

// Frames per second of two renderers on two streams, so that making scenes overlaps rendering.
double MeasureOverlapped(const WindowBatchOptions& options, int batches) {
  CudaWindowRenderer first(options);
  CudaWindowRenderer second(options);
  CudaWindowMotion motion(WindowMotionOptions{});
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) Check(cudaStreamCreate(&stream));
  std::vector<double> rates;
  for (int round = 0; round < 5; ++round) {
    Check(cudaDeviceSynchronize());
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < batches; ++i) {
      CudaWindowRenderer& gpu = i % 2 == 0 ? first : second;
      const auto seed = static_cast<uint64_t>(round * batches + i);
      gpu.MakeScenes(seed, streams[i % 2]);
      motion.Fill(gpu, seed, streams[i % 2]);
      gpu.Render(seed, streams[i % 2]);
    }
    Check(cudaDeviceSynchronize());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    rates.push_back(batches * options.windows * options.frames / seconds);
  }
  for (cudaStream_t& stream : streams) cudaStreamDestroy(stream);
  return Median(rates);
}

void TimeAll(int windows, int repetitions) {
  std::printf("\n%d windows of 8 frames, 224 x 224; medians of %d batches, ms\n", windows, repetitions);
  std::printf("%-26s %8s %8s %8s %8s %8s %12s %14s\n", "", "scenes", "motion", "render", "total", "slowest",
              "frames/s", "overlapped");
  const auto report = [&](const char* name, const WindowBatchOptions& options) {
    const Times t = Measure(options, repetitions);
    std::printf("%-26s %8.2f %8.2f %8.2f %8.2f %8.2f %12.0f %14.0f\n", name, t.scenes, t.motion, t.render,
                t.total, t.slowest, options.windows * options.frames / t.total * 1e3,
                MeasureOverlapped(options, repetitions));
  };
  WindowBatchOptions options;
  options.windows = windows;
  report("training effects", options);
  options.effects = EffectsOptions::None();
  report("no effects", options);
  options.samples = 1;
  report("no effects, 1 sample", options);
  options.samples = 2;
  for (int kind = 0; kind < kSceneKindCount; ++kind) {
    for (float& weight : options.kind_weights) weight = 0.0F;
    options.kind_weights[kind] = 1.0F;
    report(std::string(SceneKindName(static_cast<SceneKind>(kind))).c_str(), options);
  }
}

int Main(int argc, char** argv) {
  const int windows = argc > 1 ? std::atoi(argv[1]) : 128;
  const int repetitions = argc > 2 ? std::atoi(argv[2]) : 20;
  cudaDeviceProp properties{};
  Check(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s\n", properties.name);
  ThreadPool threads;
  const bool good = CompareAll(threads);
  std::printf("%s\n", good ? "CPU and GPU agree" : "CPU and GPU DISAGREE");
  TimeAll(windows, repetitions);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace calfvo

int main(int argc, char** argv) {
  try {
    return calfvo::Main(argc, argv);
  } catch (const calfvo::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
