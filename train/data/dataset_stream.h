// SPDX-License-Identifier: Apache-2.0
// Windows of recorded sequences.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "data/window_sampler.h"
#include "data/window_stream.h"
#include "io/datasets/sequence.h"
#include "nn/architecture/model_config.h"

namespace calfvo::train {

struct Dataset {
  StreamOptions sampling;
  std::vector<std::unique_ptr<Sequence>> sequences;
};

struct DatasetStreamOptions {
  uint64_t seed = 0;
  int windows = 64;      // B, per batch
  int first_window = 0;  // the batch's place in a larger one that several processes share
  int frames = 8;        // K, per window
  InputConfig input;     // size and way of resizing
  int threads = 0;       // that read and decode; 0 means one per core
  int batches = 3;       // that are prepared ahead, 1..64
  // Where set, images are packed there before training starts, and read from there.
  std::filesystem::path cache;

  // Throws Error naming the field, its value and what is expected.
  void Validate() const;
};

// Batches of windows of the datasets, each drawn from one of them by share (window_sampler.h). Threads read
// ahead; the copy to a GPU is queued on the stream that is current when At is called. Motion is not known.
//
// Throws Error for options that make no sense and datasets without windows; At throws it for images that
// cannot be read.
std::unique_ptr<WindowStream> OpenDatasetStream(std::vector<Dataset> datasets,
                                                const DatasetStreamOptions& options, torch::Device device);

}  // namespace calfvo::train
