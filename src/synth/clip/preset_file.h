// SPDX-License-Identifier: Apache-2.0
// Files of presets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace calfvo {

// The folders that hold presets for a program, the nearest first: share/calfvo/synth beside its bin folder,
// configs/synth of the source tree it was built in, and where `make install` would have put them. Folders
// that do not exist are left out.
std::vector<std::filesystem::path> PresetFolders(const std::filesystem::path& executable);

// The file of a preset given by name, or by path: with a slash or ending in .toml. Throws Error listing the
// names there are.
std::filesystem::path FindPreset(const std::string& name_or_path,
                                 const std::vector<std::filesystem::path>& folders);

// All presets in the folders, by name, in order. A name that occurs twice stands for the nearest.
std::vector<std::string> PresetNames(const std::vector<std::filesystem::path>& folders);

}  // namespace calfvo
