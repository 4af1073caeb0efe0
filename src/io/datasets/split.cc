// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "calfvo/error.h"
#include "io/datasets/pose_text.h"

namespace calfvo {
namespace {

constexpr std::string_view kInvalidPoses = "@invalid-poses";

}  // namespace

Split::Split(const std::filesystem::path& path) {
  TextFile file(path);
  const std::vector<std::string> kinds = DatasetKinds();
  for (auto line = file.reader().Next(); line.data() != nullptr; line = file.reader().Next()) {
    FieldReader fields(file.reader(), line, ' ', "kind name");
    Rule rule{.kind = std::string(fields.Text()), .name = std::string(fields.Text())};
    const bool is_statement = rule.name == kInvalidPoses;
    const std::string statement(is_statement ? fields.Text() : std::string_view());
    fields.ExpectEnd();
    rule.takes_out = rule.kind.starts_with('!');
    if (rule.takes_out) rule.kind.erase(0, 1);
    rule.is_prefix = rule.name.ends_with('*');
    if (rule.is_prefix) rule.name.pop_back();
    if (std::find(kinds.begin(), kinds.end(), rule.kind) == kinds.end()) {
      file.reader().Fail(
          fmt::format("no dataset '{}'; expected one of {}", rule.kind, fmt::join(kinds, ", ")));
    }
    if (!is_statement) {
      rules_.push_back(std::move(rule));
      continue;
    }
    try {
      invalid_poses_[rule.kind] = InvalidPosesFromName(statement);
    } catch (const Error& error) {
      file.reader().Fail(error.what());
    }
  }
}

bool Split::Rule::Fits(const FoundSequence& sequence) const {
  return sequence.kind == kind && (is_prefix ? sequence.name.starts_with(name) : sequence.name == name);
}

bool Split::Contains(const FoundSequence& sequence) const {
  const auto last =
      std::find_if(rules_.rbegin(), rules_.rend(), [&](const Rule& rule) { return rule.Fits(sequence); });
  return last != rules_.rend() && !last->takes_out;
}

std::vector<FoundSequence> Split::Select(const std::vector<FoundSequence>& found) const {
  std::vector<FoundSequence> selected;
  std::copy_if(found.begin(), found.end(), std::back_inserter(selected),
               [&](const FoundSequence& sequence) { return Contains(sequence); });
  return selected;
}

std::optional<InvalidPoses> Split::invalid_poses(const std::string& kind) const {
  const auto found = invalid_poses_.find(kind);
  if (found == invalid_poses_.end()) return {};
  return found->second;
}

std::vector<std::string> Split::Missing(const std::vector<FoundSequence>& found) const {
  std::vector<std::string> missing;
  for (const Rule& rule : rules_) {
    if (rule.is_prefix || rule.takes_out) continue;
    const bool is_there = std::any_of(found.begin(), found.end(),
                                      [&](const FoundSequence& sequence) { return rule.Fits(sequence); });
    if (!is_there) missing.push_back(rule.name);
  }
  return missing;
}

}  // namespace calfvo
