// SPDX-License-Identifier: Apache-2.0
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/version.h>

#include <vector>

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

at::Tensor Rows(const at::Tensor& x) {
  return x.view({-1, x.size(-1)});
}

// In two dimensions, where the product itself adds the bias; with more, a pass of its own may do it.
at::Tensor Product(const at::Tensor& x, const at::Tensor& cast_weight, const at::Tensor& bias) {
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes.back() = cast_weight.size(0);
  return at::addmm(bias.to(x.scalar_type()), Rows(x), cast_weight.t()).view(sizes);
}

// In f32, as the product sums it.
at::Tensor FloatProduct(const at::Tensor& a, const at::Tensor& b) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 8)
  if (a.scalar_type() != at::kFloat) return at::mm(a, b, at::kFloat);
#endif
  return at::mm(a, b).to(at::kFloat);
}

// The gradients of x, weight and bias, given those of the product and the bias.
variable_list ProductGradients(const at::Tensor& x, const at::Tensor& cast_weight,
                               const at::Tensor& of_product, const at::Tensor& of_bias) {
  const at::Tensor rows = Rows(of_product);
  const at::Tensor of_x = at::mm(rows, cast_weight).view(x.sizes());
  return {of_x, FloatProduct(rows.t(), Rows(x)), of_bias};
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

// fc2 without its bias, of the GELU of fc1.
class FeedForwardFunction : public Function<FeedForwardFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight1,
                            const at::Tensor& bias1, const at::Tensor& weight2) {
    std::vector<int64_t> sizes = x.sizes().vec();
    sizes.back() = weight1.size(0);
    const at::Tensor product = at::empty(sizes, x.options());
    const at::Tensor out = at::empty_like(product);
    GeluProductForward(ShapeOf(product), x.data_ptr(), Packed(weight1, /*transposed=*/false, x).data_ptr(),
                       bias1.data_ptr<float>(), product.data_ptr(), out.data_ptr(), StreamOf(x));
    context->save_for_backward({x, weight1, weight2, product, out});
    return at::linear(out, weight2.to(x.scalar_type()));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor& product = saved[3];
    const at::Tensor of_next = gradients[0].contiguous();
    const at::Tensor of_product = at::empty_like(product);
    const at::TensorOptions floats = x.options().dtype(at::kFloat);
    const at::Tensor of_bias1 = at::empty({product.size(-1)}, floats);
    const at::Tensor partial = at::empty({kGeluProductBlocks, product.size(-1)}, floats);
    GeluProductBackward(ShapeOf(product), of_next.data_ptr(),
                        Packed(saved[2], /*transposed=*/true, x).data_ptr(), product.data_ptr(),
                        of_product.data_ptr(), partial.data_ptr<float>(), of_bias1.data_ptr<float>(),
                        StreamOf(x));
    variable_list result = ProductGradients(x, saved[1].to(x.scalar_type()), of_product, of_bias1);
    result.push_back(FloatProduct(Rows(of_next).t(), Rows(saved[4])));
    return result;
  }

 private:
  static GeluProductShape ShapeOf(const at::Tensor& product) {
    return {product.numel() / product.size(-1), static_cast<int>(product.size(-1))};
  }

  static at::Tensor Packed(const at::Tensor& weight, bool transposed, const at::Tensor& like) {
    const at::Tensor packed = at::empty({weight.numel()}, like.options());
    PackWeights(static_cast<int>(weight.numel() / kGeluProductInner), transposed, weight.data_ptr<float>(),
                packed.data_ptr(), StreamOf(like));
    return packed;
  }
};

