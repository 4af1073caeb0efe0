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

class EmbeddingFunction : public Function<EmbeddingFunction> {
 public:
  // Where the aspect is not looked at, it and `log_aspect` are empty.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& tokens, const at::Tensor& log_aspect,
                            const at::Tensor& position, const at::Tensor& time, const at::Tensor& camera,
                            const at::Tensor& aspect) {
    context->save_for_backward({log_aspect});
    const at::Tensor out =
        at::empty({tokens.size(0), tokens.size(1), 1 + tokens.size(2), tokens.size(3)}, tokens.options());
    const EmbeddingInputs inputs{.position = position.data_ptr<float>(),
                                 .time = time.data_ptr<float>(),
                                 .camera = camera.data_ptr<float>(),
                                 .aspect = PointerOrNull(aspect),
                                 .log_aspect = PointerOrNull(log_aspect)};
    EmbeddingForward(ShapeOf(out), ElementOf(tokens), inputs, tokens.data_ptr(), out.data_ptr(),
                     StreamOf(tokens));
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const at::Tensor log_aspect = context->get_saved_variables()[0];
    const at::Tensor of_out = gradients[0].contiguous();
    const EmbeddingShape shape = ShapeOf(of_out);
    const at::Tensor of_tokens =
        at::empty({shape.windows, shape.frames, shape.tokens, shape.channels}, of_out.options());
    const at::Tensor parts = at::empty({kEmbeddingParts, 2, shape.frames, 1 + shape.tokens, shape.channels},
                                       of_out.options().dtype(at::kFloat));
    EmbeddingBackward(shape, ElementOf(of_out), PointerOrNull(log_aspect), of_out.data_ptr(),
                      of_tokens.data_ptr(), parts.data_ptr<float>(), StreamOf(of_out));
    const at::Tensor sums = parts.select(1, 0).sum(0);
    const at::Tensor of_added = sums.narrow(1, 1, shape.tokens);
    at::Tensor of_aspect;
    if (log_aspect.numel() > 0) of_aspect = parts.select(1, 1).narrow(2, 1, shape.tokens).sum({0, 1, 2});
    return {of_tokens, {}, of_added.sum(0), of_added.sum(1), sums.select(1, 0).sum(0), of_aspect};
  }

 private:
  static EmbeddingShape ShapeOf(const at::Tensor& out) {
    return {out.size(0), static_cast<int>(out.size(1)), static_cast<int>(out.size(2) - 1),
            static_cast<int>(out.size(3))};
  }

  static const float* PointerOrNull(const at::Tensor& values) {
    return values.numel() > 0 ? values.data_ptr<float>() : nullptr;
  }
};

}  // namespace

std::optional<at::Tensor> FusedEmbedding(const at::Tensor& tokens, const at::Tensor& log_aspect,
                                         const EmbeddingLayer& embedding) {
  if (!HasElement(tokens) || tokens.size(3) % 8 != 0) return std::nullopt;
  const c10::DeviceGuard guard(tokens.device());
  const at::Tensor none = at::empty({0}, embedding.camera.options().requires_grad(false));
  const bool knows_aspect = embedding.aspect.defined();
  return EmbeddingFunction::apply(tokens.contiguous(), knows_aspect ? log_aspect.contiguous() : none,
                                  embedding.position, embedding.time, embedding.camera,
                                  knows_aspect ? embedding.aspect : none);
}

}  // namespace calfvo::train
