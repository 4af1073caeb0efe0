// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "estimator/model_choice.h"
#include "shared_options.h"
#include "speed/speed_report.h"
#include "speed/window_dump.h"

namespace calfvo {
namespace {

struct BenchArguments {
  std::string model = "calfvo-s";
  std::string backend = "auto";
  std::string precision = "auto";
  int threads = 0;
  SpeedOptions options;
  std::filesystem::path dump;
  bool json = false;
};

constexpr const char* kBenchExamples = R"(Examples:
  calfvo bench                                     the shipped model on what `calfvo run` would take
  calfvo bench --model random:calfvo-l:1           the paper's size; random weights are as fast as trained ones
  calfvo bench --backend cpu --precision f32 --threads 1
  calfvo bench --windows 64 --seconds 10 --json

Measures the network alone, from prepared pictures to relative poses, in the ways it is used:
  live     a window as soon as its new frames are there: what a robot waits for; 95 % of steps take no longer
           than the time beside the median
  stream   the same, but the next frames are encoded while a device works on the window
  offline  --windows at once, with all their new frames: how fast an archive goes through
TFLOP/s are those that the model's definition needs, over the time they took. Reading and resizing video is not in it;
`calfvo run --json` has that. Exit code: 0 done, 1 failed, 2 wrong usage.)";

int Bench(const BenchArguments& arguments) {
  const ChosenModel model = OpenModel(arguments.model);
  const ModelConfig& config = model.file.config;
  arguments.options.Validate(config.window);
  const BackendKind kind = ChooseBackend(arguments.backend, arguments.precision);
  NetworkEstimator estimator(model.file, kind, arguments.threads);
  if (!arguments.dump.empty()) DumpWindow(estimator.network(), estimator.backend(), arguments.dump);
  SpeedReport report{.model = model.name,
                     .backend = estimator.backend().Description(),
                     .precision = std::string(PrecisionName(kind.precision)),
                     .parameters = ParameterCount(ModelTensors(config)),
                     .window = config.window,
                     .overlap = arguments.options.overlap,
                     .flops = CountFlops(config),
                     .schedules = MeasureSpeed(estimator, arguments.options)};
  report.device_bytes = estimator.backend().DeviceBytes();
  fmt::print("{}", arguments.json ? SpeedJson(report) : SpeedText(report));
  return 0;
}

}  // namespace

Run AddBenchCommand(CLI::App& app) {
  auto arguments = std::make_shared<BenchArguments>();  // shared by the parser and the returned function
  SpeedOptions& options = arguments->options;
  AddNetworkOptions(app, {.model = arguments->model,
                          .backend = arguments->backend,
                          .precision = arguments->precision,
                          .threads = arguments->threads,
                          .overlap = options.overlap});
  app.add_option("--windows", options.windows, "Windows of an offline step")
      ->check(Between(1, 1024))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "To measure each schedule for, after some steps of warm-up")
      ->check(Between(0.0, 3600.0))
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--dump", arguments->dump,
                 "Write a window's pictures and the head's raw values, to compare implementations")
      ->type_name("FILE");
  app.add_flag("--json", arguments->json, "Print one JSON object and nothing else");
  app.add_flag("--quiet", options.quiet, "No progress bar");
  app.footer(kBenchExamples);
  return [arguments] {
    arguments->options.quiet = arguments->options.quiet || arguments->json;
    return Bench(*arguments);
  };
}

}  // namespace calfvo