class QueryKeyValueFunction : public Function<QueryKeyValueFunction> {
 public:
  // Without rotation `cos` and `sin` are empty and the group is 0.
  static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                               const at::Tensor& bias, const at::Tensor& cos, const at::Tensor& sin,
                               int64_t heads, int64_t group) {
    const at::Tensor cast_weight = weight.to(x.scalar_type());
    context->save_for_backward({x, cast_weight, cos, sin});
    context->saved_data["heads"] = heads;
    context->saved_data["group"] = group;
    const at::Tensor qkv = Product(x, cast_weight, bias).unflatten(-1, {3, heads, -1}).detach();
    if (group == 0) return {qkv.select(2, 0), qkv.select(2, 1), qkv.select(2, 2)};
    const RotationShape shape = ShapeOf(qkv.size(0), qkv.size(1), heads, qkv.size(4), group);
    const at::Tensor q = at::empty({qkv.size(0), qkv.size(1), heads, qkv.size(4)}, qkv.options());
    const at::Tensor k = at::empty_like(q);
    RotateForward(shape, ElementOf(qkv), qkv.data_ptr(), cos.data_ptr<float>(), sin.data_ptr<float>(),
                  q.data_ptr(), k.data_ptr(), StreamOf(qkv));
    return {q, k, qkv.select(2, 2)};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const int64_t heads = context->saved_data["heads"].toInt();
    const int64_t group = context->saved_data["group"].toInt();
    const at::Tensor q = gradients[0].contiguous();
    const at::Tensor k = gradients[1].contiguous();
    const at::Tensor v = gradients[2].contiguous();
    const at::Tensor of_qkv = at::empty({q.size(0), q.size(1), 3 * heads * q.size(3)}, q.options());
    const at::Tensor of_bias = at::empty({of_qkv.size(2)}, q.options().dtype(at::kFloat));
    JoinGradients(ShapeOf(q.size(0), q.size(1), heads, q.size(3), group), ElementOf(q), q.data_ptr(),
                  k.data_ptr(), v.data_ptr(), group > 0 ? saved[2].data_ptr<float>() : nullptr,
                  group > 0 ? saved[3].data_ptr<float>() : nullptr, of_qkv.data_ptr(),
                  PartialsFor(of_qkv).data_ptr<float>(), of_bias.data_ptr<float>(), StreamOf(q));
    variable_list result = ProductGradients(saved[0], saved[1], of_qkv, of_bias);
    result.resize(7);  // the others have none
    return result;
  }

 private:
  static RotationShape ShapeOf(int64_t sequences, int64_t tokens, int64_t heads, int64_t head_size,
                               int64_t group) {
    return {sequences, tokens, static_cast<int>(heads), static_cast<int>(head_size), static_cast<int>(group)};
  }
};

