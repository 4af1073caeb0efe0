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
#include "estimator/model_choice.h"
#include "shared_options.h"
#include "weights/checkpoint.h"
#include "weights/model_file.h"

namespace calfvo {
namespace {

struct ConvertOptions {
  std::string input;
  std::filesystem::path output;
  std::string dtype = "bf16";
  std::string name;  // empty: a model file's own, calfvo-l of a checkpoint
  std::optional<int> heads;
  std::optional<uint64_t> seed;
  std::vector<double> temperature;
  std::vector<double> correlation;
  std::string training;
};

constexpr const char* kConvertExamples = R"(Examples:
  calfvo convert DUSt3R_ViTLarge_BaseDecoder_512_dpt.pth -o calfvo-l.safetensors
  calfvo convert dinov2_vitl14_pretrain.pth -o dino.safetensors --dtype f32
  calfvo convert model.safetensors -o calibrated.safetensors --temperature 1.3 1.1
  calfvo convert random:calfvo-l:1 -o random.safetensors                  random weights, to measure speed with

Reads PyTorch .pth (nothing in it is executed) and safetensors: DUSt3R, MASt3R and CroCo; DINOv2 and DINOv3 as Meta or
Hugging Face name them; VGGT-Omega. The encoder is taken over; the decoder, which those files do not have, gets random
weights and must be trained. The weights keep their own licence. A model file of calfvo keeps its weights and can get
another name, another type, another note on its training, standard deviations that are larger by a factor, and a
correlation of neighbouring steps (docs/run.md).)";

ModelFile Adjusted(ModelFile model, const ConvertOptions& options) {
  if (options.heads || options.seed) {
    throw Error(fmt::format("{}: is a model of calfvo, whose weights are kept; {} is for checkpoints alone",
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
        fmt::format("{}: is a checkpoint, whose decoder is not trained yet; {} is for models of calfvo",
                    options.input, of_models));
  }
  CheckpointOptions chosen;
  if (!options.name.empty()) chosen.name = options.name;
  chosen.heads = options.heads.value_or(chosen.heads);
  chosen.seed = options.seed.value_or(chosen.seed);
  return ModelFromCheckpoint(checkpoint, chosen);
}

ModelFile OpenInput(const ConvertOptions& options) {
  if (options.input.starts_with("random:")) {
    ModelFile model = OpenModel(options.input).file;
    model.config.training = "none, the weights are " + options.input;
    return Adjusted(std::move(model), options);
  }
  // A name such as calfvo-s, or a file that is missing: this says where it looked.
  if (!IsModelFileName(options.input)) return Adjusted(OpenModel(options.input).file, options);
  const auto checkpoint = OpenWeights(options.input);
  if (IsModelFile(*checkpoint)) return Adjusted(LoadModelFile(options.input), options);
  return FromCheckpoint(*checkpoint, options);
}

int Convert(const ConvertOptions& options) {
  const std::map<std::string, DType> dtypes = {
      {"f32", DType::kF32}, {"bf16", DType::kBF16}, {"f16", DType::kF16}};
  const ModelFile model = OpenInput(options);
  SaveModelFile(model.config, *model.weights, dtypes.at(options.dtype), options.output);
  fmt::print("{}: {:.1f} M parameters, {}\n", options.output.string(),
             1e-6 * static_cast<double>(ParameterCount(ModelTensors(model.config))), model.config.training);
  return 0;
}

}  // namespace

Run AddConvertCommand(CLI::App& app) {
  auto options = std::make_shared<ConvertOptions>();  // shared by the parser and the returned function
  app.add_option("input", options->input, "Checkpoint or model to read, by file or name, or random:NAME:SEED")
      ->required()
      ->type_name("NAME|FILE");
  app.add_option("-o,--output", options->output, "Model file to write")->required()->type_name("FILE");
  app.add_option("--dtype", options->dtype, "Type of the written weights")
      ->check(CLI::IsMember({"f32", "bf16", "f16"}))
      ->capture_default_str();
  app.add_option("--name", options->name,
                 "Name of the model; without it a model keeps its own, and a checkpoint becomes calfvo-l");
  app.add_option("--heads", options->heads,
                 "Of a checkpoint: attention heads of the encoder; 0, as without it: heads of 64 elements")
      ->check(Between(0, 256));
  app.add_option("--seed", options->seed, "Of a checkpoint: seed of the decoder's random weights (default 0)")
      ->check(Between(0, 1e15));
  app.add_option("--temperature", options->temperature,
                 "Of a model file: factors on the standard deviations of rotation and translation")
      ->expected(2)
      ->check(Between(1e-3, 1e3))
      ->type_name("R T");
  app.add_option("--correlation", options->correlation,
                 "Of a model file: correlation of neighbouring steps' errors, of rotation and translation")
      ->expected(2)
      ->check(Between(0.0, kMaxStepCorrelation))
      ->type_name("R T");
  app.add_option("--training", options->training, "Of a model file: how it was trained")->type_name("TEXT");
  app.footer(kConvertExamples);
  return [options] { return Convert(*options); };
}

}  // namespace calfvo
