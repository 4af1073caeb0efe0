// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "calfvo/error.h"
#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/quoted.h"
#include "core/base/usage_message.h"
#include "loop/run.h"

namespace calfvo::train {
namespace {

constexpr int kFailure = 1;
constexpr int kBadUsage = 2;

constexpr const char* kExamples = R"(Examples:
  calfvo-train --config configs/train/calfvo-s.toml
  calfvo-train --config configs/train/calfvo-s.toml --out runs/a --set loop.batch=32 --set schedule.max_minutes=10
  calfvo-train --resume runs/a
  torchrun --nproc-per-node 8 --no-python calfvo-train --config configs/train/paper.toml --out runs/paper

Writes into the folder: config.toml, log.jsonl, curves.html, checkpoint-*.safetensors, model.safetensors (best held-out
evaluation) and model-last.safetensors. Ctrl-C saves a checkpoint first.
Exit code: 0 finished or stopped with a checkpoint, 1 failed, 2 wrong usage.)";

struct Flags {
  std::filesystem::path config;
  std::filesystem::path out;
  std::filesystem::path resume;
  std::vector<std::string> assignments;
  bool quiet = false;
};

RunRequest RequestFrom(const Flags& flags) {
  RunRequest request;
  request.resume = !flags.resume.empty();
  request.quiet = flags.quiet;
  request.another_seed = std::any_of(flags.assignments.begin(), flags.assignments.end(),
                                     [](const std::string& set) { return set.starts_with("loop.seed="); });
  request.folder = request.resume ? flags.resume : flags.out;
  if (request.folder.empty()) request.folder = std::filesystem::path("runs") / flags.config.stem();
  request.config = ReadTrainConfig(flags.config.empty() ? request.folder / "config.toml" : flags.config,
                                   flags.assignments);
  return request;
}

int Train(const Flags& flags) {
  StopRequested();  // from now on Ctrl-C asks for a checkpoint first
  const RunRequest request = RequestFrom(flags);
  const ProcessPlace place = PlaceFromEnvironment();
  const torch::Device device = ChooseDevice(request.config.options.loop.device, place);
  Processes processes(place, device);
  const RunResult result =
      TrainRun(request, processes, device, [](int64_t) { return StopRequested().load(); });
  if (processes.first() && !flags.quiet) {
    fmt::print("{} after {} steps and {:.1f} minutes\n", result.finished ? "finished" : "stopped",
               result.state.steps_done, result.state.elapsed_s / 60.0);
    if (result.state.best_step >= 0) {
      fmt::print("best held-out score {:.4f}, after {} steps\n", result.state.best_score,
                 result.state.best_step);
    }
    fmt::print("folder {}\n", request.folder.string());
    if (!result.finished) fmt::print("continue with: calfvo-train --resume {}\n", request.folder.string());
  }
  return 0;
}

int Main(int argc, char** argv) {
  CLI::App app("calfvo-train trains the network of calfvo.", "calfvo-train");
  app.footer(kExamples);
  app.failure_message([](const CLI::App* program, const CLI::Error& error) {
    return UsageMessage(error.what(), program->get_name());
  });
  Flags flags;
  auto* config =
      app.add_option("--config", flags.config, "Configuration; configs/train holds the shipped ones")
          ->type_name("FILE.toml");
  auto* out =
      app.add_option("--out", flags.out, "Folder of the run (default: runs/NAME of the configuration)")
          ->type_name("DIR");
  auto* resume =
      app.add_option("--resume", flags.resume, "Continue the run in this folder")->type_name("DIR");
  app.add_option("--set", flags.assignments,
                 "Change a key of the configuration: table.key=value; may be repeated")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_flag("--quiet", flags.quiet, "Hide the progress and the summary");
  out->excludes(resume);
  try {
    app.parse(argc, argv);
    if (config->count() + resume->count() == 0) throw CLI::RequiredError("--config or --resume");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadUsage;
  }
  // oneDNN's AMX path dies on some CPUs; LibTorch shares its library. Read at first use.
  ::setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);
  SetLogLevel(flags.quiet ? LogLevel::kWarning : LogLevel::kInfo);
  return Train(flags);
}

}  // namespace
}  // namespace calfvo::train

int main(int argc, char** argv) {
  try {
    return calfvo::train::Main(argc, argv);
  } catch (const calfvo::Error& error) {
    std::fprintf(stderr, "error: %s\n", calfvo::Printable(error.what()).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: unexpected: %s\n", calfvo::Printable(error.what()).c_str());
  }
  return calfvo::train::kFailure;
}
