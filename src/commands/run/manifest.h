// SPDX-License-Identifier: Apache-2.0
// Many videos, spread over many processes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace calfvo {

// One line of a manifest: an input, and the folder of its results below the output folder.
struct ManifestEntry {
  std::string input;
  std::string name;
};

// One input per line; empty lines and those that start with # are skipped. A tab and a name may follow;
// without one the name is the input's file name without extension, with a number where several share it.
// Relative paths start at the manifest's folder. Names do not depend on the shard. Throws Error with the
// line's number.
std::vector<ManifestEntry> ReadManifest(const std::filesystem::path& path);

// Part `index` of `count`, from 1: "3/16".
struct Shard {
  int index = 1;
  int count = 1;
};
Shard ParseShard(std::string_view text);

// Every count-th entry, from the index-th on.
std::vector<ManifestEntry> TakeShard(const std::vector<ManifestEntry>& entries, Shard shard);

}  // namespace calfvo
