// SPDX-License-Identifier: Apache-2.0
#include "core/config/toml_merge.h"

#include <fmt/format.h>

#include <utility>

#include "calfvo/error.h"
#include "core/config/config_text.h"
#include "core/config/toml_reader.h"

namespace calfvo {
namespace {

// Longer chains are circles, or might as well be.
constexpr int kMaxChain = 8;

toml::table ReadChain(const std::filesystem::path& path, int length) {
  if (length > kMaxChain) {
    throw Error(
        fmt::format("{}: extends: a chain of more than {} files, or a circle", path.string(), kMaxChain));
  }
  toml::table table = ParseToml(ReadConfigText(path, "configuration"), path.string());
  const auto base_name = TomlTable(table, path.string(), "").Text("extends");
  if (!base_name) return table;
  table.erase("extends");
  toml::table merged = ReadChain(path.parent_path() / *base_name, length + 1);
  MergeToml(std::move(table), merged);
  return merged;
}

}  // namespace

void MergeToml(toml::table&& over, toml::table& base) {
  for (auto&& [key, node] : over) {
    toml::table* below = base[key.str()].as_table();
    if (node.is_table() && below != nullptr) {
      MergeToml(std::move(*node.as_table()), *below);
    } else {
      base.insert_or_assign(key.str(), std::move(node));
    }
  }
}

toml::table ReadTomlChain(const std::filesystem::path& path) {
  return ReadChain(path, 1);
}

toml::table ParseAssignment(const std::string& assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(fmt::format("'{}' is not of the form table.key=value", assignment));
  }
  const std::string key = assignment.substr(0, equals);
  const std::string value = assignment.substr(equals + 1);
  try {
    return ParseToml(fmt::format("{} = {}", key, value), assignment);
  } catch (const Error&) {
    // A bare word is not TOML; as a literal string it is, unless it has quotes or the key itself is wrong.
    return ParseToml(fmt::format("{} = '{}'", key, value), assignment);
  }
}

}  // namespace calfvo
