// SPDX-License-Identifier: Apache-2.0
// Everything that defines a training run. docs/training.md explains the TOML keys, which have the names of
// these members.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/procedural_options.h"
#include "data/window_sampler.h"
#include "loop/optimizer.h"
#include "loop/schedule.h"
#include "loss/pose_loss.h"
#include "nn/architecture/model_config.h"
#include "nn/tensor/dtype.h"

namespace calfvo::train {

enum class DeviceChoice { kAuto, kCpu, kCuda };

struct LoopOptions {
  uint64_t seed = 0;          // of the first weights and of the batches
  int batch = 64;             // windows per step, over all processes; has no effect with batch_per_process
  int batch_per_process = 0;  // windows per step of each process; 0: equal parts of `batch`
  DeviceChoice device = DeviceChoice::kAuto;
  bool bf16 = false;
  bool cuda_graph = true;  // where the device is CUDA
  bool freeze_encoder = false;
  double cache_tokens_gb = 0.0;        // device memory for tokens of a frozen encoder, per process; 0: none
  std::filesystem::path init;          // model file to start from; its configuration must be the run's
  std::filesystem::path init_encoder;  // model file to take the encoder alone from
  int log_every = 20;                  // steps; also how often several processes agree on whether to stop
  int evaluate_every = 1000;
  int checkpoint_every = 1000;
  int keep_checkpoints = 3;  // the best one is kept beside them
  DType export_dtype = DType::kBF16;

  void Validate() const;  // throws Error naming the field

  // Windows per step over all of so many processes. Throws Error where they cannot share `batch` evenly.
  int Windows(int processes) const;
};

// A set of procedural windows that training never sees: one kind of scene, one kind of motion.
struct HeldOutSet {
  SceneKind scene = SceneKind::kRoom;
  motion::MotionKind motion = motion::MotionKind::kHandheld;

  std::string Name() const;  // "room/handheld"
};

// Recorded sequences of any dataset that docs/datasets.md knows.
struct DatasetOptions {
  std::filesystem::path path;   // a sequence, or a folder of sequences
  std::filesystem::path split;  // which of them (configs/splits); empty: all
  StreamOptions sampling;
};

struct HeldOutOptions {
  int windows = 32;  // per set
  int batch = 32;    // windows at once
  uint64_t seed = 1'000'003;
  std::vector<HeldOutSet> sets;
  // Recorded sequences that training does not see; each dataset is a set of its own. Without these and
  // `sets`, no evaluation.
  std::vector<DatasetOptions> datasets;

  void Validate() const;
};

struct DataOptions {
  ProceduralOptions procedural;   // its size, frames, windows and seed come from `model` and `loop`
  double procedural_share = 1.0;  // of the windows, relative to the datasets' shares
  std::vector<DatasetOptions> datasets;
  std::filesystem::path cache;  // for resized images of datasets; empty: none
  int threads = 0;              // that read images; 0 means one per core
  int batches = 3;              // of images, read ahead

  // Throws Error naming the field, its value and what is expected. `procedural` has its own.
  void Validate() const;
};

struct TrainOptions {
  std::string description;
  ModelConfig model;
  DataOptions data;
  LossOptions loss;
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  LoopOptions loop;
  HeldOutOptions held_out;
};

}  // namespace calfvo::train
