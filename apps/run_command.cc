// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "base/log.h"
#include "calfvo/error.h"
#include "commands.h"
#include "run/manifest.h"
#include "run/run_folder.h"
#include "run/video_runner.h"
#include "shared_options.h"

namespace calfvo {
namespace {

struct RunArguments {
  RunOptions options;
  std::string input;
  std::filesystem::path manifest;
  std::string shard = "1/1";
  std::filesystem::path output;
  std::string rate;
  bool json = false;
};

constexpr const char* kRunExamples = R"(Examples:
  calfvo run holiday.mp4                           results in holiday-calfvo/
  calfvo run frames/ -o out --fps 30               a folder of pictures
  calfvo run 'shots/img*.png' --gt groundtruth.txt and evaluate
  calfvo run /dev/video0 --live -o walk            a camera, until Ctrl-C
  ffmpeg -i in.mkv -pix_fmt yuv420p -f yuv4mpegpipe - | calfvo run - -o out
  calfvo run --manifest list.txt -o archive --shard 3/16    the third of sixteen jobs

Writes trajectory.tum, trajectory.kitti, poses.csv (with covariances), path.png, confidence.png and, last, run.json.
A run replaces what an earlier run of the same input left in the folder. Results of another input, and of cameras and
pipes, which cannot be read again, are replaced with --overwrite only; files that no run left are never.
Ctrl-C finishes with what has been read. Exit code: 0 done, 1 failed, 2 wrong usage.)";

int RunOne(const RunArguments& arguments) {
  VideoRunner runner(arguments.options);
  const auto folder = arguments.output.empty() ? DefaultRunFolder(arguments.input) : arguments.output;
  const RunReport report = runner.Run(arguments.input, folder, StopRequested());
  if (arguments.json) {
    fmt::print("{}", RunReportJson(report));
  } else if (!arguments.options.quiet) {
    fmt::print("{}", RunReportText(report));
  }
  if (report.evaluation_error.empty()) return 0;
  Log(LogLevel::kError, fmt::format("{} {}", arguments.input, EvaluationErrorText(report)));
  return 1;
}

// One failing video does not stop the rest.
int RunManifest(const RunArguments& arguments) {
  const auto entries = TakeShard(ReadManifest(arguments.manifest), ParseShard(arguments.shard));
  VideoRunner runner(arguments.options);
  const auto is_done = [&](const ManifestEntry& entry) {
    return runner.IsDone(entry.input, arguments.output / entry.name);
  };
  // Results of other settings are told before anything is run, and not once per video.
  for (const ManifestEntry& entry : entries) is_done(entry);
  int failures = 0;
  bool stopped = false;
  for (size_t i = 0; i < entries.size() && !stopped; ++i) {
    const auto tell = [&](const std::string& what) {
      if (arguments.options.quiet) return;
      fmt::print("[{}/{}] {}: {}\n", i + 1, entries.size(), entries[i].name, what);
      std::fflush(stdout);
    };
    if (is_done(entries[i])) {
      tell("done before");
      continue;
    }
    stopped = StopRequested();
    if (stopped) break;
    try {
      const RunReport report =
          runner.Run(entries[i].input, arguments.output / entries[i].name, StopRequested());
      stopped = report.interrupted;
      tell(fmt::format("{}{} frames, {:.1f} frames/s", report.interrupted ? "stopped after " : "",
                       report.frames, report.fps()));
    } catch (const Error& error) {
      Log(LogLevel::kError, error.what());
      ++failures;
    }
  }
  if (failures > 0) LogWarning("{} of {} inputs failed", failures, entries.size());
  return failures > 0 || stopped ? 1 : 0;
}

void CheckArguments(const RunArguments& arguments) {
  if (arguments.input.empty() == arguments.manifest.empty()) {
    throw CLI::ValidationError("INPUT", "give one input, or --manifest FILE");
  }
  if (!arguments.manifest.empty()) {
    if (arguments.output.empty()) throw CLI::ValidationError("--manifest", "needs -o DIR");
    if (arguments.json)
      throw CLI::ValidationError("--json", "is for one input; each folder holds a run.json");
    if (!arguments.options.ground_truth.empty()) throw CLI::ValidationError("--gt", "is for one input");
  } else if (arguments.shard != "1/1") {
    throw CLI::ValidationError("--shard", "needs --manifest");
  }
  if (arguments.options.max_diff_s != RunOptions().max_diff_s && arguments.options.ground_truth.empty()) {
    throw CLI::ValidationError("--max-diff", "needs --gt");
  }
  const SourceOptions& source = arguments.options.source;
  if (source.end_s && *source.end_s <= source.start_s) {
    throw CLI::ValidationError("--end",
                               fmt::format("{} is not after --start, {}", *source.end_s, source.start_s));
  }
}

}  // namespace

