// SPDX-License-Identifier: Apache-2.0
// What `calfvo run` takes in: everything that frames/frame_source.h opens, and sequences of datasets.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "datasets/sequence.h"
#include "frames/frame_source.h"

namespace calfvo {

inline constexpr std::string_view kDatasetPrefix = "dataset:";

// "dataset:PATH" is the only sequence at or below PATH (datasets/sequence.h), anything else as OpenFrames
// takes it. A stream can be chosen of videos and cameras only.
std::unique_ptr<FrameSource> OpenInput(const std::string& input, const SourceOptions& options);

// `input` without "dataset:".
std::string InputPath(const std::string& input);

// Whether `input` is a path, also one after "dataset:", and not a pipe or a graph of FFmpeg's.
bool IsPath(const std::string& input);

// `input` such that it means the same from any folder: paths absolute and without links.
std::string AbsoluteInput(const std::string& input);

// The pictures of a sequence at its times. Where one cannot be read, Next throws: numbers of a benchmark
// should not rest on repeated pictures.
std::unique_ptr<FrameSource> SequenceFrames(std::unique_ptr<SequenceSource> sequence,
                                            const SourceOptions& options);

}  // namespace calfvo
