// SPDX-License-Identifier: Apache-2.0
#include "loop/train_streams.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "base/log.h"
#include "calfvo/error.h"
#include "data/dataset_stream.h"
#include "data/mixture_stream.h"
#include "data/posed_frames.h"
#include "data/procedural_stream.h"
#include "datasets/split.h"

namespace calfvo::train {
namespace {

// `tells`: what of the dataset is there, and how much of that can be used.
Dataset OpenDataset(const DatasetOptions& options, bool tells) {
  std::vector<FoundSequence> found = FindSequences(options.path);
  if (!options.split.empty()) {
    const Split split(options.split);
    const std::vector<std::string> missing = split.Missing(found);
    if (tells && !missing.empty()) {
      LogWarning("{}: {} of its sequences were not found in {}, the first is {}", options.split.string(),
                 missing.size(), options.path.string(), missing[0]);
    }
    found = split.Select(found);
  }
  if (found.empty()) {
    throw Error(fmt::format("{}: none of the sequences of {} is there", options.path.string(),
                            options.split.string()));
  }
  Dataset dataset{.sampling = options.sampling};
  size_t frames = 0;
  size_t used = 0;
  for (const FoundSequence& sequence : found) {
    auto opened = OpenSequence(sequence);
    frames += opened->frames().size();
    try {
      dataset.sequences.push_back(FromFirstPose(std::move(opened)));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}; the dataset's split can leave it out, with '{} *' and '!{} {}'",
                              sequence.path.string(), error.what(), sequence.kind, sequence.kind,
                              sequence.name));
    }
    used += PosesUntilInvalid(*dataset.sequences.back()).size();
  }
  if (tells) {
    LogInfo("{}: {} sequences, {} of their {} frames can be used", options.sampling.name, found.size(), used,
            frames);
  }
  return dataset;
}

// What a process has of the windows of one kind that are in a batch of all processes.
struct Part {
  int first = 0;
  int count = 0;
};

// How many windows of a batch of all processes are procedural.
int ProceduralWindows(const TrainOptions& options) {
  const double procedural = options.data.procedural_share;
  double recorded = 0.0;
  for (const DatasetOptions& dataset : options.data.datasets) recorded += dataset.sampling.share;
  const double all = procedural + recorded;
  if (!(all > 0.0)) throw Error("data: all shares are zero; expected one above zero");
  const int batch = options.loop.batch;
  const auto windows = static_cast<int>(std::lround(batch * procedural / all));
  const auto check = [&](const char* kind, double share, int count) {
    if (share == 0.0 || count > 0) return;
    throw Error(
        fmt::format("data: {} video has {:.3g} % of the shares, which is no window of the {} of loop.batch; "
                    "make loop.batch {:.0f} or more, or the share larger or 0",
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

std::unique_ptr<WindowStream> OpenDatasets(const TrainOptions& options, const Part& part, bool tells,
                                           torch::Device device) {
  std::vector<Dataset> datasets;
  for (const DatasetOptions& dataset : options.data.datasets) datasets.push_back(OpenDataset(dataset, tells));
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

std::unique_ptr<WindowStream> OpenTrainStream(const TrainOptions& options, const Processes& processes,
                                              torch::Device device) {
  if (options.loop.batch % processes.size() != 0) {
    throw Error(fmt::format("loop.batch is {}, which {} processes cannot share evenly", options.loop.batch,
                            processes.size()));
  }
  const int windows = options.loop.batch / processes.size();
  const Part procedural = ProceduralPart(ProceduralWindows(options), processes);
  const Part recorded{processes.rank() * windows - procedural.first, windows - procedural.count};
  std::vector<std::unique_ptr<WindowStream>> parts;
  if (procedural.count > 0) parts.push_back(OpenProcedural(options, procedural, device));
  if (recorded.count > 0) parts.push_back(OpenDatasets(options, recorded, processes.first(), device));
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<MixtureStream>(std::move(parts));
}

double ProceduralWeight(const TrainOptions& options, const Processes& processes) {
  const int windows = ProceduralWindows(options);
  if (windows == 0) return 1.0;
  return static_cast<double>(ProceduralPart(windows, processes).count) * processes.size() / windows;
}

}  // namespace calfvo::train
