// SPDX-License-Identifier: Apache-2.0
#include "loop/held_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/sha256.h"
#include "data/dataset_stream.h"
#include "data/procedural_stream.h"
#include "loop/open_dataset.h"
#include "loss/pose_loss.h"
#include "synth/clip/option_fields.h"

namespace calfvo::train {
namespace {

torch::Tensor OnHost(const torch::Tensor& tensor, int64_t columns) {
  return tensor.reshape({-1, columns}).to(torch::kCPU, torch::kFloat64).contiguous();
}

Quaternion RotationFrom(const double* row_major) {
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> matrix(row_major);
  return Quaternion(Eigen::Matrix3d(matrix)).normalized();
}

template <typename Options>
std::string FieldsText(std::span<const FloatField<Options>> fields, const Options& options) {
  std::string text;
  for (const auto& field : fields) text += fmt::format("{} {}\n", field.name, options.*field.member);
  return text;
}

// Names of images without their folders, which may move, the true poses, and how windows are drawn.
std::string ContentsOf(const Dataset& dataset) {
  const StreamOptions& sampling = dataset.sampling;
  Sha256 hash;
  hash.Add(fmt::format("{} {} {}\n", sampling.min_stride, sampling.max_stride, sampling.max_step_m));
  for (const auto& sequence : dataset.sequences) {
    hash.Add(sequence->name() + "\n");
    for (const SequenceFrame& frame : sequence->frames()) {
      hash.Add(frame.image.substr(frame.image.rfind('/') + 1));
      if (!frame.world_from_camera) continue;
      for (const double value : frame.world_from_camera->translation) hash.Add(fmt::format(" {}", value));
      for (const double value : frame.world_from_camera->rotation.coeffs())
        hash.Add(fmt::format(" {}", value));
    }
  }
  return hash.Finish() + "\n";
}

}  // namespace

void EstimatePairs(TrainNetworkImpl& network, const WindowBatch& batch, const LossOptions& units,
                   std::vector<ScoredPair>& pairs) {
  const torch::NoGradGuard no_grad;
  const PosePrediction predicted = InterpretValues(
      network.forward(batch.frames, batch.before, batch.log_aspect).values, network.config().head);
  const torch::Tensor rotation_truth = OnHost(batch.rotation, 9);
  const torch::Tensor translation_truth = OnHost(batch.translation, 3);
  const torch::Tensor rotation = OnHost(predicted.rotation, 9);
  const torch::Tensor translation = OnHost(predicted.translation, 3);
  torch::Tensor u_rotation, u_translation;
  const bool confident = predicted.u_rotation.defined();
  if (confident) {
    u_rotation = OnHost(predicted.u_rotation, 1);
    u_translation = OnHost(predicted.u_translation, 1);
  }
  for (int64_t i = 0; i < rotation.size(0); ++i) {
    const auto row = [i](const torch::Tensor& tensor) {
      return tensor.data_ptr<double>() + i * tensor.size(1);
    };
    ScoredPair pair{.rotation_truth = RotationFrom(row(rotation_truth)),
                    .rotation = RotationFrom(row(rotation)),
                    .translation_truth = Eigen::Vector3d(row(translation_truth)),
                    .translation = Eigen::Vector3d(row(translation))};
    if (confident) {
      pair.expected_rotation_rad = std::exp(*row(u_rotation)) * units.rotation_unit_rad;
      pair.expected_translation_m = std::exp(*row(u_translation)) * units.translation_unit_m;
    }
    pairs.push_back(pair);
  }
}

struct HeldOut::Set {
  std::string name;
  ProceduralOptions windows;
  std::unique_ptr<WindowStream> recorded;  // null: procedural
  std::string contents;                    // of recorded ones: what identifies their windows

