// SPDX-License-Identifier: Apache-2.0
// The mean of the gradients over all processes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "loop/flat_parameters.h"
#include "loop/processes.h"

namespace calfvo::train {

// Sums slices of the flat gradient, each as soon as the backward pass has finished with its parameters, so
// that communication goes on beside the rest of it. Slices are summed in one fixed order: from the end of the
// decayed parameters, which the backward pass reaches first, to their beginning, then the others.
class GradientExchange {
 public:
  static constexpr int64_t kBucketElements = int64_t{8} << 20;  // 32 MB

  // Borrows both. Without `overlap`, which a captured backward pass cannot have, all is summed in Finish.
  GradientExchange(Processes& processes, const FlatParameters& parameters, bool overlap,
                   int64_t bucket_elements = kBucketElements);
  ~GradientExchange();
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  void Start();   // before the backward pass
  void Finish();  // after it: waits (or has the device wait) and divides

 private:
  struct Bucket {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t parameters = 0;
    int64_t missing = 0;  // parameters whose gradients are still to come
  };
  struct Hooks;

  void AddBuckets(int64_t first_slice, int64_t slice_count, int64_t bucket_elements);
  void Arrived(size_t bucket);
  void SumNext();

  Processes& processes_;
  const FlatParameters& parameters_;
  std::vector<Bucket> buckets_;          // in the order of summation
  std::vector<size_t> bucket_of_slice_;  // by index of FlatParameters::slices
  size_t next_ = 0;                      // bucket
  std::vector<std::function<void()>> pending_;
  std::unique_ptr<Hooks> hooks_;
};

}  // namespace calfvo::train
