// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "calfvo/evaluation.h"
#include "commands.h"
#include "core/base/log.h"
#include "core/base/owned_files.h"
#include "core/base/quoted.h"
#include "core/base/unique_names.h"
#include "eval/metrics/attribution.h"
#include "eval/metrics/evaluation_text.h"
#include "eval/report/html_report.h"
#include "shared_options.h"

namespace calfvo {
namespace {

struct EvalOptions {
  std::vector<std::filesystem::path> references;
  std::vector<std::filesystem::path> estimates;
  std::string reference_format = "auto";
  std::string estimate_format = "auto";
  std::string align = "none";
  double max_diff_s = EvaluationOptions().max_time_difference_s;
  std::filesystem::path plot_folder;
  std::string plane = "auto";
  bool attribute = false;
  bool json = false;
};

constexpr const char* kEvalExamples = R"(Examples:
  calfvo eval --ref groundtruth.txt --est trajectory.tum
  calfvo eval --ref gt/09.txt --est out/09.txt --align sim3 --plot report
  calfvo eval --ref gt/09.txt gt/10.txt --est out/09.txt out/10.txt     one row each, and the mean
  calfvo eval --ref groundtruth.txt --est trajectory.tum --attribute    what limits it: scale, rotation, …
  calfvo eval --ref groundtruth.txt --est trajectory.tum --json | jq .t_rel

Reports APE and RPE as evo defines them (docs/metrics.md), relative errors t_rel and r_rel, and scale.
File formats: TUM (time tx ty tz qx qy qz qw), KITTI (12 numbers per line), EuRoC CSV, and poses.csv of calfvo.
Exit code: 0 all evaluated, 1 a file could not be evaluated, 2 wrong usage.)";

std::optional<TrajectoryFormat> FormatOption(const std::string& name) {
  if (name == "auto") return {};
  return TrajectoryFormatFromName(name);
}

// "...tum" is a valid file name, but its stem ".." is not a folder name.
std::string SequenceName(const std::filesystem::path& estimate) {
  const std::string stem = estimate.stem().string();
  return stem == "." || stem == ".." ? estimate.filename().string() : stem;
}

// `calfvo run` and `calfvo suite` give all files the same name; then the folders name the sequences.
std::vector<std::string> SequenceNames(const std::vector<std::filesystem::path>& estimates) {
  std::vector<std::string> files;
  std::vector<std::string> folders;
  for (const auto& estimate : estimates) {
    files.push_back(SequenceName(estimate));
    folders.push_back(std::filesystem::absolute(estimate).lexically_normal().parent_path().filename());
  }
  const auto differ = [](std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return !names[0].empty() && std::adjacent_find(names.begin(), names.end()) == names.end();
  };
  const bool alike = std::count(files.begin(), files.end(), files[0]) == std::ssize(files);
  std::vector<std::string> names = alike && differ(folders) ? folders : files;
  UniqueNames unique;
  for (std::string& name : names) name = unique.TakeNumbered(name);
  return names;
}

// Prefixes errors with the path of the estimate.
Evaluation EvaluateNamed(const EvalOptions& options, const std::string& estimate_path,
                         const Trajectory& reference, const Trajectory& estimate) {
  try {
    return Evaluate(
        reference, estimate,
        {.alignment = AlignmentFromName(options.align), .max_time_difference_s = options.max_diff_s});
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", estimate_path, error.what()));
  }
}

// Reads, evaluates and draws one pair; `plot_folder` may be empty.
SequenceResult EvaluateFiles(const EvalOptions& options, size_t i, const std::string& name,
                             const std::filesystem::path& plot_folder) {
  if (!plot_folder.empty()) CheckOwnedFiles(plot_folder, ReportFiles());
  const Trajectory reference = ReadTrajectory(options.references[i], FormatOption(options.reference_format));
  const Trajectory estimate = ReadTrajectory(options.estimates[i], FormatOption(options.estimate_format));
  Evaluation evaluation = EvaluateNamed(options, options.estimates[i].string(), reference, estimate);
  if (!evaluation.alignment_is_unique) {
    LogWarning("{}: the positions lie on a line or in a point, so the {} alignment is not unique", name,
               options.align);
  }
  // Each pose of the shorter trajectory seeks a partner.
  const size_t seeking = std::min(reference.size(), estimate.size());
  if (evaluation.pairs.size() * 2 < seeking) {
    LogWarning(
        "{}: only {} of {} poses match within {} s; do both files have the same clock and unit of time?",
        name, evaluation.pairs.size(), seeking, options.max_diff_s);
  }
  if (!plot_folder.empty()) {
    const OwnedFiles files(plot_folder, ReportFiles());
    WriteReport({name, reference, estimate, evaluation}, plot_folder,
                {.plane = ViewPlaneFromName(options.plane)});
    files.Finish();
  }
  SequenceResult result{.name = name, .evaluation = std::move(evaluation), .error = {}};
  if (options.attribute) result.attribution = Attribute(reference, estimate, result.evaluation->pairs);
  return result;
}

void PrintPlotFolder(const EvalOptions& options) {
  if (!options.json && !options.plot_folder.empty()) {
    fmt::print("\nreport  {}\n", Printable((options.plot_folder / "report.html").string()));
    fmt::print("plot    {}\n", Printable((options.plot_folder / "path.png").string()));
  }
}

int EvaluateOne(const EvalOptions& options) {
  const SequenceResult result =
      EvaluateFiles(options, 0, SequenceName(options.estimates[0]), options.plot_folder);
  fmt::print("{}", options.json ? EvaluationJson(*result.evaluation, result.attribution)
                                : EvaluationText(*result.evaluation));
  if (result.attribution && !options.json) fmt::print("\n{}", AttributionText(*result.attribution));
  PrintPlotFolder(options);
  return 0;
}

// One failing pair does not stop the rest.
int EvaluateMany(const EvalOptions& options) {
  std::vector<SequenceResult> results;
  const std::vector<std::string> names = SequenceNames(options.estimates);
  int exit_code = 0;
  for (size_t i = 0; i < options.references.size(); ++i) {
    SequenceResult result;
    result.name = names[i];
    const auto folder = options.plot_folder.empty() ? "" : options.plot_folder / result.name;
    try {
      result = EvaluateFiles(options, i, result.name, folder);
    } catch (const Error& error) {
      result.error = error.what();
      Log(LogLevel::kError, result.error);
      exit_code = 1;
    }
    results.push_back(std::move(result));
  }
  fmt::print("{}", options.json ? SequencesJson(results) : SequencesText(results));
  return exit_code;
}

}  // namespace

