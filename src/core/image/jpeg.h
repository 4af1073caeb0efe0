// SPDX-License-Identifier: Apache-2.0
// Images to JPEG. image_decoder.h has the other direction.
#pragma once

#include <string>

#include "core/image/image_view.h"

namespace calfvo {

// False in a build without libjpeg.
bool CanEncodeJpeg();

// The bytes of a baseline JPEG of an RGB image; `quality` is libjpeg's, 1 to 100. The same image gives the
// same bytes with the same libjpeg. Throws Error for another kind or size of image, and where CanEncodeJpeg
// is false.
std::string EncodeJpeg(const ImageView& image, int quality);

}  // namespace calfvo
