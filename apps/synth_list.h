// SPDX-License-Identifier: Apache-2.0
// What `calfvo synth --list` prints.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace calfvo {

std::string SynthListText(const std::vector<std::filesystem::path>& preset_folders);

}  // namespace calfvo
