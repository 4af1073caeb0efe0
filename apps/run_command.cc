// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "commands.h"
#include "commands/run/manifest.h"
#include "commands/run/manifest_run.h"
#include "commands/run/run_folder.h"
#include "commands/run/video_runner.h"
#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/number_text.h"
#include "shared_options.h"
#include "shown_run.h"

namespace calfvo {
namespace {

struct RunArguments {
  RunOptions options;
  std::string input;
  std::filesystem::path manifest;
  std::string shard = "1/1";
  bool wait = true;
  std::filesystem::path output;
  std::string rate;
  ExportTexts exports;
  bool json = false;
  bool refine = false;
  RefineOptions refine_options;
  std::string distance;
  bool view = false;
};

constexpr const char* kRunExamples = R"(Examples:
  calfvo run holiday.mp4                           writes holiday-calfvo/
  calfvo run frames/ -o out --fps 30               a folder of images
  calfvo run walk.mp4 --refine                     less drift, the camera's focal length, a sparse map
  calfvo run 'shots/img*.png' --gt groundtruth.txt evaluates the result
  calfvo run /dev/video0 --live -o walk            a camera, until Ctrl-C
  calfvo run holiday.mp4 --view                    the same in a browser while it runs
  ffmpeg -i in.mkv -pix_fmt yuv420p -f yuv4mpegpipe - | calfvo run - -o out
  calfvo run --manifest list.txt -o archive        many videos; start it again to share the work between processes
  calfvo run walk.mp4 --export colmap,blender      for other tools; `calfvo export` does so later

Writes trajectory.tum, trajectory.kitti, poses.csv (with covariances), path.png, uncertainty.png, view.html and, last,
run.json.
A second run of the same input replaces these files. --overwrite is required to replace results of another input, a
camera or a pipe. Files not written by calfvo are never replaced.
Ctrl-C writes the results of the frames read so far. Exit code: 0 done, 1 failed and would fail again, 2 wrong
usage, 75 try again: out of memory or disk space, a folder in use, or a --manifest that was stopped.)";

// The headings of the help.
void GroupOptions(CLI::App& app) {
  const std::pair<const char*, std::vector<const char*>> groups[] = {
      {"Input", {"--fps", "--stride", "--start", "--end", "--stream", "--topic"}},
      {"Estimation",
       {"--model", "--backend", "--precision", "--threads", "--overlap", "--flip", "--window", "--live"}},
      {"Refinement",
       {"--refine", "--focal", "--fov", "--camera-height", "--distance", "--no-loops", "--mask"}},
      {"Output",
       {"--export", "--images", "--undistort", "--compression", "--view", "--no-page", "--gt", "--max-diff",
        "--overwrite", "--json", "--quiet"}},
      {"Many videos", {"--manifest", "--no-wait", "--shard"}},
  };
  for (const auto& [title, options] : groups) {
    for (const char* option : options) app.get_option(option)->group(title);
  }
}

// Without the second blank line between groups of options.
class RunHelp : public CLI::Formatter {
 public:
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    const std::string text = CLI::Formatter::make_group(group, is_positional, std::move(options));
    const bool is_first = is_positional || group == "Options";
    return is_first || !text.starts_with('\n') ? text : text.substr(1);
  }
};

// "FROM:TO:METRES"
KnownDistance ParseDistance(const std::string& text) {
  const size_t first = text.find(':');
  const size_t second = text.find(':', first == std::string::npos ? first : first + 1);
  KnownDistance distance;
  if (second == std::string::npos || !ParseNumber(text.substr(0, first), &distance.first_s) ||
      !ParseNumber(text.substr(first + 1, second - first - 1), &distance.second_s) ||
      !ParseNumber(text.substr(second + 1), &distance.metres)) {
    throw Error(fmt::format("'{}': expected FROM:TO:METRES with times in seconds, as 2.5:10:4.2", text));
  }
  RefineOptions{.distance = distance}.Validate();
  return distance;
}

int RunOne(const RunArguments& arguments) {
  VideoRunner runner(arguments.options);
  const auto folder = arguments.output.empty() ? DefaultRunFolder(arguments.input) : arguments.output;
  ShownRun shown;
  if (arguments.view) shown.Serve(folder);
  const RunReport report = shown.Follow([&] {
    return runner.Run(arguments.input, folder, StopRequested(), nullptr, {}, shown.observer()).report;
  });
  if (arguments.json) {
    fmt::print("{}", RunReportJson(report));
  } else if (!arguments.options.quiet) {
    fmt::print("{}", RunReportText(report));
  }
  if (!report.evaluation_error.empty()) {
    Log(LogLevel::kError, fmt::format("{} {}", arguments.input, EvaluationErrorText(report)));
  }
  shown.Wait();
  return report.evaluation_error.empty() ? 0 : 1;
}

