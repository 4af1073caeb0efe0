// SPDX-License-Identifier: Apache-2.0
#include "data/procedural_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "core/base/thread_pool.h"
#include "data/relative_pose.h"
#include "synth/clip/camera_path.h"
#include "synth/clip/texture_folder.h"
#include "synth/clip/window_path.h"
#include "synth/motion/real_paths.h"
#include "synth/render/cpu_renderer.h"
#include "synth/scene/scene_kind.h"
#include "synth/scene/window_draw.h"

#ifdef CALFVO_HAVE_CUDA
#include "data/cuda_procedural_stream.h"
#endif

namespace calfvo::train {
namespace {

using portable::Random;
using synth::WindowPart;
using synth::WindowSeed;

// A scene may have no free place for a camera: then the next one is tried.
constexpr int kScenes = 8;

motion::MotionKind DrawMotion(const MotionWeights& weights, Random& random) {
  float left = 0.0F;
  for (const float weight : weights) left += weight;
  left *= random.Uniform();
  size_t kind = 0;
  while (kind + 1 < weights.size() && (left -= weights[kind]) >= 0.0F) ++kind;
  return static_cast<motion::MotionKind>(kind);
}

// One window: its scene and where the camera is in it.
struct Plan {
  std::unique_ptr<synth::Scene> scene;
  std::vector<PosedFrame> frames;
};

class CpuProceduralStream : public WindowStream {
 public:
  explicit CpuProceduralStream(const ProceduralOptions& options)
      : options_(options),
        textures_(ReadTextures(options.textures)),
        threads_(options.threads),
        renderer_(threads_, textures_.view()) {
    if (!options.trajectories.empty()) recorded_ = motion::RealPaths::Load(options.trajectories);
  }

  WindowBatch At(int64_t step) override {
    const int64_t b = options_.windows;
    const int64_t k = options_.frames;
    const int64_t cells = options_.size / kCellPixels;
    WindowBatch batch;
    batch.frames = torch::empty({b, k, options_.size, options_.size, 3}, torch::kUInt8);
    batch.before = torch::empty({b, options_.size, options_.size, 3}, torch::kUInt8);
    batch.log_aspect = torch::empty({b});
    batch.rotation = torch::empty({b, k - 1, 3, 3});
    batch.translation = torch::empty({b, k - 1, 3});
    batch.motion = torch::empty({b, k, cells, cells, 2});
    for (int w = 0; w < options_.windows; ++w) Render(BatchSeed(options_.seed, step), w, batch);
    return batch;
  }

 private:
  std::optional<CameraPath> DrawPath(const synth::Scene& scene, const PathOptions& path,
                                     Random random) const {
    const motion::RealPathsView recorded = recorded_.View();
    if (recorded.count > 0 && random.Chance(options_.recorded_probability)) {
      auto placed = PlaceRecordedPath(scene, path, recorded, options_.segments, random.Fork(1));
      if (placed) return placed;
    }
    return GeneratePath(scene, path, random.Fork(0));
  }

  Plan MakePlan(uint64_t seed, int window) const {
    const SceneKind scene_kind =
        synth::DrawKind(options_.scene_weights.data(), Random(WindowSeed(seed, window, WindowPart::kKind)));
    Random random(WindowSeed(seed, window, WindowPart::kMotion));
    const MotionWeights& weights = options_.motion_weights[static_cast<size_t>(scene_kind)];
    PathOptions path{.kind = DrawMotion(weights, random), .frames = 1 + options_.frames};
    const float rate_hz = DrawRate(path.kind, options_.min_rate_hz, options_.max_rate_hz, random);
    path.rate = {static_cast<int>(std::lround(1000.0F * rate_hz)), 1000};
    for (uint64_t attempt = 0; attempt < kScenes; ++attempt) {
      auto scene = MakeScene(scene_kind, WindowSeed(seed, window, WindowPart::kScene) + attempt);
      const auto poses = DrawPath(*scene, path, random.Fork(attempt));
      if (!poses) continue;
      std::vector<PosedFrame> frames(poses->size());
      for (size_t i = 0; i < frames.size(); ++i) {
        frames[i].world_from_camera = (*poses)[i];
        frames[i].time_s = static_cast<float>(static_cast<double>(i) / path.rate.Hertz());
      }
      for (int i = 0; i < path.frames; ++i) synth::SetVelocities(frames.data(), path.frames, i);
      return {std::move(scene), std::move(frames)};
    }
    throw Error(fmt::format("scenes '{}' of seed {} have no free place for a camera",
                            SceneKindName(scene_kind), seed));
  }

