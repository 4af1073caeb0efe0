// SPDX-License-Identifier: Apache-2.0
#include "data/mixture_stream.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "calfvo/error.h"

namespace calfvo::train {
namespace {

using torch::Tensor;

Tensor Joined(const std::vector<WindowBatch>& batches, Tensor WindowBatch::*member) {
  std::vector<Tensor> tensors;
  for (const WindowBatch& batch : batches) tensors.push_back(batch.*member);
  return torch::cat(tensors);
}

}  // namespace

MixtureStream::MixtureStream(std::vector<std::unique_ptr<WindowStream>> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) throw Error("a mixture of no streams; expected at least one");
}

WindowBatch MixtureStream::At(int64_t step) {
  std::vector<WindowBatch> batches;
  for (const auto& part : parts_) batches.push_back(part->At(step));
  if (batches.size() == 1) return batches.front();
  const auto knows_motion = [](const WindowBatch& batch) { return batch.motion.defined(); };
  const auto example = std::find_if(batches.begin(), batches.end(), knows_motion);
  WindowBatch mixture;
  if (example != batches.end()) {
    std::vector<int64_t> shape = example->motion.sizes().vec();
    for (WindowBatch& batch : batches) {
      if (knows_motion(batch)) continue;
      shape[0] = batch.frames.size(0);
      batch.motion = torch::full(shape, std::numeric_limits<float>::quiet_NaN(), example->motion.options());
    }
    mixture.motion = Joined(batches, &WindowBatch::motion);
  }
  const auto knows_ids = [](const WindowBatch& batch) { return batch.frame_ids.defined(); };
  if (std::count_if(batches.begin(), batches.end(), knows_ids) == 1) {  // numbers of two could clash
    for (WindowBatch& batch : batches) {
      if (knows_ids(batch)) continue;
      batch.frame_ids = torch::full({batch.frames.size(0), batch.frames.size(1)}, -1, torch::kInt64);
    }
    mixture.frame_ids = Joined(batches, &WindowBatch::frame_ids);
  }
  mixture.frames = Joined(batches, &WindowBatch::frames);
  mixture.before = Joined(batches, &WindowBatch::before);
  mixture.log_aspect = Joined(batches, &WindowBatch::log_aspect);
  mixture.rotation = Joined(batches, &WindowBatch::rotation);
  mixture.translation = Joined(batches, &WindowBatch::translation);
  return mixture;
}

}  // namespace calfvo::train
