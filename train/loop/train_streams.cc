// SPDX-License-Identifier: Apache-2.0
#include "loop/train_streams.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "data/dataset_stream.h"
#include "data/mixture_stream.h"
#include "data/posed_frames.h"
#include "data/procedural_stream.h"
#include "datasets/split.h"

namespace calfvo::train {
namespace {

Dataset OpenDataset(const DatasetOptions& options) {
  std::vector<FoundSequence> found = FindSequences(options.path);
  if (!options.split.empty()) found = Split(options.split).Select(found);
  if (found.empty()) {
    throw Error(fmt::format("{}: none of the sequences of {} is there", options.path.string(),
                            options.split.string()));
  }
  Dataset dataset{.sampling = options.sampling};
  for (const FoundSequence& sequence : found)
    dataset.sequences.push_back(FromFirstPose(OpenSequence(sequence)));
  return dataset;
}

std::unique_ptr<WindowStream> OpenDatasets(const TrainOptions& options, int windows, int rank,
                                           torch::Device device) {
  std::vector<Dataset> datasets;
  for (const DatasetOptions& dataset : options.data.datasets) datasets.push_back(OpenDataset(dataset));
  return OpenDatasetStream(std::move(datasets),
                           {.seed = options.loop.seed,
                            .windows = windows,
                            .first_window = rank * windows,
                            .frames = options.model.window,
                            .input = options.model.input,
                            .threads = options.data.threads,
                            .batches = options.data.batches,
                            .cache = options.data.cache},
                           device);
}

std::unique_ptr<WindowStream> OpenProcedural(const TrainOptions& options, int windows, int rank,
                                             torch::Device device) {
  ProceduralOptions procedural = options.data.procedural;
  procedural.seed = options.loop.seed;
  procedural.windows = windows;
  procedural.first_window = rank * windows;
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
  double shares = options.data.procedural_share;
  for (const DatasetOptions& dataset : options.data.datasets) shares += dataset.sampling.share;
  if (!(shares > 0.0)) throw Error("data: all shares are zero; expected one above zero");
  const auto procedural = static_cast<int>(std::lround(windows * options.data.procedural_share / shares));
  std::vector<std::unique_ptr<WindowStream>> parts;
  if (procedural > 0) parts.push_back(OpenProcedural(options, procedural, processes.rank(), device));
  if (procedural < windows)
    parts.push_back(OpenDatasets(options, windows - procedural, processes.rank(), device));
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<MixtureStream>(std::move(parts));
}

}  // namespace calfvo::train
