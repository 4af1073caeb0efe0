// SPDX-License-Identifier: Apache-2.0
// The folder of resized images (image_store.h), filled by the processes of a run together.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "data/dataset_stream.h"
#include "loop/processes.h"

namespace calfvo::train {

struct ImageCache {
  std::filesystem::path folder;  // empty: none
  InputConfig input;
  int threads = 0;  // that decode; 0 means one per core
};

// Packs the images of all sequences that are missing in the cache. One process per machine packs, each from
// another place of the list on, and the others wait: machines with a common folder share the work, others
// fill their own. What is there already, also of a run that was killed, stays. Every process makes this call.
// False if `should_stop` ended it in one of them. Throws Error where an image cannot be read, in one process
// with the reason and in the others without, and where the disk has too little space.
bool FillImageCache(const std::vector<Dataset>& datasets, const ImageCache& cache, Processes& processes,
                    const std::function<bool()>& should_stop, bool quiet);

}  // namespace calfvo::train
