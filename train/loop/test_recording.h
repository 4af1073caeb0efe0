// SPDX-License-Identifier: Apache-2.0
// A dataset's sequence of a few small frames. Included by tests only.
#pragma once

#include <cstdint>
#include <filesystem>

#include "synth/clip/clip_folder.h"

namespace calfvo::train {

inline void WriteSequence(const std::filesystem::path& folder, uint64_t seed) {
  ThreadPool threads(1);
  ClipOptions options;
  options.seed = seed;
  options.frames = 12;
  options.width = 48;
  options.height = 32;
  options.samples = 1;
  Clip clip(options, threads);
  PrepareClipFolder(folder, false);
  ClipFolder writer(folder, clip, {.video = false}, threads);
  while (auto frame = clip.Next()) writer.Add(*frame);
  writer.Finish();
}

}  // namespace calfvo::train
