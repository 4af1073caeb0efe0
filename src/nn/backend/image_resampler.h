// SPDX-License-Identifier: Apache-2.0
// Preprocessing of images on a device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/portable/resample.h"

namespace calfvo {

// Resamples RGB images along x, then along y, with 8-bit values between, and normalises. Results are equal to
// those of Preprocessor on the host (nn/architecture/preprocessor.h) to the bit. One thread at a time, which
// may run concurrently with the backend's.
class ImageResampler {
 public:
  virtual ~ImageResampler() = default;  // waits for pending images

  // How the images that follow become along_x.size × along_y.size pixels. Borrows the axes, in host memory,
  // for the call.
  virtual void SetAxes(const portable::ResampleAxis& along_x, const portable::ResampleAxis& along_y) = 0;

  // `rgb`, rows `stride` bytes apart, has all pixels that the axes use, and is borrowed for the call. `out`
  // [3, height, width] is the backend's memory; only Backend::UploadImages may read it, which waits until
  // it is filled.
  virtual void Run(const uint8_t* rgb, ptrdiff_t stride, float* out) = 0;
};

}  // namespace calfvo
