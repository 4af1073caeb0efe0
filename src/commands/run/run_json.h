// SPDX-License-Identifier: Apache-2.0
// JSON files in the folder of a run. They may come from anyone, so their size, keys and nesting are checked
// before they are parsed: the parser is quadratic in keys and recursive in depth.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace calfvo {

// Far above what a run writes: two keys for each of RunReport::kMaxDamages, some hundred others, and little
// nesting.
constexpr uintmax_t kMaxRunJsonBytes = 16 << 20;
constexpr int kMaxRunJsonKeys = 10'000;  // in all objects together
constexpr int kMaxRunJsonDepth = 16;

struct RunJson {
  std::string text;    // valid JSON within these limits, or empty
  std::string excess;  // what exceeds them: "has over 10000 keys"
};

RunJson ReadRunJson(const std::filesystem::path& path);

}  // namespace calfvo
