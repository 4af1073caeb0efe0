// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
  CheckpointOptions checkpoint;
  std::vector<double> temperature = {1.0, 1.0};
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
another type, another note on its training, and standard deviations that are larger by a factor.)";

ModelFile Adjusted(ModelFile model, const ConvertOptions& options) {
  for (size_t i = 0; i < 2; ++i) model.config.head.log_variance_shift[i] += std::log(options.temperature[i]);
  if (!options.training.empty()) model.config.training = options.training;
  return model;
}

ModelFile OpenInput(const ConvertOptions& options) {
  if (options.input.starts_with("random:")) {
    ModelFile model = OpenModel(options.input).file;
    model.config.training = "none, the weights are " + options.input;
    return Adjusted(std::move(model), options);
  }
  const auto checkpoint = OpenWeights(options.input);
  if (IsModelFile(*checkpoint)) return Adjusted(LoadModelFile(options.input), options);
  return ModelFromCheckpoint(*checkpoint, options.checkpoint);
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
  app.add_option("input", options->input, "Checkpoint or model to read, or random:NAME:SEED")
      ->required()
      ->type_name("FILE");
  app.add_option("-o,--output", options->output, "Model file to write")->required()->type_name("FILE");
  app.add_option("--dtype", options->dtype, "Type of the written weights")
      ->check(CLI::IsMember({"f32", "bf16", "f16"}))
      ->capture_default_str();
  app.add_option("--name", options->checkpoint.name, "Name of the model")->capture_default_str();
  app.add_option("--heads", options->checkpoint.heads,
                 "Attention heads of the encoder; 0: heads of 64 elements")
      ->check(Between(0, 256))
      ->capture_default_str();
  app.add_option("--seed", options->checkpoint.seed, "Seed of the decoder's random weights")
      ->capture_default_str();
  app.add_option("--temperature", options->temperature,
                 "Of a model file: factors on the standard deviations of rotation and translation")
      ->expected(2)
      ->check(Between(1e-3, 1e3))
      ->type_name("R T");
  app.add_option("--training", options->training, "Of a model file: how it was trained")->type_name("TEXT");
  app.footer(kConvertExamples);
  return [options] { return Convert(*options); };
}

}  // namespace calfvo
