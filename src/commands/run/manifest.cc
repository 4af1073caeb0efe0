// SPDX-License-Identifier: Apache-2.0
#include "commands/run/manifest.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>

#include "calfvo/error.h"
#include "commands/run/run_input.h"
#include "core/base/line_reader.h"
#include "core/base/unique_names.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxManifestEntries = 10'000'000;

// Folder names that need no quoting anywhere.
std::string SafeName(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || (c == '.' && !name.empty());
    name += plain ? c : '_';
  }
  return name.empty() ? "video" : name;
}

std::string DefaultName(const std::string& input) {
  fs::path path(input);
  if (path.filename().empty()) path = path.parent_path();  // a folder with a slash at its end
  return SafeName(path.stem().string());
}

}  // namespace

std::vector<ManifestEntry> ReadManifest(const fs::path& path) {
  std::ifstream stream(path);
  if (!stream || fs::is_directory(path)) throw Error(fmt::format("{}: cannot be read", path.string()));
  LineReader lines(stream, path.string());
  std::vector<ManifestEntry> entries;
  UniqueNames names;
  for (std::string_view view; (view = lines.Next()).data() != nullptr;) {
    const std::string line(view);
    if (entries.empty() && line.starts_with("\xef\xbb\xbf")) {
      lines.Fail(
          "begins with a byte order mark, which would be part of the first path; save it as UTF-8 without "
          "one");
    }
    if (entries.size() == kMaxManifestEntries) {
      lines.Fail(fmt::format("over {} inputs; split the manifest", kMaxManifestEntries));
    }
    const size_t tab = line.find('\t');
    ManifestEntry entry{.input = line.substr(0, tab), .name = ""};
    if (entry.input.empty()) lines.Fail("no input before the tab");
    if (tab != std::string::npos) {
      entry.name = line.substr(tab + 1);
      if (entry.name != SafeName(entry.name)) {
        lines.Fail(
            fmt::format("'{}' is not a folder name; use letters, digits, '-', '_' and '.'", entry.name));
      }
      if (!names.Take(entry.name))
        lines.Fail(fmt::format("the name '{}' is taken by a line above", entry.name));
    } else {
      entry.name = names.TakeNumbered(DefaultName(InputPath(entry.input)));
    }
    if (IsPath(entry.input)) {
      const std::string below = InputPath(entry.input);
      const std::string prefix = entry.input.substr(0, entry.input.size() - below.size());
      entry.input = prefix + (path.parent_path() / below).string();
    }
    entries.push_back(std::move(entry));
  }
  if (entries.empty()) throw Error(fmt::format("{}: holds no inputs; expected one per line", path.string()));
  return entries;
}

Shard ParseShard(std::string_view text) {
  Shard shard;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shard.index);
  const bool slash = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
  const auto second = slash ? std::from_chars(first.ptr + 1, end, shard.count) : first;
  if (!slash || second.ec != std::errc() || second.ptr != end || shard.count < 1 || shard.index < 1 ||
      shard.index > shard.count) {
    throw Error(fmt::format("shard '{}': expected I/N with I from 1 to N, such as 3/16", text));
  }
  return shard;
}

std::vector<ManifestEntry> TakeShard(const std::vector<ManifestEntry>& entries, Shard shard) {
  std::vector<ManifestEntry> mine;
  for (size_t i = static_cast<size_t>(shard.index) - 1; i < entries.size();
       i += static_cast<size_t>(shard.count)) {
    mine.push_back(entries[i]);
  }
  return mine;
}

}  // namespace calfvo
