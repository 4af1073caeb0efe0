// SPDX-License-Identifier: Apache-2.0
#include "network/fused.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include "network/cuda_tensor.h"

namespace calfvo::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

TemporalShape TemporalShapeOf(const at::Tensor& qkv) {
  return {qkv.size(0), static_cast<int>(qkv.size(1)), qkv.size(2), static_cast<int>(qkv.size(4)),
          static_cast<int>(qkv.size(5))};
}

class TemporalFunction : public Function<TemporalFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& qkv) {
    context->save_for_backward({qkv});
    const at::Tensor out =
        at::empty({qkv.size(0), qkv.size(1), qkv.size(2), qkv.size(4) * qkv.size(5)}, qkv.options());
    TemporalAttentionForward(TemporalShapeOf(qkv), ElementOf(qkv), qkv.data_ptr(), out.data_ptr(),
                             StreamOf(qkv));
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor qkv = context->get_saved_variables()[0];
    const at::Tensor of_out = gradients[0].contiguous();
    const at::Tensor of_qkv = at::empty_like(qkv);
    TemporalAttentionBackward(TemporalShapeOf(qkv), ElementOf(qkv), qkv.data_ptr(), of_out.data_ptr(),
                              of_qkv.data_ptr(), StreamOf(qkv));
    return {of_qkv};
  }
};

// What a norm needs besides tensors.
struct NormSettings {
  double eps = 0;
  bool gelu = false;
  CameraRule camera = CameraRule::kNone;
};

NormShape NormShapeOf(const at::Tensor& x, const NormSettings& settings) {
  NormShape shape;
  shape.channels = static_cast<int>(x.size(-1));
  shape.rows = x.numel() / shape.channels;
  shape.camera = settings.camera;
  if (settings.camera != CameraRule::kNone) {
    shape.tokens = static_cast<uint32_t>(x.size(2));
    shape.frames = static_cast<uint32_t>(x.size(1));
  }
  shape.gelu = settings.gelu;
  shape.eps = static_cast<float>(settings.eps);
  return shape;
}

// The norm's parameters, and the bias that is added before it.
struct NormTensors {
  at::Tensor offset, weight, bias;
};

NormInputs NormInputsOf(const at::Tensor& x, const NormTensors& tensors) {
  return {.x = x.data_ptr(),
          .offset = tensors.offset.data_ptr<float>(),
          .weight = tensors.weight.data_ptr<float>(),
          .bias = tensors.bias.data_ptr<float>()};
}

void SaveForNorm(AutogradContext* context, const at::Tensor& sum, const NormTensors& tensors,
                 const NormSettings& settings) {
  context->save_for_backward({sum, tensors.offset, tensors.weight, tensors.bias});
  context->saved_data["eps"] = settings.eps;
  context->saved_data["gelu"] = settings.gelu;
  context->saved_data["camera"] = static_cast<int64_t>(settings.camera);
  context->set_materialize_grads(false);  // not all results are used: the last sum of an encoder is not
}

struct NormResult {
  at::Tensor of_x, of_branch, of_offset, of_weight, of_bias;
};

// `gradients` are those of the function's two results, the second of which is normed. They may be undefined.
NormResult NormBackwardOf(AutogradContext* context, const variable_list& gradients) {
  const variable_list saved = context->get_saved_variables();
  const at::Tensor& sum = saved[0];
  const NormSettings settings{context->saved_data["eps"].toDouble(), context->saved_data["gelu"].toBool(),
                              static_cast<CameraRule>(context->saved_data["camera"].toInt())};
  const at::Tensor of_other = gradients[0].defined() ? gradients[0].contiguous() : at::Tensor();
  const at::Tensor of_normed = gradients[1].defined() ? gradients[1].contiguous() : at::zeros_like(sum);
  const at::TensorOptions floats = sum.options().dtype(at::kFloat);
  const at::Tensor of_parameters = at::empty({3, sum.size(-1)}, floats);
  const at::Tensor partial = at::empty({kNormBlocks, 3, sum.size(-1)}, floats);
  NormResult result;
  result.of_x = at::empty_like(sum);
  result.of_branch = settings.camera == CameraRule::kSkip ? at::empty_like(sum) : result.of_x;
  result.of_weight = of_parameters.select(0, 0);
  result.of_bias = of_parameters.select(0, 1);
  result.of_offset = of_parameters.select(0, 2);
  NormGradients pointers;
  pointers.of_normed = of_normed.data_ptr();
  pointers.of_other = of_other.defined() ? of_other.data_ptr() : nullptr;
  pointers.of_x = result.of_x.data_ptr();
  pointers.of_branch = settings.camera == CameraRule::kSkip ? result.of_branch.data_ptr() : nullptr;
  pointers.of_parameters = of_parameters.data_ptr<float>();
  pointers.partial = partial.data_ptr<float>();
  NormInputs inputs = NormInputsOf(sum, {saved[1], saved[2], saved[3]});
  if (!settings.gelu) inputs.offset = nullptr;  // the sum has it, or it is zero
  NormBackward(NormShapeOf(sum, settings), ElementOf(sum), inputs, pointers, StreamOf(sum));
  return result;
}

