// SPDX-License-Identifier: Apache-2.0
#include "vo/model_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "core/base/own_file.h"
#include "core/base/sha256.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> ModelFolders() {
  std::vector<fs::path> folders;
  if (const char* chosen = std::getenv("CALFVO_MODELS"); chosen != nullptr && *chosen != '\0') {
    folders.emplace_back(chosen);
  }
  const fs::path prefix = OwnFile().parent_path().parent_path();
  for (const fs::path& up : {prefix, prefix.parent_path()}) {
    folders.push_back(up / "share" / "calfvo" / "models");
  }
  folders.emplace_back(CALFVO_SOURCE_MODELS);
  return folders;
}

// Models that are shipped stand in a list as sha256sum(1) writes it.
void CheckListedHash(const fs::path& path) {
  std::ifstream list(path.parent_path() / "SHA256SUMS");
  std::string hash, name;
  while (list >> hash >> name) {
    if (name != path.filename()) continue;
    const std::string actual = Sha256OfFile(path);
    if (actual == hash) return;
    throw Error(
        fmt::format("{}: damaged: its SHA-256 is {}, SHA256SUMS beside it says {}; get the file again",
                    path.string(), actual, hash));
  }
}

ChosenModel MakeRandom(const std::string& name) {
  const std::string rest = name.substr(name.find(':') + 1);
  const size_t colon = rest.find(':');
  uint64_t seed = 1;
  if (colon != std::string::npos) {
    const char* end = rest.data() + rest.size();
    const auto [stop, error] = std::from_chars(rest.data() + colon + 1, end, seed);
    if (error != std::errc() || stop != end) {
      throw Error(fmt::format("model '{}': '{}' is not a seed; expected a whole number from 0", name,
                              rest.substr(colon + 1)));
    }
  }
  ModelFile model = RandomModel(NamedConfig(rest.substr(0, colon)), seed);
  model.config.name = fmt::format("random:{}:{}", model.config.name, seed);
  return {std::move(model), {}, name};
}

}  // namespace

bool IsModelFileName(const std::string& name) {
  std::error_code ignored;
  return fs::exists(name, ignored) && !fs::is_directory(name, ignored);
}

ChosenModel OpenModel(const std::string& name) {
  if (name.starts_with("random:")) return MakeRandom(name);
  if (IsModelFileName(name)) return {LoadModelFile(name), name, name};
  std::error_code ignored;
  std::vector<std::string> tried = {name + (fs::exists(name, ignored) ? " (which is a folder)" : "")};
  if (fs::path(name).filename() == name) {
    for (const fs::path& folder : ModelFolders()) {
      const fs::path path = folder / (name + ".safetensors");
      if (fs::exists(path, ignored)) {
        CheckListedHash(path);
        return {LoadModelFile(path), path, name};
      }
      tried.push_back(path.string());
    }
  }
  throw Error(fmt::format("no model '{}'; looked for {}", name, fmt::join(tried, ", ")));
}

}  // namespace calfvo