int RunList(const RunArguments& arguments) {
  const auto entries = TakeShard(ReadManifest(arguments.manifest), ParseShard(arguments.shard));
  VideoRunner runner(arguments.options);
  const ManifestResult result = RunManifest(
      runner, entries, {.output = arguments.output, .wait = arguments.wait, .quiet = arguments.options.quiet},
      StopRequested());
  if (result.failed > 0) LogWarning("{} of {} inputs failed", result.failed, entries.size());
  if (result.unfinished > 0) {
    LogWarning("{} of {} inputs are not done; repeat the command", result.unfinished, entries.size());
  }
  if (result.stopped) LogWarning("stopped; repeat the command to run the rest");
  return result.ExitCode();
}

void CheckArguments(const RunArguments& arguments) {
  if (arguments.input.empty() && arguments.manifest.empty()) {
    throw CLI::ValidationError("INPUT", "expected one input, or --manifest FILE");
  }
  if (!arguments.input.empty() && !arguments.manifest.empty()) {
    throw CLI::ValidationError("INPUT", "and --manifest are both given: one expected");
  }
  if (!arguments.manifest.empty()) {
    if (arguments.output.empty()) throw CLI::ValidationError("--manifest", "needs -o DIR");
    if (arguments.json)
      throw CLI::ValidationError("--json", "requires a single input; each result folder holds a run.json");
    if (arguments.view) throw CLI::ValidationError("--view", "requires a single input");
    if (!arguments.options.ground_truth.empty())
      throw CLI::ValidationError("--gt", "requires a single input");
  } else if (arguments.shard != "1/1") {
    throw CLI::ValidationError("--shard", "needs --manifest");
  } else if (!arguments.wait) {
    throw CLI::ValidationError("--no-wait", "needs --manifest");
  }
  if (arguments.options.max_diff_s != RunOptions().max_diff_s && arguments.options.ground_truth.empty()) {
    throw CLI::ValidationError("--max-diff", "needs --gt");
  }
  const RefineOptions& refine = arguments.refine_options;
  if (!arguments.refine) {
    if (refine.focal_px) throw CLI::ValidationError("--focal", "needs --refine");
    if (refine.fov_deg) throw CLI::ValidationError("--fov", "needs --refine");
    if (refine.camera_height_m) throw CLI::ValidationError("--camera-height", "needs --refine");
    if (!arguments.distance.empty()) throw CLI::ValidationError("--distance", "needs --refine");
    if (!refine.loops) throw CLI::ValidationError("--no-loops", "needs --refine");
  } else if (refine.focal_px && refine.fov_deg) {
    throw CLI::ValidationError("--fov", "and --focal are both given: one expected");
  } else if (refine.camera_height_m && !arguments.distance.empty()) {
    throw CLI::ValidationError("--distance", "and --camera-height are both given: one expected");
  } else if (arguments.options.live && (refine.camera_height_m || !arguments.distance.empty())) {
    throw CLI::ValidationError("--live",
                               "does not go with --camera-height or --distance: they need the whole video");
  }
  CheckExportTexts(arguments.exports);
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
                 "Video file, image folder or glob, recording (.mcap, .bag, .db3), /dev/videoN, "
                 "dataset:PATH, or - for "
                 "y4m on standard input")
      ->type_name("INPUT");
  app.add_option("-o,--output", arguments->output, "Output folder (default: INPUT-calfvo)")
      ->check(IsPath())
      ->type_name("DIR");
  app.add_option("--fps", arguments->rate,
                 "Frame rate that replaces the timestamps of the input: 30, 29.97, 30000/1001, 1/60")
      ->check(ParsedBy(ParseFrameRate))
      ->type_name("F");
  app.add_option("--stride", options.source.stride, "Use every S-th frame")
      ->check(AtLeast(1))
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--start", options.source.start_s, "Skip the first SEC seconds (default 0)")
      ->check(Between(0.0, 1e9))
      ->type_name("SEC");
  app.add_option("--end", options.source.end_s, "Stop SEC seconds after the first frame (default: the end)")
      ->check(Between(0.0, 1e9))
      ->type_name("SEC");
  app.add_option("--stream", options.source.stream,
                 "Index of the video stream in the file (default: the best)")
      ->check(AtLeast(0))
      ->type_name("N");
  app.add_option("--topic", options.source.topic, "Topic of a recording (default: the only one with images)")
      ->type_name("NAME");
  AddNetworkOptions(app, {.model = options.model,
                          .backend = options.backend,
                          .precision = options.precision,
                          .threads = options.threads,
                          .overlap = options.overlap});
  AddFlipOption(app, options.flip);
  app.add_option("--window", options.window, "Fail unless the windows of the model have K frames")
      ->check(AtLeast(1))
      ->type_name("K");
  app.add_flag("--live", options.live,
               "Process frame by frame and write each pose as soon as it is final, a few frames late");
  app.add_flag("--refine", arguments->refine,
               "Refine poses by corner tracks, self-calibration and loop closure: better poses, intrinsics, "
               "a sparse map");
  app.add_option("--focal", arguments->refine_options.focal_px, "With --refine: the known focal length")
      ->check(Between(1.0, 1e6))
      ->type_name("PX");
  app.add_option("--fov", arguments->refine_options.fov_deg,
                 "With --refine: the known horizontal field of view")
      ->check(Between(1.0, 179.0))
      ->type_name("DEG");
  app.add_option("--camera-height", arguments->refine_options.camera_height_m,
                 "With --refine: the camera's height above the ground, to which the path is scaled")
      ->check(Between(0.001, 1e4))
      ->type_name("M");
  app.add_option("--distance", arguments->distance,
                 "With --refine: the straight distance between the positions at two times, to which the path "
                 "is scaled")
      ->check(ParsedBy(ParseDistance))
      ->type_name("FROM:TO:M");
  app.add_flag_callback(
      "--no-loops", [arguments] { arguments->refine_options.loops = false; },
      "With --refine: do not close loops");
  app.add_option("--mask", arguments->options.mask,
                 "Ignore what is black here, such as a bonnet or people: an image, or a folder or video with "
                 "one image per frame")
      ->check(IsPath())
      ->type_name("PATH");
  AddExportList(*app.add_option("--export", arguments->exports.list, kExportListHelp));
  AddExportOptions(app, arguments->exports);
  app.add_flag("--view", arguments->view, "Serve the run to a browser on this machine while it happens");
  app.add_flag_callback(
      "--no-page", [arguments] { arguments->options.page = false; }, "Do not write view.html");
  app.add_option("--gt", options.ground_truth, "Evaluate against this ground-truth trajectory")
      ->check(IsPath())
      ->type_name("FILE");
  AddMaxDiffOption(app, options.max_diff_s, "With --gt: match poses at most this far apart in time");
  app.add_option("--manifest", arguments->manifest,
                 "File with one input per line; finished inputs are skipped")
      ->check(IsPath())
      ->type_name("FILE");
  app.add_flag_callback(
      "--no-wait", [arguments] { arguments->wait = false; },
      "With --manifest: leave inputs that other processes are running instead of waiting for them");
  app.add_option("--shard", arguments->shard, "With --manifest: process part I of N")
      ->check(ParsedBy(ParseShard))
      ->type_name("I/N");
  app.add_flag(
      "--overwrite", options.overwrite,
      "Replace results of another input, a camera or a pipe; with --manifest, also of other settings");
  app.add_flag("--json", arguments->json, "Print run.json only");
  app.add_flag("--quiet", options.quiet, "Hide the progress bar, the summary and the line per video");
  GroupOptions(app);
  app.formatter(std::make_shared<RunHelp>());
  app.footer(kRunExamples);
  app.callback([arguments] { CheckArguments(*arguments); });
  return [arguments] {
    RunOptions& chosen = arguments->options;
    if (!arguments->rate.empty()) chosen.source.rate = ParseFrameRate(arguments->rate);
    chosen.exports = ExportOptionsOf(arguments->exports);
    chosen.quiet = chosen.quiet || arguments->json;
    if (!arguments->distance.empty()) arguments->refine_options.distance = ParseDistance(arguments->distance);
    if (arguments->refine) chosen.refine = arguments->refine_options;
    return arguments->manifest.empty() ? RunOne(*arguments) : RunList(*arguments);
  };
}

}  // namespace calfvo
