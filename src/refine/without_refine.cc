// SPDX-License-Identifier: Apache-2.0
// Stands in for refinement where Ceres or OpenCV were not found.
#include "calfvo/error.h"
#include "refine/refiner.h"

namespace calfvo {

class Refiner::Impl {};

bool CanRefine() {
  return false;
}

Refiner::Refiner(const RefineOptions& /*options*/, bool /*live*/, const EdgeCorrelation& /*correlation*/,
                 RefinedSink /*sink*/) {
  throw Error(
      "this build has no geometric refinement: install libceres-dev and libopencv-dev, then build calfvo "
      "again");
}
Refiner::~Refiner() = default;
void Refiner::Add(const FrameRecord& /*frame*/, const TrackedPose& /*pose*/) {}
RefineSummary Refiner::Finish() {
  return {};
}

}  // namespace calfvo