  void Render(uint64_t seed, int place, WindowBatch& batch) const {
    const int window = options_.first_window + place;
    const int count = 1 + options_.frames;  // the one before the window first
    const Plan plan = MakePlan(seed, window);
    Random sensor_random(WindowSeed(seed, window, WindowPart::kSensor));
    const CameraModel camera = CameraFromSensor(DrawSensor(options_.sensor, plan.scene->kind, sensor_random),
                                                options_.size, options_.size);
    batch.log_aspect[place] = std::log2(ImageAspect(camera));
    synth::WindowEffects effects =
        synth::DrawEffects(options_.effects, count, Random(WindowSeed(seed, window, WindowPart::kEffects)));
    synth::LimitToInterval(plan.frames[1].time_s, effects);  // the first frame's time is 0
    renderer_.Meter(*plan.scene, camera, plan.frames[0], effects);
    const uint64_t noise_seed = seed + static_cast<uint64_t>(window) * 0x10001U;  // the GPU's too
    const bool begins = window % kStartEvery == 0;                                // a video
    for (int i = begins ? 1 : 0; i < count; ++i) {
      const FrameOutputs image =
          renderer_.Render(*plan.scene, camera, plan.frames.data(), count, i, effects, noise_seed,
                           {.samples = options_.samples, .depth = false, .motion = false});
      const torch::Tensor to = i == 0 ? batch.before[place] : batch.frames[place][i - 1];
      std::copy(image.rgb.begin(), image.rgb.end(), to.data_ptr<uint8_t>());
      if (i == 0) continue;
      const CellOutputs cells =
          renderer_.RenderCells(*plan.scene, camera, plan.frames.data(), count, i, effects, kCellPixels);
      std::copy(cells.motion_to_previous.begin(), cells.motion_to_previous.end(),
                batch.motion[place][i - 1].data_ptr<float>());
      if (i == 1) continue;
      WriteRelativePose(plan.frames[static_cast<size_t>(i - 1)], plan.frames[static_cast<size_t>(i)],
                        batch.rotation[place][i - 2].data_ptr<float>(),
                        batch.translation[place][i - 2].data_ptr<float>());
    }
    if (begins) {
      batch.before[place].copy_(batch.frames[place][0]);
      batch.motion[place][0].zero_();
    }
  }

  const ProceduralOptions options_;
  const TexturePool textures_;
  motion::RealPaths recorded_;
  ThreadPool threads_;
  const CpuRenderer renderer_;
};

}  // namespace

std::unique_ptr<WindowStream> OpenProceduralStream(const ProceduralOptions& options, torch::Device device) {
  options.Validate();
  if (device.is_cpu()) return std::make_unique<CpuProceduralStream>(options);
#ifdef CALFVO_HAVE_CUDA
  if (device.is_cuda()) return OpenCudaProceduralStream(options, device);
#endif
  throw Error(fmt::format("procedural video cannot be made on {}: this build renders on {}", device.str(),
#ifdef CALFVO_HAVE_CUDA
                          "cpu and cuda"
#else
                          "cpu only; configure with -D CALFVO_CUDA=ON for GPUs"
#endif
                          ));
}

}  // namespace calfvo::train
