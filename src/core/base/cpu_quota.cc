// SPDX-License-Identifier: Apache-2.0
#include "core/base/cpu_quota.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace calfvo {
namespace {

namespace fs = std::filesystem;

// The process's group in the hierarchy of version 2, or in that of version 1 which limits time.
struct Group {
  bool is_v2 = false;
  fs::path path;
};

struct Mount {
  Group group;  // the one to be seen at `point`, with those below it
  fs::path point;
};

bool HasCpu(const std::string& comma_separated) {
  std::istringstream stream(comma_separated);
  for (std::string name; std::getline(stream, name, ',');) {
    if (name == "cpu") return true;
  }
  return false;
}

// Lines of proc/self/cgroup are NUMBER:CONTROLLERS:GROUP, and 0::GROUP for version 2.
std::vector<Group> ReadGroups(const fs::path& path) {
  std::vector<Group> groups;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream fields(line);
    std::string number;
    std::string controllers;
    std::string group;
    std::getline(fields, number, ':');
    std::getline(fields, controllers, ':');
    if (!std::getline(fields, group)) continue;
    const bool is_v2 = number == "0" && controllers.empty();
    if (is_v2 || HasCpu(controllers)) groups.push_back({is_v2, group});
  }
  return groups;
}

// Spaces, tabs, line ends and backslashes are written as \040 there.
std::string WithoutEscapes(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    const std::string_view digits = text.substr(i + 1, 3);
    const char* end = digits.data() + digits.size();
    if (text[i] == '\\' && digits.size() == 3 && std::from_chars(digits.data(), end, code, 8).ptr == end &&
        code > 0 && code < 256) {
      result += static_cast<char>(code);
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

// Lines of proc/self/mountinfo: ID PARENT DEVICE ROOT POINT OPTIONS [FIELD …] - TYPE SOURCE OPTIONS.
std::vector<Mount> ReadMounts(const fs::path& path) {
  std::vector<Mount> mounts;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream fields(line.substr(0, dash));
    std::istringstream system(line.substr(dash + 3));
    std::string skipped;
    std::string group;
    std::string point;
    std::string type;
    std::string options;
    fields >> skipped >> skipped >> skipped >> group >> point;
    system >> type >> skipped >> options;
    if (!fields || !system) continue;
    const bool is_v2 = type == "cgroup2";
    if (!is_v2 && (type != "cgroup" || !HasCpu(options))) continue;
    mounts.push_back({{is_v2, WithoutEscapes(group)}, WithoutEscapes(point)});
  }
  return mounts;
}

std::optional<int64_t> ParsePositive(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [parsed_to, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || parsed_to != end || value <= 0) return {};
  return value;
}

std::string FirstWord(std::istream&& stream) {
  std::string word;
  stream >> word;
  return word;
}

// No quota is "max PERIOD" in version 2, and -1 in version 1.
std::optional<int64_t> QuotaOf(const fs::path& group, bool is_v2) {
  std::string quota;
  std::string period;
  if (is_v2) {
    std::ifstream(group / "cpu.max") >> quota >> period;
  } else {
    quota = FirstWord(std::ifstream(group / "cpu.cfs_quota_us"));
    period = FirstWord(std::ifstream(group / "cpu.cfs_period_us"));
  }
  const std::optional<int64_t> quota_us = ParsePositive(quota);
  const std::optional<int64_t> period_us = ParsePositive(period);
  if (!quota_us || !period_us) return {};
  return *quota_us / *period_us + (*quota_us % *period_us == 0 ? 0 : 1);
}

std::optional<int64_t> SmallerOf(std::optional<int64_t> a, std::optional<int64_t> b) {
  return a && b ? std::min(a, b) : a ? a : b;
}

// Of the group and those above it, as far as they are to be seen at the mount.
std::optional<int64_t> QuotaWithin(const Group& group, const Mount& mount, const fs::path& root) {
  const fs::path below = group.path.lexically_relative(mount.group.path);
  if (group.is_v2 != mount.group.is_v2 || below.empty() || *below.begin() == "..") return {};
  fs::path folder = root / mount.point.relative_path();
  std::optional<int64_t> quota = QuotaOf(folder, group.is_v2);
  for (const fs::path& name : below) {
    folder /= name;
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) break;
    quota = SmallerOf(quota, QuotaOf(folder, group.is_v2));
  }
  return quota;
}

}  // namespace

std::optional<int64_t> CpuQuota(const fs::path& root) {
  const std::vector<Group> groups = ReadGroups(root / "proc/self/cgroup");
  std::optional<int64_t> quota;
  for (const Mount& mount : ReadMounts(root / "proc/self/mountinfo")) {
    for (const Group& group : groups) quota = SmallerOf(quota, QuotaWithin(group, mount, root));
  }
  return quota;
}

}  // namespace calfvo
