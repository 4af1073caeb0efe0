// SPDX-License-Identifier: Apache-2.0
// JSON files in folders of results. They may come from anyone, so their size, keys and nesting are checked
// before they are parsed: the parser is quadratic in keys and recursive in depth.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace calfvo {

// Far above what run.json, the largest, has: two keys for each of RunReport::kMaxDamages, some hundred
// others, and little nesting.
constexpr uintmax_t kMaxJsonBytes = 16 << 20;
constexpr int kMaxJsonKeys = 10'000;  // in all objects together
constexpr int kMaxJsonDepth = 16;

struct BoundedJson {
  std::string text;    // valid JSON within these limits, or empty
  std::string excess;  // what exceeds them: "has over 10000 keys"
};

BoundedJson ReadBoundedJson(const std::filesystem::path& path);

}  // namespace calfvo
