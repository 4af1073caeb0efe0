// SPDX-License-Identifier: Apache-2.0
// The curves of a run as one page that needs no other file.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "loop/held_out.h"
#include "loop/train_log.h"

namespace calfvo::train {

// Losses, learning rate and speed over steps; for each held-out set the errors with its baselines; the last
// evaluation as a table; its examples with their frames and paths. Written whole or not at all.
void WriteCurvesPage(const TrainLog& log, std::span<const HeldOutExample> examples, std::string_view title,
                     const std::filesystem::path& path);

}  // namespace calfvo::train
