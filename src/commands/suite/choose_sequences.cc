// SPDX-License-Identifier: Apache-2.0
#include "commands/suite/choose_sequences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "calfvo/error.h"
#include "core/base/log.h"
#include "io/datasets/split.h"

namespace calfvo {
namespace {

bool Contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

void CheckKinds(const std::vector<std::string>& datasets) {
  const std::vector<std::string> known = DatasetKinds();
  for (const std::string& kind : datasets) {
    if (!Contains(known, kind)) {
      throw Error(fmt::format("unknown dataset '{}'; known are {}", kind, fmt::join(known, ", ")));
    }
  }
}

void WarnOfMissing(const std::filesystem::path& path, const Split& split,
                   const std::vector<FoundSequence>& found) {
  const std::vector<std::string> missing = split.Missing(found);
  if (missing.empty()) return;
  LogWarning("{}: {} of its sequences were not found, the first is {}", path.string(), missing.size(),
             missing[0]);
}

}  // namespace

std::vector<ChosenSequence> ChooseSequences(const SuiteOptions& options) {
  CheckKinds(options.datasets);
  std::vector<FoundSequence> found;
  for (const auto& root : options.data) {
    for (FoundSequence& sequence : FindSequences(root)) found.push_back(std::move(sequence));
  }
  std::vector<Split> splits;
  for (const auto& path : options.splits) {
    splits.emplace_back(path);
    WarnOfMissing(path, splits.back(), found);
  }
  const auto is_wanted = [&](const FoundSequence& sequence) {
    const bool in_split =
        splits.empty() || std::any_of(splits.begin(), splits.end(),
                                      [&](const Split& split) { return split.Contains(sequence); });
    return in_split && (options.datasets.empty() || Contains(options.datasets, sequence.kind));
  };
  const size_t all = found.size();
  std::erase_if(found, [&](const FoundSequence& sequence) { return !is_wanted(sequence); });
  if (found.empty()) {
    throw Error(fmt::format("none of the {} sequences found is in the chosen splits and datasets", all));
  }
  std::map<std::pair<std::string, std::string>, std::filesystem::path> names;
  for (const FoundSequence& sequence : found) {
    const auto [first, is_new] = names.try_emplace({sequence.kind, sequence.name}, sequence.path);
    if (!is_new) {
      throw Error(fmt::format("{} and {} are both called {} {}; give --data that holds one of them",
                              first->second.string(), sequence.path.string(), sequence.kind, sequence.name));
    }
  }
  std::vector<ChosenSequence> chosen;
  for (FoundSequence& sequence : found) {
    InvalidPoses what = options.invalid_poses.value_or(InvalidPoses::kKeep);
    for (const Split& split : splits) {
      if (options.invalid_poses || !split.Contains(sequence)) continue;
      what = split.invalid_poses(sequence.kind).value_or(what);
    }
    chosen.push_back({std::move(sequence), what});
  }
  return chosen;
}

}  // namespace calfvo
