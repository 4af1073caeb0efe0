// SPDX-License-Identifier: Apache-2.0
#include "synth/render/cuda_renderer.h"

#include <cuda_runtime.h>

#include <string>

#include "calfvo/error.h"
#include "synth/render/cuda_kernels.h"

namespace calfvo {
namespace {

void Check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Error(std::string("CUDA, ") + what + ": " + cudaGetErrorString(status));
}

// Device memory for `count` values.
template <typename T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(size_t count) {
    if (count > 0) Check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), "allocating");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

void CheckPositive(const char* field, int value) {
  if (value < 1) throw Error(std::string(field) + " is " + std::to_string(value) + "; expected at least 1");
}

}  // namespace

namespace synth {

void CheckLaunch(const char* what) {
  Check(cudaGetLastError(), what);
}

}  // namespace synth

void WindowBatchOptions::Validate() const {
  CheckPositive("windows", windows);
  CheckPositive("frames", frames);
  CheckPositive("width", width);
  CheckPositive("height", height);
  CheckPositive("cell", cell);
  if (windows > 65535 || frames > 65535) throw Error("windows and frames must be below 65536");
  if (width % cell != 0 || height % cell != 0) {
    throw Error("cell is " + std::to_string(cell) + "; it must divide width and height");
  }
  if (samples < 1 || samples > 8) throw Error("samples is " + std::to_string(samples) + "; expected 1 to 8");
  float total = 0.0F;
  for (const float weight : kind_weights) total += weight;
  if (!(total > 0.0F))
    throw Error("kind_weights add up to " + std::to_string(total) + "; expected more than 0");
  effects.Validate();
  sensors.Validate();
}

struct CudaWindowRenderer::Buffers {
  Buffers(const WindowBatchOptions& o, size_t windows, size_t frames, size_t pixels, size_t cells,
          size_t texels)
      : options(o),
        scenes(windows),
        cameras(windows),
        effects(windows),
        posed(frames),
        movers(frames),
        rgb(frames * pixels * 3),
        unsharpened(o.effects.sharpness_probability > 0.0F ? frames * pixels * 3 : 0),
        depth(o.depth ? frames * pixels : 0),
        cell_depth(frames * cells),
        to_next(frames * cells * 2),
        to_previous(frames * cells * 2),
        textures(texels) {}

  WindowBatchOptions options;
  DeviceArray<synth::Scene> scenes;
  DeviceArray<CameraModel> cameras;
  DeviceArray<synth::WindowEffects> effects;
  DeviceArray<PosedFrame> posed;
  DeviceArray<synth::MoverTable> movers;
  DeviceArray<uint8_t> rgb;
  DeviceArray<uint8_t> unsharpened;
  DeviceArray<float> depth;
  DeviceArray<float> cell_depth;
  DeviceArray<float> to_next;
  DeviceArray<float> to_previous;
  DeviceArray<uint32_t> textures;
  int texture_count = 0;
  DeviceBatch batch;
};

CudaWindowRenderer::CudaWindowRenderer(const WindowBatchOptions& options, synth::TextureView textures) {
  options.Validate();
  const auto windows = static_cast<size_t>(options.windows);
  const size_t frames = windows * static_cast<size_t>(options.frames);
  const size_t pixels = static_cast<size_t>(options.width) * static_cast<size_t>(options.height);
  const size_t cells = pixels / static_cast<size_t>(options.cell * options.cell);
  const size_t texels = static_cast<size_t>(textures.count) * synth::kTextureTexels;
  buffers_ = std::make_unique<Buffers>(options, windows, frames, pixels, cells, texels);
  Buffers& b = *buffers_;
  if (texels > 0) {
    Check(cudaMemcpy(b.textures.get(), textures.texels, texels * sizeof(uint32_t), cudaMemcpyHostToDevice),
          "copying textures");
    b.texture_count = textures.count;
  }
  b.batch = {b.scenes.get(), b.cameras.get(),    b.effects.get(), b.posed.get(),      b.rgb.get(),
             b.depth.get(),  b.cell_depth.get(), b.to_next.get(), b.to_previous.get()};
}

CudaWindowRenderer::~CudaWindowRenderer() = default;
CudaWindowRenderer::CudaWindowRenderer(CudaWindowRenderer&&) noexcept = default;
CudaWindowRenderer& CudaWindowRenderer::operator=(CudaWindowRenderer&&) noexcept = default;

void CudaWindowRenderer::MakeScenes(uint64_t seed, CudaStream stream) {
  synth::LaunchMakeScenes(buffers_->options, buffers_->batch, seed, stream);
}

void CudaWindowRenderer::Render(uint64_t seed, CudaStream stream) {
  const synth::TextureView textures{buffers_->textures.get(), buffers_->texture_count};
  const synth::RenderMemory memory{buffers_->movers.get(), buffers_->unsharpened.get()};
  synth::LaunchRender(buffers_->options, buffers_->batch, memory, textures, seed, stream);
}

const DeviceBatch& CudaWindowRenderer::device() const {
  return buffers_->batch;
}
const WindowBatchOptions& CudaWindowRenderer::options() const {
  return buffers_->options;
}

}  // namespace calfvo
