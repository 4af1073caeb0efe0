// SPDX-License-Identifier: Apache-2.0
// Pictures of the steps that went most wrong, on one sheet.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "report/figures.h"

namespace calfvo {

struct Thumbnail {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgb;  // [height, width, 3]
};

// A step to be shown: the two poses of the estimate that it lies between, and what to write above.
struct ShownStep {
  size_t first = 0;
  size_t second = 0;
  std::string caption;
};

// The largest relative errors of rotation and of translation, with the deviations that were told.
struct WorstSteps {
  std::vector<ShownStep> rotation;
  std::vector<ShownStep> translation;
};

// At most four of each, eight frames apart: such as no window of the usual length shares.
WorstSteps FindWorstSteps(const EvaluatedPair& pair);

// The bytes of a PNG: steps as rows, rotation on the left and translation on the right, each with its picture
// before and after. `thumbnail_of` gives the picture of a pose of the estimate; all have the size of the
// first. Throws Error where one has another.
std::string StepSheetPng(const WorstSteps& steps,
                         const std::function<const Thumbnail&(size_t pose)>& thumbnail_of);

}  // namespace calfvo
