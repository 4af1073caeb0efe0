// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/cuda/cuda_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "calfvo/error.h"
#include "nn/backend/cuda/cuda_check.h"
#include "nn/backend/cuda/cuda_linear.h"
#include "nn/backend/cuda/cuda_resampler.h"
#include "nn/backend/cuda/device_memory.h"
#include "nn/backend/cuda/kernels.h"
#include "nn/backend/cuda/products.h"
#include "nn/backend/cuda/recorded_graphs.h"

namespace calfvo {
namespace {

using cuda::CudaLinear;

constexpr size_t kElement = 2;  // bytes of the stream's and of an activation's elements

const float* Data(const VectorWeights& weights) {
  return static_cast<const cuda::CudaVector&>(weights).data();
}
const CudaLinear& Linear(const LinearWeights& weights) {
  return static_cast<const CudaLinear&>(weights);
}

// fp8 where the one reader takes that.
cuda::Output OutputOf(const Activation& out) {
  const LinearWeights* reader = out.storage.reader;
  const bool fp8 = reader != nullptr && Linear(*reader).is_fp8();
  return {out.data, fp8 ? Linear(*reader).x_inverse_scale() : nullptr};
}

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(bool fp8) : fp8_(fp8) {
    cudaDeviceProp properties{};
    CheckCuda(cudaGetDeviceProperties(&properties, 0), "asking for its name");
    name_ = properties.name;
  }
  ~CudaBackend() override { static_cast<void>(cudaDeviceSynchronize()); }

  std::string Description() const override {
    return fmt::format("cuda {} ({})", fp8_ ? "fp8" : "bf16", name_);
  }
  size_t DeviceBytes() const override { return DeviceBuffer::BytesInUse(); }
  size_t ElementSize(Role /*role*/) const override { return kElement; }
  int64_t convolution_batch() const override { return 64; }
  int video_batch() const override { return 48; }

  std::unique_ptr<Buffer> Allocate(size_t bytes) override {
    // What was recorded may use memory that has just been given up for this.
    CheckCuda(cudaDeviceSynchronize(), "computing");
    graphs_.Clear();
    return std::make_unique<DeviceBuffer>(bytes);
  }
  std::unique_ptr<Buffer> AllocateHost(size_t bytes) override {
    return std::make_unique<PinnedBuffer>(bytes);
  }

  void Synchronize() override {
    for (const LaneState& lane : lanes_) lane.stream.Wait();
  }
  void Enter(Lane lane) override {
    lane_ = &lanes_[static_cast<size_t>(lane)];
    if (lane != Lane::kDecode) return;
    encoded_.Record(lanes_[static_cast<size_t>(Lane::kEncode)].stream.get());
    CheckCuda(cudaStreamWaitEvent(stream(), encoded_.get(), 0), "waiting for tokens");
  }
  void Wait(Lane lane) override { lanes_[static_cast<size_t>(lane)].stream.Wait(); }

  bool BeginRepeat(const RepeatKey& key) override { return calibrating_ || graphs_.Begin(key, stream()); }
  void EndRepeat() override {
    if (!calibrating_) graphs_.End(stream());
  }
  void AbandonRepeat() override {
    if (!calibrating_) graphs_.Abandon(stream());
  }

  bool BeginCalibration() override { return calibrating_ = fp8_; }
  void EndCalibration() override {
    Synchronize();
    for (const CudaLinear* linear : observed_) linear->Quantise(stream());
    observed_.clear();
    calibrating_ = false;
    graphs_.Clear();  // they have the addresses of the weights that are gone
  }

  void Upload(std::span<const float> values, const Activation& out) override {
    UploadBy(cuda::FloatsToActivation, values, out.data);
  }
  void Upload(std::span<const float> values, const Stream& out) override {
    UploadBy(cuda::FloatsToStream, values, out.data);
  }
  void Download(const Activation& x, std::span<float> values) override {
    DownloadBy(cuda::ActivationToFloats, x.data, values);
  }
  void Download(const Stream& x, std::span<float> values) override {
    DownloadBy(cuda::StreamToFloats, x.data, values);
  }

