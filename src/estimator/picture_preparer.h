// SPDX-License-Identifier: Apache-2.0
// Decoded pictures to the network's input, in the memory and on the device of a backend.
#pragma once

#include <memory>
#include <optional>

#include "backend/backend.h"
#include "frames/preprocessor.h"

namespace calfvo {

// Not thread-safe, but may be used beside the backend.
class PicturePreparer {
 public:
  // `backend` outlives this.
  PicturePreparer(const InputConfig& config, Backend& backend);

  // What Preprocessor::Run makes of `picture`, to the bit, into `out` [3, size, size], the backend's memory.
  // Only Backend::UploadPictures may read it, which waits until it is filled.
  void Run(const ImageView& picture, float* out);

 private:
  const InputConfig config_;
  std::unique_ptr<PictureResampler> on_device_;
  std::optional<ResizePlan> plan_;       // of the pictures that the device expects
  std::optional<Preprocessor> on_host_;  // where there is no device
};

}  // namespace calfvo
