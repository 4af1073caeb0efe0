// SPDX-License-Identifier: Apache-2.0
// Pictures of a sequence in the network's input size: decoded when asked for, or from a file that holds them
// ready, so that training does not wait for JPEG decoding.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "base/thread_pool.h"
#include "datasets/sequence.h"
#include "weights/model_config.h"

namespace calfvo::train {

struct PictureShape {
  int width = 1;  // pixels
  int height = 1;
};

class PictureStore {
 public:
  virtual ~PictureStore() = default;

  // Frames start, start + stride, … into `out` [count, size, size, 3]; count follows from its size. Returns
  // the shape that the first of them had before it was resized; packed sequences know only that of their very
  // first picture. May be called from several threads at once.
  virtual PictureShape Read(int64_t start, int64_t stride, std::span<uint8_t> out) const = 0;
};

// Borrows `source`.
std::unique_ptr<PictureStore> DecodeWhenAsked(const SequenceSource& source, const InputConfig& input);

// The first `count` frames of a sequence out of a file in `folder`, which is made first where it is not
// there: 3·size² bytes a frame, and the first one's shape. The file's name holds a hash of everything its
// content depends on (the pictures' names, the input's size and how it is resized), so that a changed
// sequence gets a new file. Throws Error naming the file where it is damaged, and saying that it may be
// deleted.
std::unique_ptr<PictureStore> OpenPacked(const SequenceSource& source, int64_t count,
                                         const InputConfig& input, const std::filesystem::path& folder,
                                         ThreadPool& threads);

// The file that OpenPacked makes.
std::filesystem::path PackedPath(const SequenceSource& source, int64_t count, const InputConfig& input,
                                 const std::filesystem::path& folder);

}  // namespace calfvo::train
