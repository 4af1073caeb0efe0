// SPDX-License-Identifier: Apache-2.0
// An evaluation as pictures and as one page to send to somebody.
#pragma once

#include <filesystem>

#include "report/figures.h"

namespace calfvo {

// Writes path, position, orientation and errors as .svg and .png, and report.html, into `folder`, which is
// made if need be. The page holds its pictures itself: it needs no other file and no network.
void WriteReport(const EvaluatedPair& pair, const std::filesystem::path& folder,
                 ViewPlane plane = ViewPlane::kAuto);

}  // namespace calfvo
