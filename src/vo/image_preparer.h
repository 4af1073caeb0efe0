// SPDX-License-Identifier: Apache-2.0
// Decoded images to the network's input, in the memory and on the device of a backend.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "nn/architecture/preprocessor.h"
#include "nn/backend/backend.h"

namespace calfvo {

// Not thread-safe, but may run concurrently with the backend.
class ImagePreparer {
 public:
  // Borrows `backend`.
  ImagePreparer(const InputConfig& config, Backend& backend);

  // Writes the bits of Preprocessor::Run into `out` [3, size, size] in the backend's memory. Only
  // Backend::UploadImages may read it: it waits until the image is complete.
  void Run(const ImageView& image, float* out);

 private:
  const InputConfig config_;
  std::unique_ptr<ImageResampler> on_device_;
  std::optional<ResizePlan> plan_;       // of the images that the device expects
  std::vector<uint8_t> rgb_;             // images of other formats, for the device
  std::optional<Preprocessor> on_host_;  // without a device
};

}  // namespace calfvo
