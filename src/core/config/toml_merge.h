// SPDX-License-Identifier: Apache-2.0
// One configuration on top of another.
#pragma once

#include <toml++/toml.h>
#include <filesystem>
#include <string>

namespace calfvo {

// Puts the keys of `over` into `base`: tables are merged key by key, everything else is replaced.
// Moved, nodes keep the file and line they came from; copies would lose them.
void MergeToml(toml::table&& over, toml::table& base);

// A file, on top of the file that its top-level key `extends` names (relative to it), and so on; the key
// itself is left out of the result. Nodes remember the file and line they came from. Throws Error, also for
// files that extend each other in a circle.
toml::table ReadTomlChain(const std::filesystem::path& path);

// "table.key=value" as a table. The value is TOML; where it is none ("calfvo-s"), it is taken as a string.
// Throws Error naming the assignment.
toml::table ParseAssignment(const std::string& assignment);

}  // namespace calfvo
