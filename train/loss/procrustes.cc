// SPDX-License-Identifier: Apache-2.0
#include "loss/procrustes.h"

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "loss/procrustes_one.h"

#ifdef CALFVO_HAVE_CUDA
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "loss/procrustes_cuda.h"
#endif

namespace calfvo::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kGrain = 256;  // matrices that are worth a thread

class NearestRotationsFunction : public torch::autograd::Function<NearestRotationsFunction> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& input) {
    const torch::Tensor matrices = input.contiguous();
    torch::Tensor rotations = torch::empty_like(matrices);
    const int64_t count = matrices.numel() / 9;
    AT_DISPATCH_FLOATING_TYPES(matrices.scalar_type(), "NearestRotations", [&] {
      const scalar_t* in = matrices.data_ptr<scalar_t>();
      scalar_t* out = rotations.data_ptr<scalar_t>();
#ifdef CALFVO_HAVE_CUDA
      if (matrices.is_cuda()) {
        const c10::cuda::CUDAGuard guard(matrices.device());
        LaunchNearestRotation(in, out, count, c10::cuda::getCurrentCUDAStream());
        return;
      }
#endif
      at::parallel_for(0, count, kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) NearestRotationOne(in + 9 * i, out + 9 * i);
      });
    });
    context->save_for_backward({matrices, rotations});
    return rotations;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor& matrices = saved[0];
    const torch::Tensor& rotations = saved[1];
    const torch::Tensor gradient = gradients[0].contiguous();
    torch::Tensor result = torch::empty_like(matrices);
    const int64_t count = matrices.numel() / 9;
    AT_DISPATCH_FLOATING_TYPES(matrices.scalar_type(), "NearestRotations backward", [&] {
      const scalar_t* matrix = matrices.data_ptr<scalar_t>();
      const scalar_t* rotation = rotations.data_ptr<scalar_t>();
      const scalar_t* in = gradient.data_ptr<scalar_t>();
      scalar_t* out = result.data_ptr<scalar_t>();
#ifdef CALFVO_HAVE_CUDA
      if (matrices.is_cuda()) {
        const c10::cuda::CUDAGuard guard(matrices.device());
        LaunchNearestRotationBackward(matrix, rotation, in, out, count, c10::cuda::getCurrentCUDAStream());
        return;
      }
#endif
      at::parallel_for(0, count, kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          NearestRotationOneBackward(matrix + 9 * i, rotation + 9 * i, in + 9 * i, out + 9 * i);
        }
      });
    });
    return {result};
  }
};

}  // namespace

torch::Tensor NearestRotations(const torch::Tensor& matrices) {
  return NearestRotationsFunction::apply(matrices);
}

}  // namespace calfvo::train
