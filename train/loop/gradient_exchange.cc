// SPDX-License-Identifier: Apache-2.0
#include "loop/gradient_exchange.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <mutex>

namespace calfvo::train {

// Hooks on the nodes that accumulate gradients into parameters. The nodes must be kept: variables refer to
// them weakly. They may outlive the exchange, so hooks reach it through a pointer that can be taken away.
struct GradientExchange::Hooks {
  struct Owner {
    std::mutex mutex;
    GradientExchange* exchange = nullptr;
  };
  class Hook : public torch::autograd::FunctionPostHook {
   public:
    Hook(std::shared_ptr<Owner> owner, size_t bucket) : owner_(std::move(owner)), bucket_(bucket) {}
    torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                              const torch::autograd::variable_list&) override {
      const std::lock_guard lock(owner_->mutex);
      if (owner_->exchange != nullptr) owner_->exchange->Arrived(bucket_);
      return outputs;
    }

   private:
    std::shared_ptr<Owner> owner_;  // shared with autograd's nodes, which decide how long they live
    size_t bucket_;
  };

  std::shared_ptr<Owner> owner = std::make_shared<Owner>();
  std::vector<std::shared_ptr<torch::autograd::Node>> nodes;
};

GradientExchange::GradientExchange(Processes& processes, const FlatParameters& parameters, bool overlap,
                                   int64_t bucket_elements)
    : processes_(processes), parameters_(parameters), bucket_of_slice_(parameters.slices().size()) {
  const auto& slices = parameters.slices();
  const auto decayed = std::count_if(slices.begin(), slices.end(), [&](const FlatParameters::Slice& slice) {
    return slice.begin < parameters.decay_size();
  });
  AddBuckets(0, decayed, bucket_elements);
  AddBuckets(decayed, static_cast<int64_t>(slices.size()) - decayed, bucket_elements);
  if (!overlap || processes.size() == 1) return;
  hooks_ = std::make_unique<Hooks>();
  hooks_->owner->exchange = this;
  for (size_t i = 0; i < slices.size(); ++i) {
    auto node = torch::autograd::impl::grad_accumulator(slices[i].parameter);
    node->add_post_hook(std::make_unique<Hooks::Hook>(hooks_->owner, bucket_of_slice_[i]));
    hooks_->nodes.push_back(std::move(node));
  }
}

GradientExchange::~GradientExchange() {
  if (!hooks_) return;
  const std::lock_guard lock(hooks_->owner->mutex);
  hooks_->owner->exchange = nullptr;
}

void GradientExchange::AddBuckets(int64_t first_slice, int64_t slice_count, int64_t bucket_elements) {
  const auto& slices = parameters_.slices();
  for (int64_t i = first_slice + slice_count - 1; i >= first_slice; --i) {
    const auto index = static_cast<size_t>(i);
    const int64_t end = index + 1 < slices.size() ? slices[index + 1].begin : parameters_.size();
    if (i == first_slice + slice_count - 1 || buckets_.back().end - slices[index].begin > bucket_elements) {
      buckets_.push_back({.begin = end, .end = end});
    }
    buckets_.back().begin = slices[index].begin;
    ++buckets_.back().parameters;
    bucket_of_slice_[index] = buckets_.size() - 1;
  }
}

void GradientExchange::Start() {
  next_ = 0;
  for (Bucket& bucket : buckets_) bucket.missing = bucket.parameters;
}

void GradientExchange::Arrived(size_t bucket) {
  --buckets_[bucket].missing;
  while (next_ < buckets_.size() && buckets_[next_].missing == 0) SumNext();
}

void GradientExchange::SumNext() {
  const Bucket& bucket = buckets_[next_++];
  parameters_.CollectGradients(bucket.begin, bucket.end);
  pending_.push_back(
      processes_.StartSum(parameters_.gradients().narrow(0, bucket.begin, bucket.end - bucket.begin)));
}

void GradientExchange::Finish() {
  if (processes_.size() == 1) return;
  while (next_ < buckets_.size()) SumNext();
  for (const auto& wait : pending_) wait();
  pending_.clear();
  parameters_.gradients().mul_(1.0 / processes_.size());
}

}  // namespace calfvo::train
