// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include <string>

#include "calfvo/error.h"
#include "synth/clip/cuda_motion.h"
#include "synth/clip/window_path.h"
#include "synth/scene/window_draw.h"

namespace calfvo {
namespace {

using portable::Pose;
using portable::Random;
using portable::Vec3;

constexpr int kStarts = 4;
constexpr int kPlacements = 8;

void Check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Error(std::string("CUDA, ") + what + ": " + cudaGetErrorString(status));
}

struct KernelOptions {
  float motion_weights[kSceneKindCount][motion::kMotionKindCount];
  float min_rate_hz;
  float max_rate_hz;
  float recorded_probability;
  motion::RealSegmentOptions segments;
  motion::RealPathsView recorded;
};

__device__ motion::MotionKind DrawMotionKind(const float* weights, Random& random) {
  float total = 0.0F;
  for (int i = 0; i < motion::kMotionKindCount; ++i) total += weights[i];
  float left = random.Uniform() * total;
  for (int i = 0; i < motion::kMotionKindCount; ++i) {
    left -= weights[i];
    if (left < 0.0F) return static_cast<motion::MotionKind>(i);
  }
  return motion::MotionKind::kHandheld;
}

// Follows generated motion from up to kStarts places and leaves the best path in `path`.
__device__ void Generate(const synth::Scene& scene, motion::MotionKind kind, int frames, float rate_hz,
                         Random random, Pose* path, Pose* attempt_path) {
  float least = kWorseThanAnyPath;
  for (int attempt = 0; attempt < kStarts && least > 0.0F; ++attempt) {
    Random draw = random.Fork(static_cast<uint64_t>(attempt));
    const FreeStart found = FindFreeStart(scene, kind, draw);
    if (!found.start.free && attempt > 0)
      continue;  // the first counts in any case: every window needs a path
    motion::CameraMotion camera(MotionStartAt(scene, kind, rate_hz, found.start), draw.Fork(1));
    attempt_path[0] = camera.world_from_camera();
    for (int i = 1; i < frames; ++i) {
      const float time_s = static_cast<float>(i) / rate_hz;
      camera.Step([&](Vec3 p) { return synth::IsFree(scene, p, found.clearance, time_s); });
      attempt_path[i] = camera.world_from_camera();
    }
    const auto position_at = [&](int i) { return attempt_path[i].translation; };
    const float badness =
        found.start.free ? PathBadness(scene, frames, position_at, kind, 1.0F / rate_hz) : kWorseThanAnyPath;
    if (attempt > 0 && badness >= least) continue;
    least = badness;
    for (int i = 0; i < frames; ++i) path[i] = attempt_path[i];
  }
}

// Whether a piece of a recorded path was found that fits; then it is in `path`.
__device__ bool PlaceRecorded(const synth::Scene& scene, const KernelOptions& options,
                              motion::MotionKind kind, int frames, float rate_hz, Random random, Pose* path) {
  for (int attempt = 0; attempt < kPlacements; ++attempt) {
    Random draw = random.Fork(100U + static_cast<uint64_t>(attempt));
    const FreeStart found = FindFreeStart(scene, kind, draw);
    if (!found.start.free) continue;
    const motion::RealSegment segment =
        motion::SampleRealSegment(options.recorded, options.segments, draw, frames, path);
    const Pose world_from_first{UprightRotation(segment.down_in_camera, found.start.yaw),
                                found.start.position};
    for (int i = 0; i < frames; ++i) path[i] = world_from_first * path[i];
    const auto position_at = [&](int i) { return path[i].translation; };
    if (PathIsFree(scene, frames, position_at, found.clearance, 1.0F / rate_hz)) return true;
  }
  return false;
}

__global__ void __launch_bounds__(32)
    MotionKernel(KernelOptions options, DeviceBatch batch, int windows, int frames, uint64_t seed) {
  const int window = static_cast<int>(blockIdx.x);
  if (threadIdx.x != 0 || window >= windows) return;
  __shared__ Pose path[CudaWindowMotion::kMaxFrames];
  __shared__ Pose attempt_path[CudaWindowMotion::kMaxFrames];
  const synth::Scene& scene = batch.scenes[window];
  Random random(synth::WindowSeed(seed, window, synth::WindowPart::kMotion));
  const motion::MotionKind kind =
      DrawMotionKind(options.motion_weights[static_cast<int>(scene.kind)], random);
  const float rate_hz = DrawRate(kind, options.min_rate_hz, options.max_rate_hz, random);
  synth::LimitToInterval(1.0F / rate_hz, batch.effects[window]);
  const bool wants_recorded = options.recorded.count > 0 && random.Chance(options.recorded_probability);
  if (!wants_recorded || !PlaceRecorded(scene, options, kind, frames, rate_hz, random, path)) {
    Generate(scene, kind, frames, rate_hz, random, path, attempt_path);
  }
  PosedFrame* out = batch.frames + window * frames;
  for (int i = 0; i < frames; ++i) {
    out[i].world_from_camera = path[i];
    out[i].time_s = static_cast<float>(i) / rate_hz;
  }
  for (int i = 0; i < frames; ++i) synth::SetVelocities(out, frames, i);
}

}  // namespace

