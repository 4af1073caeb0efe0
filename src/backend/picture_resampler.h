// SPDX-License-Identifier: Apache-2.0
// Decoded pictures to the network's input, on a device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "portable/resample.h"

namespace calfvo {

// Resamples RGB pictures along x, then along y, with 8-bit values between, and normalises: to the bit what
// Preprocessor does on the host (frames/preprocessor.h). One thread at a time; that may be another one than
// the backend's, beside it.
class PictureResampler {
 public:
  virtual ~PictureResampler() = default;  // waits for what it is making

  // How the pictures that follow become along_x.size × along_y.size pixels. Borrows the axes, in host memory,
  // for the call.
  virtual void SetAxes(const portable::ResampleAxis& along_x, const portable::ResampleAxis& along_y) = 0;

  // `rgb`, rows `stride` bytes apart, has all pixels that the axes use, and is borrowed for the call. `out`
  // [3, height, width] is the backend's memory; only Backend::UploadPictures may read it, which waits until
  // it is filled.
  virtual void Run(const uint8_t* rgb, ptrdiff_t stride, float* out) = 0;
};

}  // namespace calfvo
