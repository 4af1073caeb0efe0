// SPDX-License-Identifier: Apache-2.0
#include "data/cuda_procedural_stream.h"

#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>

#include "core/portable/random.h"
#include "data/cuda_render_stream.h"
#include "data/log_aspects.h"
#include "data/relative_poses.h"
#include "synth/clip/cuda_motion.h"
#include "synth/clip/texture_folder.h"
#include "synth/motion/real_paths.h"
#include "synth/render/cuda_renderer.h"

namespace calfvo::train {
namespace {

WindowBatchOptions BatchOptions(const ProceduralOptions& options) {
  WindowBatchOptions batch;
  batch.windows = options.windows;
  batch.frames = 1 + options.frames;  // the one before the window first
  batch.width = options.size;
  batch.height = options.size;
  batch.cell = kCellPixels;
  batch.samples = options.samples;
  std::copy(options.scene_weights.begin(), options.scene_weights.end(), batch.kind_weights);
  batch.effects = options.effects;
  batch.sensors = options.sensor;
  return batch;
}

WindowMotionOptions MotionOptions(const ProceduralOptions& options) {
  WindowMotionOptions motion;
  motion.motion_weights = options.motion_weights;
  motion.min_rate_hz = options.min_rate_hz;
  motion.max_rate_hz = options.max_rate_hz;
  motion.recorded_probability = options.recorded_probability;
  motion.segments = options.segments;
  return motion;
}

// The renderer whose memory a batch is in.
struct Slot {
  Slot(const WindowBatchOptions& options, synth::TextureView textures, torch::Device device)
      : renderer(options, textures) {
    const int64_t b = options.windows;
    const int64_t k = options.frames - 1;
    const int64_t rows = options.height / options.cell;
    const int64_t columns = options.width / options.cell;
    const auto f32 = torch::TensorOptions(device).dtype(torch::kFloat);
    const torch::Tensor rgb =
        torch::from_blob(renderer.device().rgb, {b, 1 + k, options.height, options.width, 3},
                         torch::TensorOptions(device).dtype(torch::kUInt8));
    batch.frames = rgb.narrow(1, 1, k);
    batch.before = rgb.select(1, 0);
    batch.motion = torch::from_blob(renderer.device().cell_to_previous, {b, 1 + k, rows, columns, 2}, f32)
                       .narrow(1, 1, k);
    batch.log_aspect = torch::empty({b}, f32);
    batch.rotation = torch::empty({b, k - 1, 3, 3}, f32);
    batch.translation = torch::empty({b, k - 1, 3}, f32);
  }

  // Makes every kStartEvery-th window the beginning of a video.
  void MarkStarts() {
    using torch::indexing::None;
    const torch::indexing::Slice starts(None, None, kStartEvery);
    batch.before.index({starts}).copy_(batch.frames.index({starts, 0}));
    batch.motion.index({starts, 0}).zero_();
  }

  CudaWindowRenderer renderer;
  WindowBatch batch;
  at::cuda::CUDAEvent rendered;
  int64_t step = -1;
};

class CudaProceduralStream : public WindowStream {
 public:
  CudaProceduralStream(const ProceduralOptions& options, torch::Device device, const TexturePool& textures,
                       const motion::RealPaths& recorded)
      : seed_(options.seed + portable::Mix(static_cast<uint64_t>(options.first_window))),
        device_(device),
        stream_(RenderStream(device.index())),
        motion_(MotionOptions(options), recorded.records()),
        slots_{Slot(BatchOptions(options), textures.view(), device),
               Slot(BatchOptions(options), textures.view(), device)} {}

  // What is queued uses the slots' memory. Errors were reported before.
  ~CudaProceduralStream() override { static_cast<void>(cudaStreamSynchronize(stream_.stream())); }
  CudaProceduralStream(const CudaProceduralStream&) = delete;
  CudaProceduralStream& operator=(const CudaProceduralStream&) = delete;

  WindowBatch At(int64_t step) override {
    const c10::cuda::CUDAGuard guard(device_);
    const c10::cuda::CUDAStream caller = c10::cuda::getCurrentCUDAStream(device_.index());
    // Until here the caller has queued all that reads the earlier batches; both slots are free after it but
    // for what this call gives out.
    at::cuda::CUDAEvent earlier_read;
    earlier_read.record(caller);
    earlier_read.block(stream_);
    Slot& now = slots_[static_cast<size_t>(step % 2)];
    if (now.step != step) Render(now, step);
    now.rendered.block(caller);
    Render(slots_[static_cast<size_t>((step + 1) % 2)], step + 1);
    return now.batch;
  }

 private:
  void Render(Slot& slot, int64_t step) {
    const uint64_t seed = BatchSeed(seed_, step);
    slot.renderer.MakeScenes(seed, stream_);
    LaunchLogAspects(slot.renderer.device().cameras, slot.renderer.options().windows,
                     slot.batch.log_aspect.data_ptr<float>(), stream_);
    motion_.Fill(slot.renderer, seed, stream_);
    slot.renderer.Render(seed, stream_);
    const WindowBatchOptions& options = slot.renderer.options();
    LaunchRelativePoses(slot.renderer.device().frames, options.windows, options.frames,
                        slot.batch.rotation.data_ptr<float>(), slot.batch.translation.data_ptr<float>(),
                        stream_);
    {
      const c10::cuda::CUDAStreamGuard guard(stream_);
      slot.MarkStarts();
    }
    slot.rendered.record(stream_);
    slot.step = step;
  }

  const uint64_t seed_;
  const torch::Device device_;
  const c10::cuda::CUDAStream stream_;
  CudaWindowMotion motion_;
  std::array<Slot, 2> slots_;
};

}  // namespace

std::unique_ptr<WindowStream> OpenCudaProceduralStream(const ProceduralOptions& options,
                                                       torch::Device device) {
  const torch::Device numbered(torch::kCUDA,
                               device.has_index() ? device.index() : c10::cuda::current_device());
  const c10::cuda::CUDAGuard guard(numbered);
  const TexturePool textures = ReadTextures(options.textures);
  motion::RealPaths recorded;
  if (!options.trajectories.empty()) recorded = motion::RealPaths::Load(options.trajectories);
  return std::make_unique<CudaProceduralStream>(options, numbered, textures, recorded);
}

}  // namespace calfvo::train
