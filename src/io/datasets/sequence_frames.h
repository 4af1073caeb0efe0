// SPDX-License-Identifier: Apache-2.0
// A sequence of a dataset as a source of frames.
#pragma once

#include <memory>

#include "io/datasets/sequence.h"
#include "io/video/frame_source.h"

namespace calfvo {

// The selected images of a sequence at its times. Read throws where an image cannot be decoded: a benchmark
// must not rest on repeated images.
std::unique_ptr<FrameSource> SequenceFrames(std::unique_ptr<Sequence> sequence, const SourceOptions& options);

}  // namespace calfvo
