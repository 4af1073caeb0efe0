// SPDX-License-Identifier: Apache-2.0
// Whether an input has changed since a run read it.
#pragma once

#include <string>

namespace calfvo {

// A SHA-256 of the names, sizes and modification times of the files of `input`, as OpenInput takes it, and of
// the times of its images; of a dataset's sequence without modification times. File contents are not read, as
// archives are large. Empty for cameras, pipes and what cannot be read.
std::string InputState(const std::string& input);

}  // namespace calfvo
