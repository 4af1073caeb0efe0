// SPDX-License-Identifier: Apache-2.0
#include "vo/image_preparer.h"

namespace calfvo {

ImagePreparer::ImagePreparer(const InputConfig& config, Backend& backend) : config_(config) {
  on_device_ = backend.MakeImageResampler(NormaliseBytes(config));
  if (on_device_ == nullptr) on_host_.emplace(config);
}

void ImagePreparer::Run(const ImageView& image, float* out) {
  if (on_host_) {
    const auto side = static_cast<size_t>(config_.size);
    on_host_->Run(image, {out, 3 * side * side});
    return;
  }
  const ResizePlan plan = PlanInput(config_, image);
  if (plan != plan_) {
    plan_.reset();  // in case that the new one fails
    on_device_->SetAxes(WeightsAlongX(plan).axis(), WeightsAlongY(plan).axis());
    plan_ = plan;
  }
  const ImageView rgb = AsRgb(image, rgb_);
  on_device_->Run(rgb.pixels, rgb.stride, out);
}

}  // namespace calfvo
