// SPDX-License-Identifier: Apache-2.0
// The output of `calfvo synth --list`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace calfvo {

std::string SynthListText(const std::vector<std::filesystem::path>& preset_folders);

}  // namespace calfvo