  std::unique_ptr<LinearWeights> MakeLinear(const TensorView& weight, const TensorView& bias) override {
    return std::make_unique<CudaLinear>(weight, bias);
  }
  std::unique_ptr<VectorWeights> MakeVector(const TensorView& values) override {
    return std::make_unique<cuda::CudaVector>(values);
  }

  void Linear(const Activation& x, const LinearWeights& weights, bool gelu, const Activation& out) override {
    Multiply(x, weights, gelu, /*accumulate=*/false, OutputOf(out));
  }
  void LinearToStream(const Activation& x, const LinearWeights& weights, bool accumulate,
                      const Stream& out) override {
    Multiply(x, weights, /*gelu=*/false, accumulate, {out.data});
  }

  void LayerNorm(const Stream& x, const NormWeights& weights, bool gelu, const Activation& out) override {
    cuda::LayerNorm({x.data, x.rows, static_cast<int>(x.cols), Data(*weights.gain), Data(*weights.bias),
                     weights.epsilon, gelu, OutputOf(out)},
                    stream());
  }

  void ToActivation(const Stream& x, const Activation& out) override {
    cuda::StreamToActivation(x.data, x.rows * x.cols, out.data, stream());
  }
  void ToStream(const Activation& x, const Stream& out) override {
    cuda::ActivationToStream(x.data, x.rows * x.cols, out.data, stream());
  }

  void SpatialAttention(const Activation& qkv, int64_t batch, int heads, const Rope* rope,
                        const Activation& out) override {
    cuda::SpatialArguments arguments{.qkv = qkv.data,
                                     .batch = batch,
                                     .length = static_cast<int>(qkv.rows / batch),
                                     .heads = heads,
                                     .head_size = static_cast<int>(out.cols) / heads,
                                     .out = OutputOf(out)};
    if (rope != nullptr) {
      arguments.rope_cos = Data(*rope->cos);
      arguments.rope_sin = Data(*rope->sin);
      arguments.rope_skip = rope->skip;
      arguments.rope_group = rope->group;
    }
    cuda::SpatialAttention(arguments, stream());
  }

  void TemporalAttention(const Activation& qkv, const WindowShape& shape, int heads,
                         const Activation& out) override {
    cuda::TemporalAttention({.qkv = qkv.data,
                             .windows = shape.windows,
                             .frames = static_cast<int>(shape.frames),
                             .tokens = static_cast<int>(shape.tokens),
                             .heads = heads,
                             .head_size = static_cast<int>(out.cols) / heads,
                             .out = OutputOf(out)},
                            stream());
  }

  std::unique_ptr<ImageResampler> MakeImageResampler(std::span<const float> normalised) override {
    return std::make_unique<cuda::CudaResampler>(normalised, resampling_, resampled_);
  }
  void UploadImages(std::span<const float* const> images, size_t floats, float* out) override {
    CheckCuda(cudaStreamWaitEvent(stream(), resampled_.get(), 0), "waiting for images");
    for (const float* image : images) {
      CheckCuda(cudaMemcpyAsync(out, image, floats * sizeof(float), cudaMemcpyDefault, stream()),
                "copying images");
      out += floats;
    }
    uploaded_.Record(stream());
  }
  void FinishUploads() override { uploaded_.Wait(); }
  void Patchify(const float* images, int64_t count, int size, int patch, const Activation& out) override {
    cuda::Patchify(images, count, size, patch, out.data, stream());
  }
  void StackPairs(const float* images, int64_t count, int size, const Activation& out) override {
    cuda::StackPairs(images, count, size, out.data, stream());
  }
  void Neighbourhoods(const Activation& maps, int64_t count, int height, int width, int stride,
                      const Activation& out) override {
    cuda::Neighbourhoods(maps.data, count, height, width, static_cast<int>(maps.cols), stride, out.data,
                         stream());
  }

