// SPDX-License-Identifier: Apache-2.0
#include "loop/held_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/sha256.h"
#include "clip/option_fields.h"
#include "data/procedural_stream.h"
#include "loss/pose_loss.h"

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

HeldOut::HeldOut(const HeldOutOptions& options, const ProceduralOptions& like, const LossOptions& units,
                 torch::Device device)
    : units_(units), device_(device), windows_(options.windows) {
  for (const HeldOutSet& set : options.sets) {
    ProceduralOptions windows = like;
    windows.seed = options.seed;
    windows.windows = std::min(options.batch, options.windows);
    windows.first_window = 0;
    windows.scene_weights = {};
    windows.scene_weights[static_cast<size_t>(set.scene)] = 1.0F;
    MotionWeights motion = {};
    motion[static_cast<size_t>(set.motion)] = 1.0F;
    windows.motion_weights.fill(motion);
    windows.recorded_probability = 0.0F;
    sets_.push_back({set.Name(), windows});
  }
}

std::string HeldOut::Fingerprint() const {
  std::string text;
  for (const Set& set : sets_) text += set.name + "\n";
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

std::optional<HeldOutRecord> HeldOut::Evaluate(TrainNetworkImpl& network,
                                               const std::function<bool()>& should_stop) {
  HeldOutRecord record;
  std::vector<MotionScores> scores;
  for (const Set& set : sets_) {
    // Opened anew each time: the memory of a renderer per set would be held for the whole run.
    const auto stream = OpenProceduralStream(set.windows, device_);
    const auto wanted = static_cast<size_t>(windows_) * static_cast<size_t>(set.windows.frames - 1);
    std::vector<ScoredPair> pairs;
    for (int64_t i = 0; pairs.size() < wanted; ++i) {
      if (should_stop()) return {};
      EstimatePairs(network, stream->At(i), units_, pairs);
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
