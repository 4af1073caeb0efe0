// SPDX-License-Identifier: Apache-2.0
#include "loop/train_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "calfvo/error.h"
#include "core/config/option_reader.h"
#include "core/config/toml_merge.h"
#include "loop/model_table.h"
#include "nn/architecture/model_config_names.h"
#include "synth/clip/option_tables.h"

namespace calfvo::train {
namespace {

constexpr ConfigName<DeviceChoice> kDeviceNames[] = {
    {DeviceChoice::kAuto, "auto"}, {DeviceChoice::kCpu, "cpu"}, {DeviceChoice::kCuda, "cuda"}};
constexpr ConfigName<OptimizerKind> kOptimizerNames[] = {
    {OptimizerKind::kAdamW, OptimizerName(OptimizerKind::kAdamW)},
    {OptimizerKind::kMuon, OptimizerName(OptimizerKind::kMuon)}};
constexpr ConfigName<DType> kExportNames[] = {
    {DType::kBF16, "bf16"}, {DType::kF16, "f16"}, {DType::kF32, "f32"}};

void ReadSeed(TomlTable& table, uint64_t& seed) {
  const auto read = table.Integer("seed");
  if (!read) return;
  if (*read < 0) table.Fail("seed", fmt::format("is {}; expected 0 or more", *read));
  seed = static_cast<uint64_t>(*read);
}

void ReadProcedural(TomlTable table, DataOptions& data) {
  ProceduralOptions& options = data.procedural;
  ReadOption(table, "share", data.procedural_share);
  if (!(data.procedural_share >= 0.0 && data.procedural_share <= 1e6)) {
    table.Fail("share", fmt::format("is {}; expected 0 to 1000000", data.procedural_share));
  }
  ReadOption(table, "samples", options.samples);
  ReadOption(table, "min_rate_hz", options.min_rate_hz);
  ReadOption(table, "max_rate_hz", options.max_rate_hz);
  ReadOption(table, "textures", options.textures);
  ReadOption(table, "trajectories", options.trajectories);
  ReadOption(table, "recorded_probability", options.recorded_probability);
  ReadOption(table, "threads", options.threads);
  if (auto scenes = table.Table("scenes")) ReadSceneWeights(*scenes, options.scene_weights);
  if (auto motions = table.Table("motions")) ReadMotionWeights(*motions, options.motion_weights);
  if (auto effects = table.Table("effects")) ReadEffects(*effects, options.effects);
  if (auto segments = table.Table("recorded")) ReadSegments(*segments, options.segments);
  if (auto camera = table.Table("camera")) {
    ReadSensor(*camera, options.sensor);
    camera->RefuseUnknown();
  }
  table.RefuseUnknown();
  ValidateOptions(options, table);
}

DatasetOptions ReadDataset(TomlTable table) {
  DatasetOptions options;
  ReadOption(table, "name", options.sampling.name);
  ReadOption(table, "path", options.path);
  ReadOption(table, "split", options.split);
  ReadOption(table, "share", options.sampling.share);
  ReadOption(table, "min_stride", options.sampling.min_stride);
  ReadOption(table, "max_stride", options.sampling.max_stride);
  ReadOption(table, "max_step_m", options.sampling.max_step_m);
  table.RefuseUnknown();
  if (options.path.empty()) table.Fail("", "has no path; expected a folder of sequences");
  if (options.sampling.name.empty()) options.sampling.name = options.path.filename().string();
  try {
    options.sampling.Validate();
  } catch (const Error& error) {
    table.Fail("", error.what());
  }
  return options;
}

void ReadData(TomlTable table, DataOptions& options) {
  for (TomlTable& dataset : table.Tables("datasets")) options.datasets.push_back(ReadDataset(dataset));
  ReadOption(table, "cache", options.cache);
  ReadOption(table, "threads", options.threads);
  ReadOption(table, "batches", options.batches);
  auto procedural = table.Table("procedural");
  // Datasets without [data.procedural] mean no procedural video.
  if (!options.datasets.empty() && !procedural) options.procedural_share = 0.0;
  if (procedural) ReadProcedural(*procedural, options);
  table.RefuseUnknown();
  ValidateOptions(options, table);
}

void ReadLoss(TomlTable table, LossOptions& options) {
  ReadOption(table, "rotation_unit_rad", options.rotation_unit_rad);
  ReadOption(table, "translation_unit_m", options.translation_unit_m);
  ReadOption(table, "min_u", options.min_u);
  ReadOption(table, "max_u", options.max_u);
  ReadOption(table, "motion_weight", options.motion_weight);
  table.RefuseUnknown();
  ValidateOptions(options, table);
}

void ReadOptimizer(TomlTable table, OptimizerOptions& options) {
  options.kind = table.Choice("kind", kOptimizerNames).value_or(options.kind);
  ReadOption(table, "momentum", options.momentum);
  ReadOption(table, "beta1", options.beta1);
  ReadOption(table, "beta2", options.beta2);
  ReadOption(table, "eps", options.eps);
  ReadOption(table, "weight_decay", options.weight_decay);
  ReadOption(table, "clip_norm", options.clip_norm);
  ReadOption(table, "ema_decay", options.ema_decay);
  table.RefuseUnknown();
  ValidateOptions(options, table);
}

void ReadSchedule(TomlTable table, ScheduleOptions& options) {
  ReadOption(table, "learning_rate", options.learning_rate);
  ReadOption(table, "final_learning_rate", options.final_learning_rate);
  ReadOption(table, "warmup_steps", options.warmup_steps);
  ReadOption(table, "steps", options.steps);
  ReadOption(table, "max_minutes", options.max_minutes);
  table.RefuseUnknown();
  ValidateOptions(options, table);
}

void ReadLoop(TomlTable table, LoopOptions& options) {
  ReadSeed(table, options.seed);
  ReadOption(table, "batch", options.batch);
  ReadOption(table, "batch_per_process", options.batch_per_process);
  if (table.Integer("batch") && options.batch_per_process > 0) {
    table.Fail("batch", fmt::format("is {}, but loop.batch_per_process is {}; set one of them, or "
                                    "loop.batch_per_process=0 to use loop.batch",
                                    options.batch, options.batch_per_process));
  }
  options.device = table.Choice("device", kDeviceNames).value_or(options.device);
  ReadOption(table, "bf16", options.bf16);
  ReadOption(table, "cuda_graph", options.cuda_graph);
  ReadOption(table, "freeze_encoder", options.freeze_encoder);
  ReadOption(table, "cache_tokens_gb", options.cache_tokens_gb);
  ReadOption(table, "init", options.init);
  ReadOption(table, "init_encoder", options.init_encoder);
  ReadOption(table, "log_every", options.log_every);
  ReadOption(table, "evaluate_every", options.evaluate_every);
  ReadOption(table, "checkpoint_every", options.checkpoint_every);
  ReadOption(table, "keep_checkpoints", options.keep_checkpoints);
  options.export_dtype = table.Choice("export_dtype", kExportNames).value_or(options.export_dtype);
  table.RefuseUnknown();
  ValidateOptions(options, table);
}

// "room/handheld".
HeldOutSet ParseHeldOutSet(const std::string& name) {
  const size_t slash = name.find('/');
  if (slash == std::string::npos) {
    throw Error(fmt::format("'{}' is not of the form scene/motion, like room/handheld", name));
  }
  const auto motion = motion::MotionKindFromName(name.substr(slash + 1));
  if (!motion) {
    throw Error(fmt::format("'{}': unknown motion; expected one of {}", name,
                            fmt::join(motion::kMotionKindNames, ", ")));
  }
  return {SceneKindFromName(name.substr(0, slash)), *motion};
}

void ReadHeldOut(TomlTable table, HeldOutOptions& options) {
  ReadSeed(table, options.seed);
  ReadOption(table, "windows", options.windows);
  ReadOption(table, "batch", options.batch);
  for (TomlTable& dataset : table.Tables("datasets")) options.datasets.push_back(ReadDataset(dataset));
  for (const std::string& name : table.Texts("sets")) {
    try {
      options.sets.push_back(ParseHeldOutSet(name));
    } catch (const Error& error) {
      table.Fail("sets", error.what());
    }
  }
  table.RefuseUnknown();
  ValidateOptions(options, table);
}

TrainOptions ParseTrainOptions(const toml::table& table, const std::string& file) {
  TomlTable top(table, file, "");
  TrainOptions options;
  ReadOption(top, "description", options.description);
  auto model = top.Table("model");
  if (!model) top.Fail("", "the table [model] is missing, which describes the network to train");
  options.model = ReadModel(*model);
  options.data.procedural.frames = options.model.window;
  options.data.procedural.size = options.model.input.size;
  if (auto data = top.Table("data")) ReadData(*data, options.data);
  if (auto loss = top.Table("loss")) ReadLoss(*loss, options.loss);
  if (auto optimizer = top.Table("optimizer")) ReadOptimizer(*optimizer, options.optimizer);
  if (auto schedule = top.Table("schedule")) ReadSchedule(*schedule, options.schedule);
  if (auto loop = top.Table("loop")) ReadLoop(*loop, options.loop);
  if (auto held_out = top.Table("held_out")) ReadHeldOut(*held_out, options.held_out);
  top.RefuseUnknown();
  if (options.model.training.empty()) options.model.training = options.description;
  return options;
}

}  // namespace

TrainConfig ReadTrainConfig(const std::filesystem::path& path, const std::vector<std::string>& assignments) {
  toml::table table = ReadTomlChain(path);
  for (const std::string& assignment : assignments) MergeToml(ParseAssignment(assignment), table);
  std::ostringstream text;
  text << table << "\n";
  return {ParseTrainOptions(table, path.string()), text.str()};
}

}  // namespace calfvo::train
