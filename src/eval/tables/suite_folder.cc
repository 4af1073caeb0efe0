// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/suite_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "calfvo/error.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

// Folders below `kind_folder` with a result. Below these are results of the sweep of overlaps, which are not
// looked for.
std::vector<fs::path> FindResults(const fs::path& kind_folder) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::recursive_directory_iterator entry(kind_folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code is_not_there;
    if (!fs::is_regular_file(entry->path() / "result.json", is_not_there)) continue;
    found.push_back(entry->path());
    entry.disable_recursion_pending();
  }
  if (error) throw Error(fmt::format("{}: cannot be read: {}", kind_folder.string(), error.message()));
  std::sort(found.begin(), found.end());
  return found;
}

SuiteFolder ReadSuiteFolder(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    throw Error(fmt::format("{}: {}", path.string(), error ? error.message() : "is not a folder"));
  }
  SuiteFolder folder{.name = path.lexically_normal().string()};
  if (folder.name.size() > 1 && folder.name.ends_with('/')) folder.name.pop_back();
  std::optional<SuiteResult> first;
  for (const std::string& kind : DatasetKinds()) {
    if (!fs::is_directory(path / kind, error)) continue;
    for (const fs::path& found : FindResults(path / kind)) {
      SuiteResult result = ReadSuiteResult(found / "result.json");
      if (!first) first = result;
      if (!HaveSameSettings(*first, result)) {
        throw Error(
            fmt::format("{}: is a result of other settings ({}) than the first of its folder ({}); compare "
                        "folders that one suite each has filled",
                        (found / "result.json").string(), SettingsText(result), SettingsText(*first)));
      }
      if (!folder.design) folder.design = result.design;
      folder.sequences.push_back(
          {.found = {kind, found.lexically_relative(path / kind).string(), ""}, .frames = result.frames});
      folder.sequences.back().results.emplace(result.overlap, std::move(result));
    }
  }
  if (!first) {
    throw Error(
        path.string() +
        ": no results of `calfvo suite` (DATASET/SEQUENCE/result.json); give a folder that was its -o");
  }
  folder.overlap = first->overlap;
  folder.flip = first->flip;
  folder.backend = first->backend;
  return folder;
}

}  // namespace

std::vector<SuiteFolder> ReadSuiteFolders(const std::vector<fs::path>& paths) {
  std::vector<SuiteFolder> folders;
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    folders.push_back(ReadSuiteFolder(*path));
    const auto same = std::find_if(paths.begin(), path,
                                   [&](const fs::path& other) { return fs::equivalent(other, *path); });
    if (same != path) {
      throw Error(fmt::format("{} and {} are the same folder; give it once", same->string(), path->string()));
    }
  }
  return folders;
}

}  // namespace calfvo
