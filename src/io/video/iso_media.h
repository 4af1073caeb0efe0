// SPDX-License-Identifier: Apache-2.0
// The boxes of MP4, MOV and 3GP files (ISO/IEC 14496-12), as far as they show what is missing.
#pragma once

#include <filesystem>

namespace calfvo {

// Whether the file begins like one of these and ends before or within its index, the moov box, without which
// no frame can be found. Phones write it last, when a recording is ended. Reads the headers of at most some
// thousand boxes. False where that is unknown, and for images in such boxes (HEIC, AVIF), which have
// another index.
bool EndsBeforeIndex(const std::filesystem::path& path);

}  // namespace calfvo