// Where queries and keys are not turned, `cos` and `sin` are empty and the group is 0.
class AttentionFunction : public Function<AttentionFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, const at::Tensor& cos, const at::Tensor& sin,
                            int64_t heads, int64_t group) {
    const at::Tensor cast_weight = weight.to(x.scalar_type());
    const at::Tensor qkv = Product(x, cast_weight, bias);
    const at::Tensor out = at::empty({x.size(0), x.size(1), qkv.size(2) / 3}, x.options());
    const at::Tensor log_sums = at::empty({x.size(0), heads, x.size(1)}, x.options().dtype(at::kFloat));
    AttentionForward(ShapeOf(x, heads, group), InputsOf(qkv, cos, sin), out.data_ptr(),
                     log_sums.data_ptr<float>(), StreamOf(x));
    context->save_for_backward({x, cast_weight, qkv, cos, sin, out, log_sums});
    context->saved_data["heads"] = heads;
    context->saved_data["group"] = group;
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor& qkv = saved[2];
    const at::Tensor of_out = gradients[0].contiguous();
    const at::Tensor of_qkv = at::empty_like(qkv);
    const at::TensorOptions floats = qkv.options().dtype(at::kFloat);
    const at::Tensor of_bias = at::empty({qkv.size(2)}, floats);
    const at::Tensor partial = at::empty({qkv.size(0), qkv.size(2)}, floats);
    AttentionInputs inputs = InputsOf(qkv, saved[3], saved[4]);
    inputs.out = saved[5].data_ptr();
    inputs.log_sums = saved[6].data_ptr<float>();
    AttentionBackward(
        ShapeOf(x, context->saved_data["heads"].toInt(), context->saved_data["group"].toInt()), inputs,
        {of_out.data_ptr(), of_qkv.data_ptr(), of_bias.data_ptr<float>(), partial.data_ptr<float>()},
        StreamOf(x));
    variable_list result = ProductGradients(x, saved[1], of_qkv, of_bias);
    result.resize(7);  // the others have none
    return result;
  }

 private:
  static AttentionShape ShapeOf(const at::Tensor& x, int64_t heads, int64_t group) {
    return {x.size(0), static_cast<int>(x.size(1)), static_cast<int>(heads), static_cast<int>(group)};
  }

  static AttentionInputs InputsOf(const at::Tensor& qkv, const at::Tensor& cos, const at::Tensor& sin) {
    AttentionInputs inputs;
    inputs.qkv = qkv.data_ptr();
    if (cos.numel() > 0) {
      inputs.cos = cos.data_ptr<float>();
      inputs.sin = sin.data_ptr<float>();
    }
    return inputs;
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

// A Function takes no undefined tensors: without rotation they are empty.
struct RopeArguments {
  at::Tensor cos, sin;
  int64_t group = 0;

  RopeArguments(const RopeTable& rope, const LinearLayer& qkv)
      : cos(rope.cos), sin(rope.sin), group(rope.group) {
    if (cos.defined()) return;
    cos = sin = at::empty({0}, qkv.bias.options().requires_grad(false));
    group = 0;
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

std::optional<at::Tensor> FusedFeedForward(const at::Tensor& x, const FeedForwardLayer& layer) {
  const int64_t columns = layer.fc1.weight.size(0);
  if (!HasElement(x) || ElementOf(x) != Element::kBF16 || layer.fc1.weight.size(1) != kGeluProductInner ||
      layer.fc2.weight.size(0) != kGeluProductInner || columns % 64 != 0 ||
      columns > kMaxGeluProductColumns) {
    return std::nullopt;
  }
  const c10::DeviceGuard guard(x.device());
  if (!HasHopperKernels()) return std::nullopt;
  return FeedForwardFunction::apply(x.contiguous(), layer.fc1.weight, layer.fc1.bias, layer.fc2.weight);
}

std::optional<at::Tensor> FusedAttention(const at::Tensor& x, const LinearLayer& qkv, int64_t heads,
                                         const RopeTable& rope) {
  const bool has_group = !rope.cos.defined() || rope.group == 16 || rope.group == 32;
  if (!HasElement(x) || ElementOf(x) != Element::kBF16 || x.size(1) > kMaxAttentionTokens || !has_group ||
      qkv.weight.size(0) != 3 * heads * kAttentionHeadSize) {
    return std::nullopt;
  }
  const c10::DeviceGuard guard(x.device());
  if (!HasHopperKernels()) return std::nullopt;
  const RopeArguments turn(rope, qkv);
  return AttentionFunction::apply(x.contiguous(), qkv.weight, qkv.bias, turn.cos, turn.sin, heads,
                                  turn.group);
}

std::optional<QueryKeyValue> FusedQueryKeyValue(const at::Tensor& x, const LinearLayer& qkv, int64_t heads,
                                                const RopeTable& rope) {
  const int64_t columns = qkv.weight.size(0);
  if (!HasElement(x) || columns / 3 % 8 != 0 || rope.group % 8 != 0 ||
      x.numel() / x.size(-1) * columns >= kMaxElements) {
    return std::nullopt;
  }
  const c10::DeviceGuard guard(x.device());
  const RopeArguments turn(rope, qkv);
  const variable_list parts = QueryKeyValueFunction::apply(x.contiguous(), qkv.weight, qkv.bias, turn.cos,
                                                           turn.sin, heads, turn.group);
  return QueryKeyValue{parts[0], parts[1], parts[2]};
}

std::optional<at::Tensor> FusedAdd(const at::Tensor& x, const Branch& branch) {
  if (!HasElement(x) || x.size(-1) % 8 != 0 || !branch.bias.defined()) return std::nullopt;
  const c10::DeviceGuard guard(x.device());
  return AddFunction::apply(x.contiguous(), branch.values.contiguous(), branch.bias);
}

}  // namespace calfvo::train