Run AddEvalCommand(CLI::App& app) {
  auto options = std::make_shared<EvalOptions>();  // shared by the parser and the returned function
  app.add_option("--ref", options->references, "Reference trajectories")
      ->required()
      ->check(IsPath())
      ->type_name("FILE");
  app.add_option("--est", options->estimates, "Estimated trajectories, one per reference")
      ->required()
      ->check(IsPath())
      ->type_name("FILE");
  app.add_option("--align", options->align,
                 "Alignment of the estimate to the reference: none, first pose (origin), rotation and "
                 "translation (se3), or these and scale (sim3)")
      ->check(CLI::IsMember({"none", "origin", "se3", "sim3"}))
      ->capture_default_str();
  AddMaxDiffOption(app, options->max_diff_s, "Match poses at most this far apart in time");
  const CLI::IsMember formats({"auto", "tum", "kitti", "euroc", "csv"});
  app.add_option("--ref-format", options->reference_format, "Format of --ref")
      ->check(formats)
      ->capture_default_str();
  app.add_option("--est-format", options->estimate_format, "Format of --est")
      ->check(formats)
      ->capture_default_str();
  app.add_option("--plot", options->plot_folder, "Write plots (SVG, PNG) and report.html to this folder")
      ->check(IsPath())
      ->type_name("DIR");
  app.add_option("--plane", options->plane,
                 "Plane of the path plot; auto drops the axis with the least motion")
      ->check(CLI::IsMember({"auto", "xy", "xz", "yz"}))
      ->capture_default_str();
  app.add_flag("--attribute", options->attribute,
               "Report the ATE with a perfect scale, length, direction or rotation of the relative poses");
  app.add_flag("--json", options->json, "Print JSON only");
  app.footer(kEvalExamples);
  app.callback([options] {
    if (options->references.size() != options->estimates.size()) {
      throw CLI::ValidationError("--est", fmt::format("{} files for {} references", options->estimates.size(),
                                                      options->references.size()));
    }
    if (options->plane != "auto" && options->plot_folder.empty()) {
      throw CLI::ValidationError("--plane", "needs --plot");
    }
  });
  return
      [options] { return options->references.size() == 1 ? EvaluateOne(*options) : EvaluateMany(*options); };
}

}  // namespace calfvo
