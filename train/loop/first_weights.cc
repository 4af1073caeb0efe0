// SPDX-License-Identifier: Apache-2.0
#include "loop/first_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/types.h>

#include <cmath>
#include <vector>

#include "calfvo/error.h"
#include "core/base/log.h"
#include "loop/model_table.h"
#include "nn/architecture/model_file.h"

namespace calfvo::train {
namespace {

// Shapes do not determine everything: heads, norms' eps, the range of translations.
void CheckSame(const ModelConfig& of_file, const ModelConfig& wanted, const std::filesystem::path& path) {
  const std::string has = ModelConfigJson(of_file);
  const std::string needed = ModelConfigJson(wanted);
  if (has == needed) return;
  throw Error(
      fmt::format("{}: its configuration differs from that of the run: {}; `calfvo info` shows it, the table "
                  "[model] must match",
                  path.string(), ModelDifference(has, needed)));
}

void LoadAll(TrainNetworkImpl& network, const std::filesystem::path& path) {
  ModelFile file = LoadModelFile(path);
  const ModelConfig& wanted = network.config();
  file.config.name = wanted.name;
  file.config.licence = wanted.licence;
  file.config.training = wanted.training;
  file.config.head.log_variance_shift = wanted.head.log_variance_shift;
  file.config.head.step_correlation = wanted.head.step_correlation;
  const std::vector<TensorSpec> tensors = ModelTensors(file.config);
  if (wanted.input.aspect && !file.config.input.aspect) {
    LogInfo("{}: has no input.aspect; decoder.aspect starts at zero", path.string());
    file.config.input.aspect = true;
  }
  CheckSame(file.config, wanted, path);
  LoadTensors(network, *file.weights, tensors);
}

void LoadEncoder(TrainNetworkImpl& network, const std::filesystem::path& path) {
  const ModelFile file = LoadModelFile(path);
  ModelConfig with_file_encoder = network.config();
  with_file_encoder.encoder = file.config.encoder;
  CheckSame(with_file_encoder, network.config(), path);
  const InputConfig& seen = file.config.input;
  const InputConfig& input = network.config().input;
  if (seen.mean != input.mean || seen.std != input.std) {
    throw Error(
        fmt::format("{}: its encoder takes images with mean [{}] and std [{}]; model.input must match",
                    path.string(), fmt::join(seen.mean, ", "), fmt::join(seen.std, ", ")));
  }
  const torch::NoGradGuard no_grad;
  auto parameters = network.named_parameters();
  for (const auto& item : network.named_buffers()) parameters.insert(item.key(), item.value());
  for (const auto& item : parameters) {
    if (!item.key().starts_with("encoder.")) continue;
    const TensorView& view = file.weights->Get(item.key());
    const Tensor values = ToF32(view);
    item.value().copy_(
        torch::from_blob(const_cast<float*>(values.Data<float>().data()), item.value().sizes()));
  }
}

}  // namespace

TrainNetwork MakeNetwork(const TrainOptions& options) {
  const LoopOptions& loop = options.loop;
  TrainNetwork network(options.model, NetworkOptions{.motion_head = options.loss.motion_weight > 0.0,
                                                     .bf16 = loop.bf16,
                                                     .train_encoder = !loop.freeze_encoder,
                                                     .seed = loop.seed});
  if (!loop.init.empty()) LoadAll(*network, loop.init);
  if (!loop.init_encoder.empty()) LoadEncoder(*network, loop.init_encoder);
  return network;
}

void ExportModel(const TrainNetworkImpl& network, const TrainOptions& options,
                 const std::filesystem::path& path) {
  ModelConfig config = options.model;
  if (config.head.confidence) {
    config.head.log_variance_shift = {std::log(options.loss.rotation_unit_rad),
                                      std::log(options.loss.translation_unit_m)};
  }
  SaveModel(network, config, options.loop.export_dtype, path);
}

}  // namespace calfvo::train
