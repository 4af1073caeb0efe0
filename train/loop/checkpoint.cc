// SPDX-License-Identifier: Apache-2.0
#include "loop/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <system_error>
#include <utility>

#include "calfvo/error.h"
#include "loop/model_table.h"
#include "nn/weights/safetensors_writer.h"
#include "nn/weights/weight_source.h"

namespace calfvo::train {
namespace {

constexpr const char* kFormat = "calfvo-train-2";

std::array<std::pair<const char*, torch::Tensor>, 4> FlatTensors(const FlatParameters& parameters,
                                                                 const Optimizer& optimizer) {
  return {{{"average", optimizer.average()},
           {"first_moment", optimizer.first_moment()},
           {"second_moment", optimizer.second_moment()},
           {"weights", parameters.weights()}}};
}

class Metadata {
 public:
  Metadata(const std::map<std::string, std::string>& values, std::string file)
      : values_(values), file_(std::move(file)) {}

  const std::string& Text(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) {
      throw Error(
          fmt::format("{}: has no '{}' in its metadata; it is not a checkpoint of calfvo-train", file_, key));
    }
    return found->second;
  }
  // Of a key that older checkpoints lack; empty then.
  std::string TextIfAny(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? "" : found->second;
  }
  // From `least` to `most`; NaN is neither.
  template <typename Number>
  Number Get(const std::string& key, Number least, Number most) const {
    const std::string& text = Text(key);
    Number value{};
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size()) {
      throw Error(fmt::format("{}: metadata '{}' is '{:.40}'; expected a number", file_, key, text));
    }
    if (!(value >= least && value <= most)) {
      throw Error(fmt::format("{}: metadata '{}' is {}; expected {} to {}", file_, key, value, least, most));
    }
    return value;
  }

 private:
  const std::map<std::string, std::string>& values_;
  std::string file_;
};

// What the weights mean depends on this; names may change.
std::string MeaningOf(ModelConfig model) {
  model.name = model.licence = model.training = "";
  return ModelConfigJson(model);
}

// The step in "checkpoint-STEP.safetensors".
std::optional<int64_t> StepOf(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  constexpr std::string_view kPrefix = "checkpoint-";
  constexpr std::string_view kSuffix = ".safetensors";
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return {};
  int64_t step = 0;
  const char* end = name.data() + name.size() - kSuffix.size();
  const auto result = std::from_chars(name.data() + kPrefix.size(), end, step);
  if (result.ec != std::errc() || result.ptr != end) return {};
  return step;
}

std::map<int64_t, std::filesystem::path> ByStep(const std::filesystem::path& folder) {
  std::map<int64_t, std::filesystem::path> checkpoints;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (const auto step = StepOf(entry.path())) checkpoints[*step] = entry.path();
  }
  return checkpoints;
}

}  // namespace

void SaveCheckpoint(const std::filesystem::path& path, const RunState& state, uint64_t seed,
                    const ModelConfig& model, const FlatParameters& parameters, const Optimizer& optimizer) {
  std::map<std::string, torch::Tensor> tensors;
  std::vector<SafetensorsWriter::Entry> entries;
  for (const auto& [name, tensor] : FlatTensors(parameters, optimizer)) {
    tensors[name] = tensor;
    entries.push_back({name, DType::kF32, Shape({tensor.numel()})});
  }
  SafetensorsWriter writer(path, entries,
                           {{"format", kFormat},
                            {"steps_done", fmt::format("{}", state.steps_done)},
                            {"elapsed_s", fmt::format("{}", state.elapsed_s)},
                            {"best_score", fmt::format("{}", state.best_score)},
                            {"best_step", fmt::format("{}", state.best_step)},
                            {"held_out", state.held_out},
                            {"seed", fmt::format("{}", seed)},
                            {"optimizer", OptimizerName(optimizer.kind())},
                            {"model", MeaningOf(model)},
                            {"layout", parameters.Layout()}});
  for (const SafetensorsWriter::Entry& entry : writer.entries()) {
    const torch::Tensor host = tensors.at(entry.name).cpu();
    writer.Append(TensorView(host.data_ptr<float>(), entry.dtype, entry.shape));
  }
  writer.Commit();
}

