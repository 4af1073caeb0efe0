// SPDX-License-Identifier: Apache-2.0
#include "estimator/picture_preparer.h"

namespace calfvo {

PicturePreparer::PicturePreparer(const InputConfig& config, Backend& backend) : config_(config) {
  on_device_ = backend.MakePictureResampler(NormaliseBytes(config));
  if (on_device_ == nullptr) on_host_.emplace(config);
}

void PicturePreparer::Run(const ImageView& picture, float* out) {
  if (on_host_) {
    const auto side = static_cast<size_t>(config_.size);
    on_host_->Run(picture, {out, 3 * side * side});
    return;
  }
  const ResizePlan plan = PlanInput(config_, picture);
  if (plan != plan_) {
    plan_.reset();  // in case that the new one fails
    on_device_->SetAxes(WeightsAlongX(plan).axis(), WeightsAlongY(plan).axis());
    plan_ = plan;
  }
  on_device_->Run(picture.pixels, picture.stride, out);
}

}  // namespace calfvo
