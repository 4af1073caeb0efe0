// SPDX-License-Identifier: Apache-2.0
#include "loop/open_dataset.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "core/base/log.h"
#include "data/posed_frames.h"
#include "io/datasets/split.h"

namespace calfvo::train {

Dataset OpenDataset(const DatasetOptions& options, bool verbose) {
  std::vector<FoundSequence> found = FindSequences(options.path);
  std::optional<Split> split;
  if (!options.split.empty()) {
    split.emplace(options.split);
    const std::vector<std::string> missing = split->Missing(found);
    if (verbose && !missing.empty()) {
      LogWarning("{}: {} of its sequences were not found in {}, the first is {}", options.split.string(),
                 missing.size(), options.path.string(), missing[0]);
    }
    found = split->Select(found);
  }
  if (found.empty()) {
    throw Error(fmt::format("{}: none of the sequences of {} is there", options.path.string(),
                            options.split.string()));
  }
  Dataset dataset{.sampling = options.sampling};
  size_t frames = 0;
  size_t used = 0;
  size_t dropped = 0;
  for (const FoundSequence& sequence : found) {
    auto opened = OpenSequence(sequence);
    frames += opened->frames().size();
    // Frames behind an invalid pose are never used; a split may leave out the whole sequence.
    const bool drops = split && split->invalid_poses(sequence.kind) == InvalidPoses::kDrop;
    if (drops && !WithoutInvalidPoses(OpenSequence(sequence), InvalidPoses::kDrop)) {
      ++dropped;
      continue;
    }
    try {
      dataset.sequences.push_back(FromFirstPose(std::move(opened)));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}; the dataset's split can leave it out, with '{} *' and '!{} {}'",
                              sequence.path.string(), error.what(), sequence.kind, sequence.kind,
                              sequence.name));
    }
    used += PosesUntilInvalid(*dataset.sequences.back()).size();
  }
  if (dataset.sequences.empty()) {
    throw Error(fmt::format("{}: all {} sequences have invalid poses, which {} drops", options.path.string(),
                            dropped, options.split.string()));
  }
  if (verbose) {
    LogInfo("{}: {} sequences, {} of their {} frames can be used", options.sampling.name, found.size(), used,
            frames);
    if (dropped > 0) LogInfo("{}: {} sequences dropped for invalid poses", options.sampling.name, dropped);
  }
  return dataset;
}

}  // namespace calfvo::train
