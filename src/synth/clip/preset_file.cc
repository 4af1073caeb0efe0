// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/preset_file.h"

#include <set>
#include <system_error>

#include "calfvo/error.h"

namespace calfvo {

std::vector<std::filesystem::path> PresetFolders(const std::filesystem::path& executable) {
  std::vector<std::filesystem::path> candidates;
  const std::filesystem::path folder = executable.parent_path();
  candidates.push_back(folder.parent_path() / "share" / "calfvo" / "synth");
  // A program in build/PRESET/ lies two levels below the source tree.
  std::filesystem::path above = folder;
  for (int level = 0; level < 4 && above != above.parent_path(); ++level) {
    candidates.push_back(above / "configs" / "synth");
    above = above.parent_path();
  }
  candidates.emplace_back(CALFVO_INSTALLED_PRESETS);
  std::vector<std::filesystem::path> folders;
  for (const auto& candidate : candidates) {
    std::error_code ignored;
    if (std::filesystem::is_directory(candidate, ignored)) folders.push_back(candidate);
  }
  return folders;
}

std::vector<std::string> PresetNames(const std::vector<std::filesystem::path>& folders) {
  std::set<std::string> names;
  for (const auto& folder : folders) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".toml") names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

std::filesystem::path FindPreset(const std::string& name_or_path,
                                 const std::vector<std::filesystem::path>& folders) {
  std::filesystem::path path(name_or_path);
  if (name_or_path.find('/') != std::string::npos || path.extension() == ".toml") return path;
  for (const auto& folder : folders) {
    std::filesystem::path candidate = folder / (name_or_path + ".toml");
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored)) return candidate;
  }
  std::string known;
  for (const std::string& name : PresetNames(folders)) known += (known.empty() ? "" : ", ") + name;
  throw Error("unknown preset '" + name_or_path + "'; " +
              (known.empty() ? "no presets were found; give a .toml file"
                             : "known are " + known + ", or a .toml file"));
}

}  // namespace calfvo