// x and normed; with GELU, normed twice.
class NormFunction : public Function<NormFunction> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& offset,
                               const at::Tensor& weight, const at::Tensor& bias, double eps, bool gelu) {
    const NormSettings settings{eps, gelu, CameraRule::kNone};
    const NormTensors tensors{offset, weight, bias};
    SaveForNorm(context, x, tensors, settings);
    const at::Tensor normed = at::empty_like(x);
    NormForward(NormShapeOf(x, settings), ElementOf(x), NormInputsOf(x, tensors), nullptr, normed.data_ptr(),
                StreamOf(x));
    return {(gelu ? normed : x).detach(), normed};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const NormResult result = NormBackwardOf(context, gradients);
    return {result.of_x, result.of_offset, result.of_weight, result.of_bias, {}, {}};
  }
};

class AddNormFunction : public Function<AddNormFunction> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& branch,
                               const at::Tensor& offset, const at::Tensor& weight, const at::Tensor& bias,
                               double eps, int64_t camera) {
    const NormSettings settings{eps, false, static_cast<CameraRule>(camera)};
    const NormTensors tensors{offset, weight, bias};
    const at::Tensor sum = at::empty_like(x);
    const at::Tensor normed = at::empty_like(x);
    NormInputs inputs = NormInputsOf(x, tensors);
    inputs.branch = branch.data_ptr();
    NormForward(NormShapeOf(x, settings), ElementOf(x), inputs, sum.data_ptr(), normed.data_ptr(),
                StreamOf(x));
    SaveForNorm(context, sum, tensors, settings);
    return {sum, normed};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const NormResult result = NormBackwardOf(context, gradients);
    return {result.of_x, result.of_branch, result.of_offset, result.of_weight, result.of_bias, {}, {}};
  }
};

bool HasNorm(const at::Tensor& x) {
  return HasElement(x) && x.size(-1) % 8 == 0 && x.size(-1) <= kMaxNormChannels && x.numel() < kMaxElements;
}

at::Tensor OffsetOf(const at::Tensor& bias, const NormLayer& norm) {
  return bias.defined() ? bias : at::zeros(norm.bias.sizes(), norm.bias.options().requires_grad(false));
}

}  // namespace

std::optional<at::Tensor> FusedTemporalAttention(const at::Tensor& qkv) {
  const int64_t head_size = qkv.size(5);
  if (!HasElement(qkv) || qkv.size(1) > kMaxTemporalFrames || head_size > kMaxTemporalHeadSize ||
      head_size % 8 != 0) {
    return std::nullopt;
  }
  const c10::DeviceGuard guard(qkv.device());
  return TemporalFunction::apply(qkv.contiguous());
}

std::optional<SumAndNorm> FusedNorm(const at::Tensor& x, const NormLayer& norm) {
  if (!HasNorm(x)) return std::nullopt;
  const c10::DeviceGuard guard(x.device());
  const variable_list results = NormFunction::apply(x.contiguous(), OffsetOf({}, norm), norm.weight,
                                                    norm.bias, norm.eps, /*gelu=*/false);
  return SumAndNorm{results[0], results[1]};
}

std::optional<TwoUses> FusedNormGelu(const Branch& x, const NormLayer& norm) {
  if (!HasNorm(x.values)) return std::nullopt;
  const c10::DeviceGuard guard(x.values.device());
  const variable_list results = NormFunction::apply(x.values.contiguous(), OffsetOf(x.bias, norm),
                                                    norm.weight, norm.bias, norm.eps, /*gelu=*/true);
  return TwoUses{results[1], results[0]};
}

std::optional<SumAndNorm> FusedAddNorm(const at::Tensor& x, const Branch& branch, const NormLayer& norm,
                                       CameraRule camera) {
  if (!HasNorm(x)) return std::nullopt;
  const c10::DeviceGuard guard(x.device());
  const variable_list results =
      AddNormFunction::apply(x.contiguous(), branch.values.contiguous(), OffsetOf(branch.bias, norm),
                             norm.weight, norm.bias, norm.eps, static_cast<int64_t>(camera));
  return SumAndNorm{results[0], results[1]};
}

}  // namespace calfvo::train