Run AddRunCommand(CLI::App& app) {
  auto arguments = std::make_shared<RunArguments>();  // shared by the parser and the returned function
  RunOptions& options = arguments->options;
  app.add_option("input", arguments->input,
                 "Video file, folder or glob of pictures, /dev/videoN, dataset:PATH, or - for y4m")
      ->type_name("INPUT");
  app.add_option("-o,--output", arguments->output,
                 "Folder of the results; without it one named after the input")
      ->type_name("DIR");
  AddNetworkOptions(app, {.model = options.model,
                          .backend = options.backend,
                          .precision = options.precision,
                          .threads = options.threads,
                          .overlap = options.overlap});
  AddMirrorOption(app, options.mirror);
  app.add_option("--window", options.window, "Frames per window; must be the model's")
      ->check(AtLeast(1))
      ->type_name("K");
  app.add_option("--fps", arguments->rate,
                 "Frame rate instead of the input's own times: 30, 29.97, 30000/1001; 1/60 for time-lapse")
      ->check(ParsedBy(ParseFrameRate))
      ->type_name("F");
  app.add_option("--stride", options.source.stride, "Take every S-th frame")
      ->check(AtLeast(1))
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--start", options.source.start_s, "Skip this much at the start")
      ->check(Between(0.0, 1e9))
      ->type_name("SEC");
  app.add_option("--end", options.source.end_s, "Stop this long after the first frame")
      ->check(Between(0.0, 1e9))
      ->type_name("SEC");
  app.add_option("--stream", options.source.stream, "Which video stream of the file, from 0")
      ->check(AtLeast(0))
      ->type_name("N");
  app.add_flag("--live", options.live, "Frame by frame; poses are written as they come, a few frames late");
  app.add_flag("--npz", options.npz, "Write trajectory.npz for NumPy too");
  app.add_flag("--colmap", options.colmap, "Write a COLMAP model too");
  app.add_option("--gt", options.ground_truth, "Evaluate against this trajectory")->type_name("FILE");
  AddMaxDiffOption(app, options.max_diff_s, "With --gt: match poses at most this far apart in time");
  app.add_option("--manifest", arguments->manifest, "Many inputs, one per line; finished ones are skipped")
      ->type_name("FILE");
  app.add_option("--shard", arguments->shard, "With --manifest: part I of N")
      ->check(ParsedBy(ParseShard))
      ->type_name("I/N");
  app.add_flag(
      "--overwrite", options.overwrite,
      "Replace what the folder holds of another input, a camera or a pipe; with --manifest, of other "
      "settings too");
  app.add_flag("--json", arguments->json, "Print run.json and nothing else");
  app.add_flag("--quiet", options.quiet, "No progress bar, no summary, no line per video");
  app.footer(kRunExamples);
  app.callback([arguments] { CheckArguments(*arguments); });
  return [arguments] {
    RunOptions& chosen = arguments->options;
    if (!arguments->rate.empty()) chosen.source.rate = ParseFrameRate(arguments->rate);
    chosen.quiet = chosen.quiet || arguments->json;
    return arguments->manifest.empty() ? RunOne(*arguments) : RunManifest(*arguments);
  };
}

}  // namespace calfvo
