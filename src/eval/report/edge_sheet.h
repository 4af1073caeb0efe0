// SPDX-License-Identifier: Apache-2.0
// The images around the edges with the largest errors, on one sheet.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "eval/report/figures.h"

namespace calfvo {

struct Thumbnail {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgb;  // [height, width, 3]
};

// An edge to be shown: the two poses of the estimate that it lies between, and what to write above.
struct ShownEdge {
  size_t first = 0;
  size_t second = 0;
  std::string caption;
};

// The largest relative errors of rotation and of translation, with their predicted σ.
struct WorstEdges {
  std::vector<ShownEdge> rotation;
  std::vector<ShownEdge> translation;
};

// At most four of each, eight frames apart: such as no window of the usual length shares.
WorstEdges FindWorstEdges(const EvaluatedPair& pair);

// The bytes of a PNG: edges as rows, rotation on the left and translation on the right, each with its image
// before and after. `thumbnail_of` gives the image of a pose of the estimate; all have the size of the
// first. Throws Error where one has another.
std::string EdgeSheetPng(const WorstEdges& edges,
                         const std::function<const Thumbnail&(size_t pose)>& thumbnail_of);

}  // namespace calfvo