  int64_t batch() const { return windows.windows; }
};

HeldOut::HeldOut(const TrainOptions& options, torch::Device device)
    : units_(options.loss),
      device_(device),
      windows_(options.held_out.windows),
      frames_(options.model.window) {
  const HeldOutOptions& held_out = options.held_out;
  ProceduralOptions windows = options.data.procedural;
  windows.seed = held_out.seed;
  windows.windows = std::min(held_out.batch, held_out.windows);
  windows.first_window = 0;
  windows.recorded_probability = 0.0F;
  for (const HeldOutSet& set : held_out.sets) {
    windows.scene_weights = {};
    windows.scene_weights[static_cast<size_t>(set.scene)] = 1.0F;
    MotionWeights motion = {};
    motion[static_cast<size_t>(set.motion)] = 1.0F;
    windows.motion_weights.fill(motion);
    sets_.push_back({.name = set.Name(), .windows = windows});
  }
  for (const DatasetOptions& options_of_set : held_out.datasets) {
    std::vector<Dataset> datasets;
    datasets.push_back(OpenDataset(options_of_set, /*verbose=*/false));
    Set set{
        .name = options_of_set.sampling.name, .windows = windows, .contents = ContentsOf(datasets.front())};
    // Images are decoded at each evaluation: they are few, and a cache would be filled by one process alone.
    set.recorded = OpenDatasetStream(std::move(datasets),
                                     {.seed = held_out.seed,
                                      .windows = windows.windows,
                                      .frames = options.model.window,
                                      .input = options.model.input,
                                      .threads = options.data.threads,
                                      .batches = 1},
                                     device);
    sets_.push_back(std::move(set));
  }
}

HeldOut::~HeldOut() = default;

std::string HeldOut::Fingerprint() const {
  std::string text;
  for (const Set& set : sets_) text += set.name + "\n" + set.contents;
  const ProceduralOptions& windows = sets_.front().windows;  // but for scene and motion, all have the same
  const double batches = static_cast<double>(windows_) / windows.windows;  // the last may be a part
  text += fmt::format("windows {}\nbatches {}\nseed {}\nframes {}\nsize {}\nsamples {}\nrate_hz {} {}\n",
                      windows.windows, batches, windows.seed, windows.frames, windows.size, windows.samples,
                      windows.min_rate_hz, windows.max_rate_hz);
  text +=
      fmt::format("textures {}\nblur_samples {}\n", windows.textures.string(), windows.effects.blur_samples);
  text += FieldsText(EffectFields(), windows.effects) + FieldsText(SensorFields(), windows.sensor);
  Sha256 hash;
  hash.Add(text);
  return hash.Finish();
}

void HeldOut::AddExamples(const Set& set, const WindowBatch& batch, const std::vector<ScoredPair>& pairs) {
  const auto per_window = frames_ - 1;
  for (int64_t w = 0; w < std::min(kExamples, set.batch()); ++w) {
    const auto first = pairs.begin() + w * per_window;
    examples_.push_back(
        {set.name, batch.frames[w].to(torch::kCPU).contiguous().clone(), {first, first + per_window}});
  }
}

std::optional<HeldOutRecord> HeldOut::Evaluate(TrainNetworkImpl& network,
                                               const std::function<bool()>& should_stop) {
  HeldOutRecord record;
  std::vector<MotionScores> scores;
  examples_.clear();
  for (const Set& set : sets_) {
    // Opened anew each time: the memory of a renderer per set would be held for the whole run.
    const auto procedural = set.recorded ? nullptr : OpenProceduralStream(set.windows, device_);
    WindowStream& stream = set.recorded ? *set.recorded : *procedural;
    const auto wanted = static_cast<size_t>(windows_) * static_cast<size_t>(frames_ - 1);
    std::vector<ScoredPair> pairs;
    for (int64_t i = 0; pairs.size() < wanted; ++i) {
      if (should_stop()) return {};
      const WindowBatch batch = stream.At(i);
      EstimatePairs(network, batch, units_, pairs);
      if (i == 0) AddExamples(set, batch, pairs);
    }
    // Of the last batch too many may have been estimated: a GPU would choose its kernels anew for a smaller.
    pairs.resize(wanted);
    scores.push_back(ScoreMotions(pairs));
    record.sets.push_back({set.name, scores.back()});
  }
  record.score = HeldOutScore(scores);
  return record;
}

}  // namespace calfvo::train
