// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "commands.h"
#include "core/base/quoted.h"
#include "nn/architecture/checkpoint.h"
#include "nn/architecture/model_file.h"
#include "shared_options.h"
#include "vo/model_choice.h"

namespace calfvo {
namespace {

struct ConvertOptions {
  std::string input;
  std::filesystem::path output;
  std::string dtype;  // empty: f32 for a checkpoint, bf16 otherwise
  std::string name;   // empty: unchanged; calfvo-l for a checkpoint
  std::optional<int> heads;
  std::optional<uint64_t> seed;
  std::vector<double> temperature;
  std::vector<double> correlation;
  std::string training;
  bool overwrite = false;
};

constexpr const char* kConvertExamples = R"(Examples:
  calfvo convert DUSt3R_ViTLarge_BaseDecoder_512_dpt.pth -o calfvo-l.safetensors
  calfvo convert dinov2_vitl14_pretrain.pth -o dino.safetensors --dtype bf16
  calfvo convert model.safetensors -o calibrated.safetensors --temperature 1.3 1.1
  calfvo convert random:calfvo-l:1 -o random.safetensors                  random weights, for speed tests

Checkpoints: DUSt3R, MASt3R, CroCo, DINOv2 and DINOv3 (Meta or Hugging Face names), VGGT-Omega, as PyTorch .pth (no code
in it is executed) or safetensors. The encoder is copied in f32, to train with; the decoder gets random weights and must
be trained. The weights keep their licence. CroCo v1 and encoders with SwiGLU are not supported.
Model files: the weights are kept, rounded to bf16 unless --dtype is given. --name, --training, --temperature (factors
on σ) and --correlation (of consecutive relative poses, see docs/run.md) change the rest.
Exit code: 0 done, 1 failed, 2 wrong usage, 75 out of memory or disk space.)";

ModelFile Adjusted(ModelFile model, const ConvertOptions& options) {
  if (options.heads || options.seed) {
    throw Error(fmt::format("{}: is a calfvo model, whose weights are kept; {} applies to checkpoints only",
                            options.input, options.heads ? "--heads" : "--seed"));
  }
  for (size_t i = 0; i < options.temperature.size(); ++i) {
    model.config.head.log_variance_shift[i] += std::log(options.temperature[i]);
  }
  for (size_t i = 0; i < options.correlation.size(); ++i) {
    model.config.head.step_correlation[i] = options.correlation[i];
  }
  if (!options.name.empty()) model.config.name = options.name;
  if (!options.training.empty()) model.config.training = options.training;
  return model;
}

ModelFile FromCheckpoint(const WeightSource& checkpoint, const ConvertOptions& options) {
  const char* of_models = !options.temperature.empty()   ? "--temperature"
                          : !options.correlation.empty() ? "--correlation"
                          : !options.training.empty()    ? "--training"
                                                         : nullptr;
  if (of_models != nullptr) {
    throw Error(
        fmt::format("{}: is a checkpoint, whose decoder is untrained; {} applies to calfvo models only",
                    options.input, of_models));
  }
  CheckpointOptions chosen;
  if (!options.name.empty()) chosen.name = options.name;
  chosen.heads = options.heads.value_or(chosen.heads);
  chosen.seed = options.seed.value_or(chosen.seed);
  return ModelFromCheckpoint(checkpoint, chosen);
}

bool IsCheckpoint(const ConvertOptions& options) {
  return !options.input.starts_with("random:") && IsModelFileName(options.input) &&
         !IsModelFile(*OpenWeights(options.input));
}

ModelFile OpenInput(const ConvertOptions& options) {
  if (options.input.starts_with("random:")) {
    ModelFile model = OpenModel(options.input).file;
    model.config.training = "none, the weights are " + options.input;
    return Adjusted(std::move(model), options);
  }
  // A name such as calfvo-s, or a missing file: the error lists the searched folders.
  if (!IsModelFileName(options.input)) return Adjusted(OpenModel(options.input).file, options);
  const auto checkpoint = OpenWeights(options.input);
  if (IsModelFile(*checkpoint)) return Adjusted(LoadModelFile(options.input), options);
  return FromCheckpoint(*checkpoint, options);
}

int Convert(const ConvertOptions& options) {
  CheckMayWrite(options.output, options.overwrite);
  const std::map<std::string, DType> dtypes = {
      {"f32", DType::kF32}, {"bf16", DType::kBF16}, {"f16", DType::kF16}};
  const ModelFile model = OpenInput(options);
  const std::string dtype = !options.dtype.empty() ? options.dtype : IsCheckpoint(options) ? "f32" : "bf16";
  SaveModelFile(model.config, *model.weights, dtypes.at(dtype), options.output);
  fmt::print("{}: {:.1f} M parameters, {}\n", Printable(options.output.string()),
             1e-6 * static_cast<double>(ParameterCount(ModelTensors(model.config))),
             Printable(model.config.training));
  return 0;
}

}  // namespace

Run AddConvertCommand(CLI::App& app) {
  auto options = std::make_shared<ConvertOptions>();  // shared by the parser and the returned function
  app.add_option("input", options->input, "Checkpoint or model: a file, a name, or random:NAME:SEED")
      ->required()
      ->type_name("NAME|FILE");
  app.add_option("-o,--output", options->output, "Model file to write")
      ->required()
      ->check(IsPath())
      ->type_name("FILE");
  app.add_option("--dtype", options->dtype,
                 "Type of the weights in the output (default: f32 for a checkpoint, else bf16)")
      ->check(CLI::IsMember({"f32", "bf16", "f16"}));
  app.add_option("--name", options->name,
                 "Name of the model (default: unchanged; calfvo-l for a checkpoint)");
  app.add_option("--heads", options->heads,
                 "Checkpoint only: attention heads of the encoder (default 0: one per 64 channels)")
      ->check(Between(0, 256));
  app.add_option("--seed", options->seed, "Checkpoint only: seed of the random decoder weights (default 0)")
      ->check(Between(0.0, 1e15));
  app.add_option("--temperature", options->temperature,
                 "Model only: multiply the standard deviations of rotation and translation")
      ->expected(2)
      ->check(Between(1e-3, 1e3))
      ->type_name("R T");
  app.add_option("--correlation", options->correlation,
                 "Model only: error correlation of consecutive relative poses, rotation and translation")
      ->expected(2)
      ->check(Between(0.0, kMaxStepCorrelation))
      ->type_name("R T");
  app.add_option("--training", options->training, "Model only: description of the training")
      ->type_name("TEXT");
  app.add_flag("--overwrite", options->overwrite, "Replace an existing output file");
  app.footer(kConvertExamples);
  return [options] { return Convert(*options); };
}

}  // namespace calfvo
