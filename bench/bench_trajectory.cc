// SPDX-License-Identifier: Apache-2.0
// Reading, writing and evaluating trajectories, in poses per second on one core. The peer for reading is the
// C library's strtod on the same numbers.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "calfvo/evaluation.h"
#include "calfvo/trajectory.h"

namespace calfvo {
namespace {

constexpr size_t kPoses = 200'000;

Trajectory Spiral() {
  Trajectory trajectory;
  for (size_t i = 0; i < kPoses; ++i) {
    const double t = 1e-3 * static_cast<double>(i);
    trajectory.timestamps_ns.push_back(1305031098665900123 + 33'333'333 * static_cast<int64_t>(i));
    trajectory.world_from_camera.push_back(
        {Quaternion(std::cos(t), 0.6 * std::sin(t), 0.0, 0.8 * std::sin(t)),
         {std::sin(t), t, t * std::cos(t)}});
  }
  return trajectory;
}

std::string Text(TrajectoryFormat format) {
  const auto path = std::filesystem::temp_directory_path() / "calfvo-bench-trajectory";
  WriteTrajectory(Spiral(), path, format);
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::filesystem::remove(path);
  return text;
}

void Read(benchmark::State& state, TrajectoryFormat format) {
  const std::string text = Text(format);
  for (auto _ : state) {
    std::istringstream stream(text);
    benchmark::DoNotOptimize(ReadTrajectory(stream, "bench"));
  }
  state.SetItemsProcessed(static_cast<int64_t>(kPoses * state.iterations()));
}
BENCHMARK_CAPTURE(Read, tum, TrajectoryFormat::kTum)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Read, kitti, TrajectoryFormat::kKitti)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Read, euroc, TrajectoryFormat::kEuroc)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Read, csv, TrajectoryFormat::kCsv)->Unit(benchmark::kMillisecond);

void StrtodOnTumText(benchmark::State& state) {
  const std::string text = Text(TrajectoryFormat::kTum);
  for (auto _ : state) {
    const char* at = text.c_str() + text.find('\n');
    double sum = 0.0;
    for (char* end = nullptr;; at = end) {
      const double value = std::strtod(at, &end);
      if (end == at) break;
      sum += value;
    }
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(static_cast<int64_t>(kPoses * state.iterations()));
}
BENCHMARK(StrtodOnTumText)->Unit(benchmark::kMillisecond);

void EvaluateSim3(benchmark::State& state) {
  const Trajectory reference = Spiral();
  Trajectory estimate = reference;
  for (Rigid3& pose : estimate.world_from_camera) pose.translation *= 1.1;
  for (auto _ : state)
    benchmark::DoNotOptimize(Evaluate(reference, estimate, {.alignment = Alignment::kSim3}));
  state.SetItemsProcessed(static_cast<int64_t>(kPoses * state.iterations()));
}
BENCHMARK(EvaluateSim3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace calfvo
