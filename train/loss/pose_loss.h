// SPDX-License-Identifier: Apache-2.0
// The paper's training objective, equations (4) to (7), and the auxiliary loss on image motion. Nothing here
// waits for the device or depends on values in its control flow, so a step can be captured in a CUDA graph.
#pragma once

#include <torch/types.h>

#include "data/window_stream.h"
#include "nn/architecture/model_config.h"

namespace calfvo::train {

// Poses out of raw head outputs, differentiable; what Network::Interpret does, for batches.
struct PosePrediction {
  torch::Tensor rotation;     // [..., 3, 3]
  torch::Tensor translation;  // [..., 3] metres
  torch::Tensor u_rotation;   // [...] without the configuration's shift; undefined without confidence
  torch::Tensor u_translation;
};
PosePrediction InterpretValues(const torch::Tensor& values, const HeadConfig& head);

struct LossOptions {
  // What counts as an error of 1, so that both terms start near one: the shipped model's u are in these
  // units, and the exported file's log_variance_shift turns them into radians and metres.
  double rotation_unit_rad = 0.017453292519943295;
  double translation_unit_m = 0.03;
  // Log-variances are clamped to this range in the loss. Outside of it only gradients that lead back pass.
  double min_u = -6.0;
  double max_u = 6.0;
  double motion_weight = 0.0;  // of the mean absolute error of image motion where it is known, in patches

  void Validate() const;  // throws Error naming the field
};

// Means over the batch, scalars on the device. `total` has the gradient; the rest are detached.
struct LossTerms {
  torch::Tensor total;
  torch::Tensor rotation_deg;   // geodesic error
  torch::Tensor translation_m;  // Euclidean error
  torch::Tensor motion;         // mean absolute error, patches; zero without the motion head
};
// `motion` is NetworkOutput::motion, undefined without the motion head.
LossTerms PoseLoss(const torch::Tensor& values, const torch::Tensor& motion, const WindowBatch& batch,
                   const HeadConfig& head, const LossOptions& options);

// The geodesic angle in radians between rotations [..., 3, 3]: exact and with a finite gradient at 0 and at
// π.
torch::Tensor GeodesicAngle(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace calfvo::train