  void AddPrefix(const Stream& patches, const VectorWeights* prefix, int64_t prefix_rows,
                 const VectorWeights* positions, const Stream& out) override {
    cuda::AddPrefix(patches.data, patches.rows, static_cast<int>(patches.cols),
                    prefix != nullptr ? Data(*prefix) : nullptr, prefix_rows,
                    positions != nullptr ? Data(*positions) : nullptr, out.data, stream());
  }

  void AssembleWindow(std::span<const Activation> frames, const VectorWeights& camera,
                      const VectorWeights& positions, const VectorWeights& times, const WindowShape& shape,
                      int64_t window, const Stream& out) override {
    cuda::AssembleArguments arguments{.tokens = static_cast<int>(shape.tokens),
                                      .dim = static_cast<int>(out.cols),
                                      .camera = Data(camera),
                                      .positions = Data(positions),
                                      .times = Data(times),
                                      .out = out.Rows(shape.CameraRow(window, 0), 1).data,
                                      .camera_per_frame = shape.camera_per_frame};
    for (size_t first = 0; first < frames.size(); first += cuda::kMostFrames) {
      arguments.first_frame = static_cast<int>(first);
      arguments.count = static_cast<int>(std::min<size_t>(cuda::kMostFrames, frames.size() - first));
      for (int i = 0; i < arguments.count; ++i)
        arguments.frames[i] = frames[first + static_cast<size_t>(i)].data;
      cuda::AssembleFrames(arguments, stream());
    }
  }

  void KeepCamera(const Stream& x, const WindowShape& shape, const Stream& camera) override {
    cuda::CopyRows(x.data, shape.windows, shape.slots() * shape.sequence_length(), static_cast<int>(x.cols),
                   camera.data, stream());
  }
  void RestoreCamera(const Stream& camera, const WindowShape& shape, const Stream& x) override {
    cuda::BroadcastRows(camera.data, shape.windows, shape.slots(), shape.sequence_length(),
                        static_cast<int>(x.cols), x.data, stream());
  }
  void MergeCamera(const WindowShape& shape, const Stream& x) override {
    cuda::MergeRows(x.data, shape.windows, shape.slots(), shape.sequence_length(), static_cast<int>(x.cols),
                    stream());
  }

  void PoolAndProject(const Stream& x, const WindowShape& shape, const VectorWeights& weight,
                      const VectorWeights& bias, int64_t n, float* values) override {
    const int64_t parts = 1 + shape.frames;
    const int64_t inputs = parts * x.cols;
    const auto floats = static_cast<size_t>(shape.windows * (inputs + n));
    if (floats > pooled_floats_) {
      lane_->stream.Wait();
      pooled_ = std::make_unique<DeviceBuffer>(floats * sizeof(float));
      pooled_floats_ = floats;
    }
    auto* descriptors = reinterpret_cast<float*>(pooled_->data());
    float* projected = descriptors + shape.windows * inputs;
    cuda::MeanArguments mean{.x = x.data,
                             .dim = static_cast<int>(x.cols),
                             .groups = shape.windows,
                             .group_step = shape.slots() * shape.sequence_length(),
                             .count = shape.slots(),
                             .step = shape.sequence_length(),
                             .out = descriptors,
                             .out_step = parts};
    cuda::MeanRows(mean, stream());
    mean.parts = shape.frames;
    mean.part_step = shape.camera_per_frame ? 1 + shape.tokens : shape.tokens;
    mean.first = 1;
    mean.count = shape.tokens;
    mean.step = 1;
    mean.out_first = 1;
    cuda::MeanRows(mean, stream());
    cuda::ProjectFloats(descriptors, shape.windows, inputs, Data(weight), Data(bias), n, projected, stream());
    CheckCuda(cudaMemcpyAsync(values, projected, static_cast<size_t>(shape.windows * n) * sizeof(float),
                              cudaMemcpyDeviceToHost, stream()),
              "copying estimates");
  }

 private:
  struct LaneState {
    CudaStream stream;
    DeviceBuffer workspace{cuda::Products::kWorkspaceBytes};
  };
  cudaStream_t stream() const { return lane_->stream.get(); }

