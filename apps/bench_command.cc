// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "commands/bench/speed_report.h"
#include "commands/bench/window_dump.h"
#include "shared_options.h"
#include "vo/model_choice.h"

namespace calfvo {
namespace {

struct BenchArguments {
  std::string model = "calfvo-s";
  std::string backend = "auto";
  std::string precision = "auto";
  int threads = 0;
  SpeedOptions options;
  std::filesystem::path dump;
  bool overwrite = false;
  bool json = false;
};

constexpr const char* kBenchExamples = R"(Examples:
  calfvo bench                                     the default model on the default backend
  calfvo bench --model random:calfvo-l:1           the paper's model size; speed does not depend on the weights
  calfvo bench --backend cpu --precision f32 --threads 1
  calfvo bench --windows 64 --seconds 10 --json

Measures the network alone, from preprocessed images to relative poses, with three schedules:
  live     one window per iteration, and its result is awaited: the latency of a robot
  stream   one window per iteration, while the frames of the next window are encoded
  offline  --windows windows per iteration: the throughput on an archive
Reports the median and the 95th percentile of the time per iteration. TFLOP/s is the operation count of the model
divided by that time. On the CPU with --precision auto, the live schedule is measured in every precision, beside the peak
throughput of that precision's products. Decoding and resizing video are excluded; `calfvo run --json` reports them.
Exit code: 0 done, 1 failed, 2 wrong usage, 75 out of memory or disk space.)";

int Bench(const BenchArguments& arguments) {
  if (!arguments.dump.empty()) CheckMayWrite(arguments.dump, arguments.overwrite);
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
  if (kind.name == "cpu" && arguments.precision == "auto") {
    report.precisions = MeasurePrecisions(model.file, arguments.threads, arguments.options);
  }
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
  app.add_option("--windows", options.windows, "Windows per iteration of the offline schedule")
      ->check(Between(1, 1024))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "Duration of each measurement, after a warm-up")
      ->check(Between(0.0, 3600.0))
      ->type_name("S")
      ->capture_default_str();
  CLI::Option* const dump =
      app.add_option("--dump", arguments->dump,
                     "Write the images of one window and the raw network output, to compare implementations")
          ->type_name("FILE");
  app.add_flag("--overwrite", arguments->overwrite, "Replace an existing file of --dump")->needs(dump);
  app.add_flag("--json", arguments->json, "Print JSON only");
  app.add_flag("--quiet", options.quiet, "Hide the progress bar");
  app.footer(kBenchExamples);
  return [arguments] {
    arguments->options.quiet = arguments->options.quiet || arguments->json;
    return Bench(*arguments);
  };
}

}  // namespace calfvo
