// SPDX-License-Identifier: Apache-2.0
// Some of a reader's frames: every n-th between two times, at times of a given rate.
#pragma once

#include <memory>

#include "frames/frame_reader.h"

namespace calfvo {

// What `options` say about rate, stride, start and end, applied to all frames of `reader`.
std::unique_ptr<FrameSource> SelectFrames(std::unique_ptr<FrameReader> reader, const SourceOptions& options);

}  // namespace calfvo
