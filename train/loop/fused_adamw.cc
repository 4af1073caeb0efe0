// SPDX-License-Identifier: Apache-2.0
#include "loop/fused_adamw.h"

#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "loop/adamw_kernel.h"

namespace calfvo::train {

bool FusedAdamW(const AdamWStep& step) {
  if (!step.weights.is_cuda()) return false;
  const c10::DeviceGuard guard(step.weights.device());
  const auto data = [](const torch::Tensor& tensor) { return tensor.data_ptr<float>(); };
  AdamWArguments arguments;
  arguments.size = step.weights.numel();
  arguments.step_along = step.step_along;
  arguments.decay_size = step.decay_size;
  arguments.gradients = data(step.gradients);
  arguments.weights = data(step.weights);
  arguments.first_moment = data(step.first_moment);
  arguments.second_moment = data(step.second_moment);
  arguments.average = data(step.average);
  arguments.norm = data(step.norm);
  arguments.skipped = data(step.skipped);
  arguments.step_size = data(step.step_size);
  arguments.learning_rate = data(step.learning_rate);
  arguments.second_correction = data(step.second_correction);
  arguments.average_weight = data(step.average_weight);
  arguments.first_weight = static_cast<float>(1.0 - step.beta1);
  arguments.second_weight = static_cast<float>(1.0 - step.beta2);
  arguments.eps = static_cast<float>(step.eps);
  arguments.weight_decay = static_cast<float>(step.weight_decay);
  arguments.clip_norm = static_cast<float>(step.clip_norm);
  AdamWUpdate(arguments, c10::cuda::getCurrentCUDAStream(step.weights.device().index()).stream());
  return true;
}

}  // namespace calfvo::train
