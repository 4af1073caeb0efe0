// SPDX-License-Identifier: Apache-2.0
// Images of a sequence in the network's input size: decoded when asked for, or from a file that holds them
// ready, so that training does not wait for JPEG decoding.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "core/base/thread_pool.h"
#include "io/datasets/sequence.h"
#include "nn/architecture/model_config.h"

namespace calfvo::train {

struct ImageShape {
  int width = 1;  // pixels
  int height = 1;
};

class ImageStore {
 public:
  virtual ~ImageStore() = default;

  // Frames start, start + stride, … into `out` [count, size, size, 3]; count follows from its size. Returns
  // the shape that the first of them had before it was resized; packed sequences know only that of their very
  // first image. May be called from several threads at once.
  virtual ImageShape Read(int64_t start, int64_t stride, std::span<uint8_t> out) const = 0;
};

// Borrows `source`.
std::unique_ptr<ImageStore> DecodeWhenAsked(const Sequence& source, const InputConfig& input);

// The first `count` frames of a sequence out of a file in `folder`, which is made first where it is not
// there: 3·size² bytes a frame, and the first one's shape. The file's name holds a hash of everything its
// content depends on (the images' names, the input's size and how it is resized), so that a changed
// sequence gets a new file. Throws Error naming the file where it is damaged, and saying that it may be
// deleted.
std::unique_ptr<ImageStore> OpenPacked(const Sequence& source, int64_t count, const InputConfig& input,
                                       const std::filesystem::path& folder, ThreadPool& threads);

// Makes the file of OpenPacked. False, and nothing done, while another process is making it.
bool PackUnlessLocked(const Sequence& source, int64_t count, const InputConfig& input,
                      const std::filesystem::path& folder, ThreadPool& threads);

// The bytes of that file.
int64_t PackedBytes(int64_t count, const InputConfig& input);

// The file that OpenPacked makes.
std::filesystem::path PackedPath(const Sequence& source, int64_t count, const InputConfig& input,
                                 const std::filesystem::path& folder);

}  // namespace calfvo::train
