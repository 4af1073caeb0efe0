// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include "network/cuda_tensor.h"
#include "network/fused.h"

namespace calfvo::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

RowShape RowShapeOf(const at::Tensor& x) {
  return {x.numel() / x.size(-1), static_cast<int>(x.size(-1))};
}

at::Tensor PartialsFor(const at::Tensor& x) {
  return at::empty({kColumnSumBlocks, x.size(-1)}, x.options().dtype(at::kFloat));
}

// The gradient of a bias, [channels] f32. x is contiguous.
at::Tensor SumsOf(const at::Tensor& x) {
  const at::Tensor sums = at::empty({x.size(-1)}, x.options().dtype(at::kFloat));
  ColumnSums(RowShapeOf(x), ElementOf(x), x.data_ptr(), PartialsFor(x).data_ptr<float>(),
             sums.data_ptr<float>(), StreamOf(x));
  return sums;
}

at::Tensor Product(const at::Tensor& x, const at::Tensor& cast_weight, const at::Tensor& bias) {
  return at::linear(x, cast_weight, bias.to(x.scalar_type()));
}

// The gradients of x, weight and bias, given those of the product and the bias.
variable_list ProductGradients(const at::Tensor& x, const at::Tensor& cast_weight,
                               const at::Tensor& of_product, const at::Tensor& of_bias) {
  const at::Tensor rows = of_product.view({-1, of_product.size(-1)});
  const at::Tensor of_x = at::mm(rows, cast_weight).view(x.sizes());
  const at::Tensor of_weight = at::mm(rows.t(), x.view({-1, x.size(-1)}));
  return {of_x, of_weight.to(at::kFloat), of_bias};
}

class LinearFunction : public Function<LinearFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias) {
    const at::Tensor cast_weight = weight.to(x.scalar_type());
    context->save_for_backward({x, cast_weight});
    return Product(x, cast_weight, bias);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor of_out = gradients[0].contiguous();
    return ProductGradients(saved[0], saved[1], of_out, SumsOf(of_out));
  }
};

class LinearGeluFunction : public Function<LinearGeluFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias) {
    const at::Tensor cast_weight = weight.to(x.scalar_type());
    const at::Tensor product = Product(x, cast_weight, bias);
    context->save_for_backward({x, cast_weight, product});
    const at::Tensor out = at::empty_like(product);
    GeluForward(product.numel(), ElementOf(product), product.data_ptr(), out.data_ptr(), StreamOf(product));
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& product = saved[2];
    const at::Tensor of_out = gradients[0].contiguous();
    const at::Tensor of_product = at::empty_like(product);
    const at::Tensor of_bias = at::empty({product.size(-1)}, product.options().dtype(at::kFloat));
    GeluBackward(RowShapeOf(product), ElementOf(product), product.data_ptr(), of_out.data_ptr(),
                 of_product.data_ptr(), PartialsFor(product).data_ptr<float>(), of_bias.data_ptr<float>(),
                 StreamOf(product));
    return ProductGradients(saved[0], saved[1], of_product, of_bias);
  }
};

class AddFunction : public Function<AddFunction> {
 public:
  static at::Tensor forward(AutogradContext*, const at::Tensor& x, const at::Tensor& branch,
                            const at::Tensor& bias) {
    const at::Tensor sum = at::empty_like(x);
    AddBranch(RowShapeOf(x), ElementOf(x), x.data_ptr(), branch.data_ptr(), bias.data_ptr<float>(),
              sum.data_ptr(), StreamOf(x));
    return sum;
  }

  static variable_list backward(AutogradContext*, const variable_list& gradients) {
    const at::Tensor of_sum = gradients[0].contiguous();
    return {of_sum, of_sum, SumsOf(of_sum)};
  }
};

bool HasLinear(const at::Tensor& x, const LinearLayer& layer) {
  return HasElement(x) && layer.weight.size(0) % 8 == 0;
}

}  // namespace

std::optional<at::Tensor> FusedLinear(const at::Tensor& x, const LinearLayer& layer) {
  if (!HasLinear(x, layer)) return std::nullopt;
  const c10::DeviceGuard guard(x.device());
  return LinearFunction::apply(x.contiguous(), layer.weight, layer.bias);
}

std::optional<at::Tensor> FusedLinearGelu(const at::Tensor& x, const LinearLayer& layer) {
  if (!HasLinear(x, layer)) return std::nullopt;
  const c10::DeviceGuard guard(x.device());
  return LinearGeluFunction::apply(x.contiguous(), layer.weight, layer.bias);
}

std::optional<at::Tensor> FusedAdd(const at::Tensor& x, const Branch& branch) {
  if (!HasElement(x) || x.size(-1) % 8 != 0 || !branch.bias.defined()) return std::nullopt;
  const c10::DeviceGuard guard(x.device());
  return AddFunction::apply(x.contiguous(), branch.values.contiguous(), branch.bias);
}

}  // namespace calfvo::train