struct CudaWindowMotion::State {
  KernelOptions options{};
  float* records = nullptr;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { cudaFree(records); }
};

void WindowMotionOptions::Validate() const {
  if (!(min_rate_hz >= 1.0F && max_rate_hz >= min_rate_hz && max_rate_hz <= 1000.0F)) {
    throw Error("min_rate_hz and max_rate_hz are " + std::to_string(min_rate_hz) + " and " +
                std::to_string(max_rate_hz) + "; expected 1 to 1000, in order");
  }
  if (!(recorded_probability >= 0.0F && recorded_probability <= 1.0F)) {
    throw Error("recorded_probability is " + std::to_string(recorded_probability) + "; expected 0 to 1");
  }
}

CudaWindowMotion::CudaWindowMotion(const WindowMotionOptions& options, const std::vector<float>& records)
    : state_(std::make_unique<State>()) {
  options.Validate();
  KernelOptions& kernel = state_->options;
  for (int scene = 0; scene < kSceneKindCount; ++scene) {
    for (int kind = 0; kind < motion::kMotionKindCount; ++kind) {
      kernel.motion_weights[scene][kind] =
          options.motion_weights[static_cast<size_t>(scene)][static_cast<size_t>(kind)];
    }
  }
  kernel.min_rate_hz = options.min_rate_hz;
  kernel.max_rate_hz = options.max_rate_hz;
  kernel.recorded_probability = options.recorded_probability;
  kernel.segments = options.segments;
  if (records.empty()) return;
  const size_t bytes = records.size() * sizeof(float);
  Check(cudaMalloc(reinterpret_cast<void**>(&state_->records), bytes), "allocating recorded paths");
  Check(cudaMemcpy(state_->records, records.data(), bytes, cudaMemcpyHostToDevice), "copying recorded paths");
  kernel.recorded = {state_->records, static_cast<int>(records.size()) / motion::kRealRecordFloats};
}

CudaWindowMotion::~CudaWindowMotion() = default;
CudaWindowMotion::CudaWindowMotion(CudaWindowMotion&&) noexcept = default;
CudaWindowMotion& CudaWindowMotion::operator=(CudaWindowMotion&&) noexcept = default;

void CudaWindowMotion::Fill(const CudaWindowRenderer& renderer, uint64_t seed, CudaStream stream) {
  const WindowBatchOptions& batch = renderer.options();
  if (batch.frames > kMaxFrames) {
    throw Error("windows of " + std::to_string(batch.frames) +
                " frames; camera motion on the GPU has at most " + std::to_string(kMaxFrames));
  }
  MotionKernel<<<static_cast<unsigned>(batch.windows), 32, 0, stream>>>(state_->options, renderer.device(),
                                                                        batch.windows, batch.frames, seed);
  Check(cudaGetLastError(), "motion kernel");
}

}  // namespace calfvo
