// SPDX-License-Identifier: Apache-2.0
// The public options of reading frames as those of a FrameSource.
#pragma once

#include "calfvo/frames.h"
#include "io/video/frame_source.h"

namespace calfvo {

// Throws Error as FrameOptions::Validate does.
SourceOptions ToSourceOptions(const FrameOptions& options);

}  // namespace calfvo
