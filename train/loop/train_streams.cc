// SPDX-License-Identifier: Apache-2.0
#include "loop/train_streams.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "data/dataset_stream.h"
#include "data/mixture_stream.h"
#include "data/procedural_stream.h"
#include "loop/image_cache.h"
#include "loop/open_dataset.h"

namespace calfvo::train {
namespace {

// What a process has of the windows of one kind that are in a batch of all processes.
struct Part {
  int first = 0;
  int count = 0;
};

// How many of a step's `batch` windows, over all processes, are procedural.
int ProceduralWindows(const TrainOptions& options, int batch) {
  const double procedural = options.data.procedural_share;
  double recorded = 0.0;
  for (const DatasetOptions& dataset : options.data.datasets) recorded += dataset.sampling.share;
  const double all = procedural + recorded;
  if (!(all > 0.0)) throw Error("data: all shares are zero; expected one above zero");
  const auto windows = static_cast<int>(std::lround(batch * procedural / all));
  const auto check = [&](const char* kind, double share, int count) {
    if (share == 0.0 || count > 0) return;
    throw Error(
        fmt::format("data: {} video has {:.3g} % of the shares, less than one window of the {} of a step; "
                    "make the batch {:.0f} or more, or the share larger or 0",
                    kind, 100.0 * share / all, batch, std::ceil(all / share)));
  };
  check("procedural", procedural, windows);
  check("recorded", recorded, batch - windows);
  return windows;
}

// Numbers differ by one at most where they cannot be equal. Rounded up, so that rank 0, which logs, has some.
Part ProceduralPart(int windows, const Processes& processes) {
  const auto begin = [&](int64_t rank) {
    return static_cast<int>((windows * rank + processes.size() - 1) / processes.size());
  };
  return {begin(processes.rank()), begin(processes.rank() + 1) - begin(processes.rank())};
}

std::unique_ptr<WindowStream> OpenDatasets(const TrainOptions& options, const Part& part,
                                           std::vector<Dataset> datasets, torch::Device device) {
  return OpenDatasetStream(std::move(datasets),
                           {.seed = options.loop.seed,
                            .windows = part.count,
                            .first_window = part.first,
                            .frames = options.model.window,
                            .input = options.model.input,
                            .threads = options.data.threads,
                            .batches = options.data.batches,
                            .cache = options.data.cache},
                           device);
}

std::unique_ptr<WindowStream> OpenProcedural(const TrainOptions& options, const Part& part,
                                             torch::Device device) {
  ProceduralOptions procedural = options.data.procedural;
  procedural.seed = options.loop.seed;
  procedural.windows = part.count;
  procedural.first_window = part.first;
  return OpenProceduralStream(procedural, device);
}

}  // namespace

std::unique_ptr<WindowStream> OpenTrainStream(const TrainOptions& options, Processes& processes,
                                              torch::Device device, const std::function<bool()>& should_stop,
                                              bool quiet) {
  const int batch = options.loop.Windows(processes.size());
  const int windows = batch / processes.size();
  const int all_procedural = ProceduralWindows(options, batch);
  const Part procedural = ProceduralPart(all_procedural, processes);
  const Part recorded{processes.rank() * windows - procedural.first, windows - procedural.count};
  std::vector<Dataset> datasets;
  if (all_procedural < batch) {  // for all processes alike, since they fill the cache together
    for (const DatasetOptions& dataset : options.data.datasets)
      datasets.push_back(OpenDataset(dataset, processes.first()));
    const ImageCache cache{options.data.cache, options.model.input, options.data.threads};
    if (!FillImageCache(datasets, cache, processes, should_stop, quiet)) return nullptr;
  }
  std::vector<std::unique_ptr<WindowStream>> parts;
  if (procedural.count > 0) parts.push_back(OpenProcedural(options, procedural, device));
  if (recorded.count > 0) parts.push_back(OpenDatasets(options, recorded, std::move(datasets), device));
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<MixtureStream>(std::move(parts));
}

double ProceduralWeight(const TrainOptions& options, const Processes& processes) {
  const int windows = ProceduralWindows(options, options.loop.Windows(processes.size()));
  if (windows == 0) return 1.0;
  return static_cast<double>(ProceduralPart(windows, processes).count) * processes.size() / windows;
}

}  // namespace calfvo::train