RunState LoadCheckpoint(const std::filesystem::path& path, uint64_t seed, bool another_seed,
                        const ModelConfig& model, const FlatParameters& parameters,
                        const Optimizer& optimizer) {
  const auto file = [&] {
    try {
      return OpenWeights(path);
    } catch (const Error& error) {
      throw Error(
          fmt::format("{}; without this file, --resume goes on from the checkpoint before it", error.what()));
    }
  }();
  const Metadata metadata(file->metadata(), path.string());
  if (metadata.Text("format") != kFormat) {
    throw Error(fmt::format("{}: format is '{:.40}'; this version reads {}", path.string(),
                            metadata.Text("format"), kFormat));
  }
  if (metadata.Text("layout") != parameters.Layout()) {
    throw Error(path.string() +
                ": is of a network with other parameters; resume with the configuration it was made with");
  }
  // Parameters may be the same and mean something else. Older checkpoints do not record their meaning.
  if (const std::string saved = metadata.TextIfAny("model"); !saved.empty() && saved != MeaningOf(model)) {
    throw Error(fmt::format("{}: {}; resume with the configuration it was made with", path.string(),
                            ModelDifference(saved, MeaningOf(model))));
  }
  constexpr uint64_t kAnySeed = std::numeric_limits<uint64_t>::max();
  if (const auto saved = metadata.Get<uint64_t>("seed", 0, kAnySeed); saved != seed && !another_seed) {
    throw Error(
        fmt::format("{}: seed is {}, but the configuration has {}; resume with the same seed, or use "
                    "--set loop.seed={} to continue with other windows",
                    path.string(), saved, seed, seed));
  }
  // The moments of one mean nothing to the other.
  if (const auto saved = metadata.Text("optimizer"); saved != OptimizerName(optimizer.kind())) {
    throw Error(fmt::format(
        "{}: optimizer.kind is '{:.40}', but the configuration has '{}'; resume with the same, or "
        "begin a run from its model.safetensors with loop.init",
        path.string(), saved, OptimizerName(optimizer.kind())));
  }
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : FlatTensors(parameters, optimizer)) {
    const TensorView& view = file->Get(name);
    if (view.dtype() != DType::kF32 || view.shape() != Shape({tensor.numel()})) {
      throw Error(fmt::format("{}: tensor '{}' is {} of {}; expected [{}] of F32", path.string(), name,
                              view.shape().ToString(), DTypeName(view.dtype()), tensor.numel()));
    }
    const auto values = view.Data<float>();
    if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); })) {
      throw Error(
          fmt::format("{}: tensor '{}' holds NaN or infinity; without this file, --resume goes on from "
                      "the checkpoint before it",
                      path.string(), name));
    }
    tensor.copy_(torch::from_blob(const_cast<float*>(values.data()), {tensor.numel()}, torch::kFloat32));
  }
  constexpr int64_t kMostSteps = 1'000'000'000;
  constexpr double kLongest = 1e10;  // seconds
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {.steps_done = metadata.Get<int64_t>("steps_done", 0, kMostSteps),
          .elapsed_s = metadata.Get<double>("elapsed_s", 0.0, kLongest),
          .best_score = metadata.Get<double>("best_score", -kInfinity, kInfinity),
          .best_step = metadata.Get<int64_t>("best_step", -1, kMostSteps),
          .held_out = metadata.TextIfAny("held_out")};
}

std::filesystem::path CheckpointFolder::PathAt(int64_t steps_done) const {
  return folder_ / fmt::format("checkpoint-{:09}.safetensors", steps_done);
}

std::optional<std::filesystem::path> CheckpointFolder::Newest() const {
  const auto checkpoints = ByStep(folder_);
  if (checkpoints.empty()) return {};
  return checkpoints.rbegin()->second;
}

void CheckpointFolder::Prune(int keep, int64_t best_step) const {
  const auto checkpoints = ByStep(folder_);
  auto left = static_cast<int64_t>(checkpoints.size());
  for (const auto& [step, path] : checkpoints) {
    if (left-- <= keep) return;
    std::error_code ignored;
    if (step != best_step) std::filesystem::remove(path, ignored);
  }
}

}  // namespace calfvo::train
