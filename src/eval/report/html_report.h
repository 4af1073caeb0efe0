// SPDX-License-Identifier: Apache-2.0
// An evaluation as images and as one page to share.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eval/report/figures.h"

namespace calfvo {

struct ReportOptions {
  ViewPlane plane = ViewPlane::kAuto;
  std::string largest_errors_png;  // the bytes of EdgeSheetPng, where there are images
};

// Writes path, position, orientation and errors as .svg and .png, largest-errors.png if there is one, and
// report.html into `folder`, which is made if need be. The page holds its images itself: it needs no other
// file and no network.
void WriteReport(const EvaluatedPair& pair, const std::filesystem::path& folder,
                 const ReportOptions& options = {});

// The files that WriteReport always writes: all but largest-errors.png.
std::vector<std::string> ReportFiles();

}  // namespace calfvo
