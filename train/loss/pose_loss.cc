// SPDX-License-Identifier: Apache-2.0
#include "loss/pose_loss.h"

#include <fmt/format.h>
#include <torch/csrc/autograd/custom_function.h>

#include <vector>

#include "calfvo/error.h"
#include "loss/rotation_heads.h"

namespace calfvo::train {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kDegreesPerRadian = 57.29577951308232;
constexpr double kPatchPixels = 16.0;  // two cells of WindowBatch::motion

// Clamps. The gradient is that of the identity where it leads back into the range and zero where it leads
// further out: a plain clamp would never let a value return.
class ClampInward : public torch::autograd::Function<ClampInward> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& value, double low, double high) {
    context->save_for_backward({value<low, value> high});
    return value.clamp(low, high);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list outside = context->get_saved_variables();
    const Tensor& gradient = gradients[0];
    const Tensor leads_out = (outside[0] & (gradient > 0)) | (outside[1] & (gradient < 0));
    return {gradient.masked_fill(leads_out, 0.0), Tensor(), Tensor()};
  }
};

// √(sum of squares) over the last dimension, with gradient zero at zero.
Tensor Norm(const Tensor& v) {
  const Tensor squared = (v * v).sum(-1);
  const Tensor is_zero = squared < 1e-36;
  return torch::sqrt(squared.masked_fill(is_zero, 1.0)).masked_fill(is_zero, 0.0);
}

// Equation (7), one of its two halves; without confidence the error alone.
Tensor Weighted(const Tensor& error, const Tensor& u, const LossOptions& options) {
  if (!u.defined()) return error;
  const Tensor clamped = ClampInward::apply(u, options.min_u, options.max_u);
  return error * torch::exp(-clamped) + clamped;
}

// Mean absolute error over the known values; those that are not known are NaN in `truth_px`.
Tensor MotionLoss(const Tensor& predicted_patches, const Tensor& truth_px) {
  const Tensor unknown = truth_px.isnan();
  const Tensor error = (predicted_patches - truth_px.masked_fill(unknown, 0.0) / kPatchPixels).abs();
  const Tensor known_count = unknown.logical_not().sum().clamp_min(1);
  return error.masked_fill(unknown, 0.0).sum() / known_count;
}

void CheckPositive(const char* field, double value) {
  if (!(value > 0.0)) throw Error(fmt::format("{} is {}; expected more than 0", field, value));
}

}  // namespace

void LossOptions::Validate() const {
  CheckPositive("rotation_unit_rad", rotation_unit_rad);
  CheckPositive("translation_unit_m", translation_unit_m);
  if (!(min_u >= -30.0 && min_u < max_u && max_u <= 30.0)) {
    throw Error(fmt::format("min_u and max_u are {} and {}; expected -30 to 30, in order", min_u, max_u));
  }
  if (!(motion_weight >= 0.0)) {
    throw Error(fmt::format("motion_weight is {}; expected 0 or more", motion_weight));
  }
}

PosePrediction InterpretValues(const Tensor& values, const HeadConfig& head) {
  const int64_t r = head.rotation_values();
  PosePrediction prediction;
  prediction.rotation = RotationsFromValues(values.narrow(-1, 0, r), head.rotation);
  // One axis at a time: a tensor of means would have to be copied to the device.
  std::vector<Tensor> translation;
  for (int64_t i = 0; i < 3; ++i) {
    const auto axis = static_cast<size_t>(i);
    translation.push_back(values.select(-1, r + i) * head.translation_std[axis] +
                          head.translation_mean[axis]);
  }
  prediction.translation = torch::stack(translation, -1);
  if (head.confidence) {
    prediction.u_rotation = values.select(-1, r + 3);
    prediction.u_translation = values.select(-1, r + 4);
  }
  return prediction;
}

Tensor GeodesicAngle(const Tensor& a, const Tensor& b) {
  // For R = aᵀb, vee(R − Rᵀ) is the sum of b_k × a_k over the rows, of length 2·sin θ, and tr R − 1 is
  // 2·cos θ. Rows of b − a in place of b change nothing but keep the digits of small angles.
  const Tensor twice_sine = Norm(torch::linalg_cross(a, b - a).sum(-2));
  const Tensor twice_cosine = (a * b).sum({-2, -1}) - 1.0;
  return torch::atan2(twice_sine, twice_cosine);
}

LossTerms PoseLoss(const Tensor& values, const Tensor& motion, const WindowBatch& batch,
                   const HeadConfig& head, const LossOptions& options) {
  const PosePrediction predicted = InterpretValues(values, head);
  const Tensor angle_rad = GeodesicAngle(predicted.rotation, batch.rotation);  // equation (5)
  const Tensor difference_m = predicted.translation - batch.translation;
  const Tensor l1_m = difference_m.abs().sum(-1);  // equation (6)
  LossTerms terms;
  terms.total = (Weighted(angle_rad / options.rotation_unit_rad, predicted.u_rotation, options) +
                 Weighted(l1_m / options.translation_unit_m, predicted.u_translation, options))
                    .mean();
  terms.rotation_deg = angle_rad.detach().mean() * kDegreesPerRadian;
  terms.translation_m = Norm(difference_m.detach()).mean();
  terms.motion = values.new_zeros({});
  if (motion.defined() && batch.motion.defined()) {
    const Tensor loss = MotionLoss(motion, batch.motion);
    terms.total = terms.total + options.motion_weight * loss;
    terms.motion = loss.detach();
  }
  return terms;
}

}  // namespace calfvo::train
