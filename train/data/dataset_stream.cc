// SPDX-License-Identifier: Apache-2.0
#include "data/dataset_stream.h"

#include <c10/core/DeviceGuard.h>
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "calfvo/error.h"
#include "core/base/thread_pool.h"
#include "data/image_store.h"
#include "data/posed_frames.h"
#include "data/prefetcher.h"

namespace calfvo::train {
namespace {

using PosesOfStreams = std::vector<std::vector<std::vector<Rigid3>>>;

void CheckRange(const char* field, int value, int low, int high) {
  if (value >= low && value <= high) return;
  throw Error(fmt::format("{} is {}; expected {} to {}", field, value, low, high));
}

std::vector<StreamOptions> SamplingOf(const std::vector<Dataset>& datasets) {
  std::vector<StreamOptions> options;
  for (const Dataset& dataset : datasets) options.push_back(dataset.sampling);
  return options;
}

PosesOfStreams PosesOf(const std::vector<Dataset>& datasets) {
  PosesOfStreams poses;
  for (const Dataset& dataset : datasets) {
    poses.emplace_back();
    for (const auto& sequence : dataset.sequences) poses.back().push_back(PosesUntilInvalid(*sequence));
  }
  return poses;
}

class DatasetStream : public WindowStream {
 public:
  DatasetStream(std::vector<Dataset> datasets, const DatasetStreamOptions& options, torch::Device device)
      : options_(options),
        device_(device),
        datasets_(std::move(datasets)),
        sampler_(SamplingOf(datasets_), PosesOf(datasets_), options.frames),
        threads_(options.threads) {
    int64_t frames = 0;
    for (const Dataset& dataset : datasets_) {
      stores_.emplace_back();
      first_ids_.emplace_back();
      for (const auto& sequence : dataset.sequences) {
        stores_.back().push_back(OpenStore(*sequence));
        first_ids_.back().push_back(frames);
        frames += static_cast<int64_t>(sequence->frames().size());
      }
    }
    prefetcher_ = std::make_unique<Prefetcher<WindowBatch>>([this](int64_t step) { return Make(step); },
                                                            static_cast<size_t>(options.batches));
  }

  WindowBatch At(int64_t step) override {
    WindowBatch batch = prefetcher_->Take(step);
    for (torch::Tensor* tensor :
         {&batch.frames, &batch.before, &batch.log_aspect, &batch.rotation, &batch.translation}) {
      *tensor = tensor->to(device_, /*non_blocking=*/true);
    }
    return batch;
  }

 private:
  std::unique_ptr<ImageStore> OpenStore(const Sequence& sequence) {
    if (options_.cache.empty()) return DecodeWhenAsked(sequence, options_.input);
    const auto count = static_cast<int64_t>(PosesUntilInvalid(sequence).size());
    return OpenPacked(sequence, count, options_.input, options_.cache, threads_);
  }

  // In host memory from which a GPU can copy by itself.
  WindowBatch Make(int64_t step) {
    const c10::DeviceGuard guard(device_);  // or every process would wake the first GPU for pinned memory
    const int64_t b = options_.windows;
    const int64_t k = options_.frames;
    const int64_t size = options_.input.size;
    const auto options = torch::TensorOptions().pinned_memory(device_.is_cuda());
    WindowBatch batch;
    batch.frames = torch::empty({b, k, size, size, 3}, options.dtype(torch::kUInt8));
    batch.before = torch::empty({b, size, size, 3}, options.dtype(torch::kUInt8));
    batch.log_aspect = torch::empty({b}, options.dtype(torch::kFloat));
    batch.rotation = torch::empty({b, k - 1, 3, 3}, options.dtype(torch::kFloat));
    batch.translation = torch::empty({b, k - 1, 3}, options.dtype(torch::kFloat));
    uint8_t* frames = batch.frames.data_ptr<uint8_t>();
    uint8_t* before = batch.before.data_ptr<uint8_t>();
    batch.frame_ids = torch::empty({b, k}, torch::kInt64);
    auto* ids = batch.frame_ids.data_ptr<int64_t>();
    float* log_aspect = batch.log_aspect.data_ptr<float>();
    float* rotation = batch.rotation.data_ptr<float>();
    float* translation = batch.translation.data_ptr<float>();
    const auto frame_bytes = static_cast<size_t>(size * size * 3);
    const size_t window_bytes = static_cast<size_t>(k) * frame_bytes;
    threads_.ParallelFor(b, [&](int64_t w) {
      const int window = options_.first_window + static_cast<int>(w);
      const WindowChoice choice = sampler_.Draw(options_.seed, step, window);
      const ImageStore& store =
          *stores_[static_cast<size_t>(choice.stream)][static_cast<size_t>(choice.sequence)];
      const ImageShape shape = store.Read(choice.start, choice.stride,
                                          {frames + static_cast<size_t>(w) * window_bytes, window_bytes});
      log_aspect[w] = std::log2(static_cast<float>(shape.width) / static_cast<float>(shape.height));
      const bool begins = choice.start < choice.stride || window % kStartEvery == 0;
      store.Read(begins ? choice.start : choice.start - choice.stride, choice.stride,
                 {before + static_cast<size_t>(w) * frame_bytes, frame_bytes});
      const int64_t first_id =
          first_ids_[static_cast<size_t>(choice.stream)][static_cast<size_t>(choice.sequence)];
      for (int64_t i = 0; i < k; ++i) ids[w * k + i] = first_id + choice.start + i * choice.stride;
      int64_t pair = w * (k - 1);
      for (const Rigid3& pose : sampler_.RelativePoses(choice)) {
        const Eigen::Matrix3d matrix = pose.rotation.toRotationMatrix();
        for (int i = 0; i < 9; ++i) rotation[9 * pair + i] = static_cast<float>(matrix(i / 3, i % 3));
        for (int i = 0; i < 3; ++i) translation[3 * pair + i] = static_cast<float>(pose.translation(i));
        ++pair;
      }
    });
    return batch;
  }

  const DatasetStreamOptions options_;
  const torch::Device device_;
  const std::vector<Dataset> datasets_;
  const WindowSampler sampler_;
  ThreadPool threads_;
  std::vector<std::vector<std::unique_ptr<ImageStore>>> stores_;  // as the sequences of datasets_
  std::vector<std::vector<int64_t>> first_ids_;                   // of their frames
  std::unique_ptr<Prefetcher<WindowBatch>> prefetcher_;           // last: its thread uses the rest
};

}  // namespace

void DatasetStreamOptions::Validate() const {
  CheckRange("windows", windows, 1, 65535);
  CheckRange("first_window", first_window, 0, 1 << 30);
  CheckRange("frames", frames, 2, 1024);
  CheckRange("input.size", input.size, 1, 4096);
  CheckRange("threads", threads, 0, ThreadPool::kMaxThreads);
  CheckRange("batches", batches, 1, 64);
}

std::unique_ptr<WindowStream> OpenDatasetStream(std::vector<Dataset> datasets,
                                                const DatasetStreamOptions& options, torch::Device device) {
  options.Validate();
  return std::make_unique<DatasetStream>(std::move(datasets), options, device);
}

}  // namespace calfvo::train