  template <typename Convert>
  void UploadBy(const Convert& convert, std::span<const float> values, void* out) {
    const DeviceBuffer floats(std::as_bytes(values));
    convert(reinterpret_cast<const float*>(floats.data()), std::ssize(values), out, stream());
    lane_->stream.Wait();
  }
  template <typename Convert>
  void DownloadBy(const Convert& convert, const void* x, std::span<float> values) {
    DeviceBuffer floats(values.size_bytes());
    convert(x, std::ssize(values), reinterpret_cast<float*>(floats.data()), stream());
    lane_->stream.Wait();
    CheckCuda(cudaMemcpy(values.data(), floats.data(), values.size_bytes(), cudaMemcpyDeviceToHost),
              "copying a matrix");
  }

  void Multiply(const Activation& x, const LinearWeights& weights, bool gelu, bool accumulate,
                const cuda::Output& out) {
    const CudaLinear& linear = calfvo::Linear(weights);
    if (calibrating_ && x.storage.reader == &weights && linear.can_be_fp8()) {
      linear.Observe(x.data, x.rows, stream());
      observed_.insert(&linear);
    }
    const bool fp8 = linear.is_fp8();
    // The library wants whole groups of rows of fp8.
    const cuda::ProductShape shape{.rows = fp8 ? WholeRowGroups(x.rows) : x.rows,
                                   .inputs = linear.inputs(),
                                   .outputs = linear.outputs(),
                                   .fp8_in = fp8,
                                   .fp8_out = out.is_fp8(),
                                   .gelu = gelu,
                                   .accumulate = accumulate};
    products_.Run(shape,
                  {.x = x.data,
                   .weight = linear.weight(),
                   .bias = linear.bias(),
                   .x_scale = fp8 ? linear.x_scale() : nullptr,
                   .weight_scale = fp8 ? linear.weight_scale() : nullptr,
                   .out_inverse_scale = out.inverse_scale,
                   .out = out.data},
                  lane_->workspace.data(), stream());
  }

  const bool fp8_;
  std::string name_;
  LaneState lanes_[2];
  LaneState* lane_ = &lanes_[0];
  CudaStream resampling_;  // of all resamplers, so that the last image's event is that of all before it
  CudaEvent resampled_;
  CudaEvent encoded_;
  CudaEvent uploaded_;
  cuda::Products products_;
  cuda::RecordedGraphs graphs_;
  std::unique_ptr<DeviceBuffer> pooled_;
  size_t pooled_floats_ = 0;
  bool calibrating_ = false;
  std::set<const CudaLinear*> observed_;
};

}  // namespace

bool CudaWasBuilt() {
  return true;
}

std::string CudaProblem() {
  int devices = 0;
  cudaError_t code = cudaGetDeviceCount(&devices);
  if (code == cudaSuccess && devices == 0) return "no GPU was found";
  int major = 0, minor = 0;
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
  if (code == cudaSuccess && major < 8) {
    return fmt::format("the GPU has compute capability {}.{}, and 8.0 is needed", major, minor);
  }
  if (code == cudaSuccess) code = cuda::CheckKernels();
  static_cast<void>(cudaGetLastError());
  if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction) {
    return fmt::format(
        "this program was built for other GPUs than one of compute capability {}.{}; configure with -D "
        "CMAKE_CUDA_ARCHITECTURES={}{}",
        major, minor, major, minor);
  }
  return code == cudaSuccess ? "" : cudaGetErrorString(code);
}

bool CudaHasFp8() {
  int major = 0, minor = 0;
  return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess &&
         cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0) == cudaSuccess &&
         major * 10 + minor >= 89;
}

std::unique_ptr<Backend> MakeCudaBackend(bool fp8) {
  const std::string problem = CudaProblem();
  if (!problem.empty()) throw Error("backend cuda: " + problem);
  if (fp8 && !CudaHasFp8()) throw Error("this GPU has no fp8: use --precision bf16");
  return std::make_unique<CudaBackend>(fp8);
}

}  // namespace calfvo
