// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include "network/cuda_tensor.h"
#include "network/fused.h"

namespace calfvo::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

FirstStageShape ShapeOf(const at::Tensor& frames, double eps) {
  return {frames.size(0), static_cast<int>(frames.size(1)), static_cast<int>(frames.size(2)),
          static_cast<int>(frames.size(3)), static_cast<float>(eps)};
}

// The order of the function's arguments, and of what is saved for its gradient.
enum Argument { kFrames, kBefore, kScale, kShift, kWeight, kBias, kNormWeight, kNormBias };

FirstStageInputs InputsOf(const variable_list& tensors) {
  FirstStageInputs inputs;
  inputs.frames = tensors[kFrames].data_ptr<uint8_t>();
  inputs.window_stride = tensors[kFrames].stride(0);
  if (const at::Tensor& before = tensors[kBefore]; before.numel() > 0) {
    inputs.before = before.data_ptr<uint8_t>();
    inputs.before_stride = before.stride(0);
  }
  inputs.scale = tensors[kScale].data_ptr<float>();
  inputs.shift = tensors[kShift].data_ptr<float>();
  inputs.weight = tensors[kWeight].data_ptr<float>();
  inputs.bias = tensors[kBias].data_ptr<float>();
  inputs.norm_weight = tensors[kNormWeight].data_ptr<float>();
  inputs.norm_bias = tensors[kNormBias].data_ptr<float>();
  return inputs;
}

class FirstStageFunction : public Function<FirstStageFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& frames, const at::Tensor& before,
                            const at::Tensor& scale, const at::Tensor& shift, const at::Tensor& weight,
                            const at::Tensor& bias, const at::Tensor& norm_weight,
                            const at::Tensor& norm_bias, double eps) {
    const variable_list tensors = {frames, before, scale, shift, weight, bias, norm_weight, norm_bias};
    context->save_for_backward(tensors);
    context->saved_data["eps"] = eps;
    const at::Tensor out = at::empty(
        {frames.size(0) * frames.size(1), frames.size(2) / 2, frames.size(3) / 2, kFirstStageChannels},
        frames.options().dtype(at::kBFloat16));
    FirstStageForward(ShapeOf(frames, eps), InputsOf(tensors), out.data_ptr(), StreamOf(frames));
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor of_out = gradients[0].contiguous();
    const at::TensorOptions floats = of_out.options().dtype(at::kFloat);
    const at::Tensor partial = at::empty({kFirstStageBlocks, kFirstStageGradients}, floats);
    const at::Tensor all = at::empty({kFirstStageGradients}, floats);
    FirstStageBackward(ShapeOf(saved[kFrames], context->saved_data["eps"].toDouble()), InputsOf(saved),
                       of_out.data_ptr(), partial.data_ptr<float>(), all.data_ptr<float>(), StreamOf(of_out));
    variable_list result(9);
    int64_t first = 0;
    for (const Argument argument : {kWeight, kBias, kNormWeight, kNormBias}) {
      const at::Tensor& parameter = saved[argument];
      result[argument] = all.narrow(0, first, parameter.numel()).view_as(parameter);
      first += parameter.numel();
    }
    return result;
  }
};

// With nothing between an image's pixels, and, if there are several dimensions before them, between
// images.
at::Tensor WithWholeImages(const at::Tensor& images) {
  int64_t expected = 1;
  for (int64_t i = images.dim() - 1; i > 0; --i) {
    if (images.stride(i) != expected) return images.contiguous();
    expected *= images.size(i);
  }
  return images;
}

}  // namespace

std::optional<at::Tensor> FusedFirstStage(const at::Tensor& frames, const at::Tensor& before,
                                          const InputScale& input, const ConvolutionLayer& convolution,
                                          const NormLayer& norm, at::ScalarType dtype) {
  if (!frames.is_cuda() || dtype != at::kBFloat16 || convolution.weight.size(0) != kFirstStageChannels ||
      frames.size(2) % 8 != 0 || frames.size(3) % 32 != 0 || frames.size(3) > kMaxFirstStageWidth) {
    return std::nullopt;
  }
  const c10::DeviceGuard guard(frames.device());
  return FirstStageFunction::apply(
      WithWholeImages(frames), before.defined() ? WithWholeImages(before) : at::empty({0}, frames.options()),
      input.scale, input.shift, convolution.weight, convolution.bias, norm.weight, norm.bias, norm.eps);
}

}  // namespace calfvo::train
