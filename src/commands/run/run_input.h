// SPDX-License-Identifier: Apache-2.0
// What `calfvo run` takes in: everything that io/video/frame_source.h opens, and sequences of datasets.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/video/frame_source.h"

namespace calfvo {

inline constexpr std::string_view kDatasetPrefix = "dataset:";

// "dataset:PATH" is the only sequence at or below PATH (io/datasets/sequence.h), anything else as OpenFrames
// takes it. A stream can be chosen of videos and cameras only.
std::unique_ptr<FrameSource> OpenInput(const std::string& input, const SourceOptions& options);

// `input` without "dataset:".
std::string InputPath(const std::string& input);

// Whether `input` is a path, also one after "dataset:", and not a pipe or a graph of FFmpeg's.
bool IsPath(const std::string& input);

// `input` such that it means the same from any folder: paths absolute and without links.
std::string AbsoluteInput(const std::string& input);

}  // namespace calfvo
