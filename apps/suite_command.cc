// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "commands/suite/suite_runner.h"
#include "core/base/atomic_file.h"
#include "core/base/interrupt.h"
#include "core/base/log.h"
#include "core/base/owned_files.h"
#include "core/base/quoted.h"
#include "core/base/temporary_error.h"
#include "eval/tables/ablations_table.h"
#include "eval/tables/confidence_table.h"
#include "eval/tables/intrinsics_table.h"
#include "eval/tables/suite_folder.h"
#include "eval/tables/suite_tables.h"
#include "eval/tables/table_writers.h"
#include "shared_options.h"

namespace calfvo {
namespace {

constexpr const char* kAll = "all";
constexpr const char* kOverlap = "overlap";
constexpr const char* kMovers = "movers";

struct SuiteArguments {
  SuiteOptions options;
  std::vector<std::filesystem::path> compared;  // folders of earlier suites
  std::vector<std::string> tables = {"sequences",  "accuracy",    "scale", "global",
                                     "completion", "calibration", "poses", "runtime"};
  std::string format = "text";
  std::vector<std::filesystem::path> intrinsics;  // files of other methods' estimates
};

constexpr const char* kSuiteExamples = R"(Examples:
  calfvo suite --data /data --split configs/splits/*_test.txt -o out      the paper's test sets that are present
  calfvo suite --data /data/tum --datasets tum --table all -o out         all tables; runs each sequence 4 times
  calfvo suite --data /data --table accuracy --format latex -o out        reuses finished sequences
  calfvo suite --compare runs/baseline runs/euler runs/full               the paper's ablation table of these runs
  calfvo suite --compare runs/* --format latex -o tables                  also writes tables/comparison.tex

Writes the results of each sequence to DIR/DATASET/SEQUENCE, the tables to DIR/tables.* and standard output, and the
calibration plot to DIR/calibration.png. The same command resumes an interrupted suite.

To compare models, run the suite once per model with the same data and settings, then pass the output folders to
--compare. The table has one row per folder: the design of its model, and its errors on each benchmark.
Exit code: 0 all sequences done, 1 some failed or Ctrl-C, 2 wrong usage, 75 try again: out of memory or disk space, a
folder in use.)";

bool IsWanted(const SuiteArguments& arguments, std::string_view table) {
  return std::any_of(arguments.tables.begin(), arguments.tables.end(),
                     [&](const std::string& name) { return name == table || name == kAll; });
}

// Names of models and sequences come from files.
void MakePrintable(ResultTable& table) {
  table.title = Printable(table.title);
  table.note = Printable(table.note);
  for (std::string& heading : table.heading) heading = Printable(heading);
  for (auto& row : table.rows) {
    for (TableCell& cell : row) cell.text = Printable(cell.text);
  }
}

// The tables on standard output and, with a folder, in `folder`/`name`.* beside their figures.
class Summary {
 public:
  // Throws Error if files of others are where those of this will be.
  Summary(const SuiteArguments& arguments, std::string_view name, const std::vector<std::string>& figures)
      : folder_(arguments.options.output),
        format_(TableFormatFromName(arguments.format)),
        names_{fmt::format("{}{}", name, format_.extension)} {
    for (const std::string& figure : figures) {
      for (const char* extension : {"png", "svg"}) names_.push_back(fmt::format("{}.{}", figure, extension));
    }
    if (!folder_.empty()) CheckOwnedFiles(folder_, names_);
  }

  void PutOut(std::vector<ResultTable> tables) const {
    for (ResultTable& table : tables) MakePrintable(table);
    const std::string text = format_.write(tables);
    fmt::print("{}", text);
    if (folder_.empty()) return;
    const OwnedFiles files(folder_, names_);
    WriteFileAtomically(folder_ / names_[0], text);
    for (const ResultTable& table : tables) {
      if (table.figure) WriteFigure(*table.figure, folder_ / table.name);
    }
    files.Finish();
  }

 private:
  const std::filesystem::path folder_;  // or empty
  const TableFormat& format_;
  std::vector<std::string> names_;  // the first is that of the tables
};

int Compare(const SuiteArguments& arguments) {
  const Summary summary(arguments, "comparison", {});
  const std::vector<SuiteFolder> folders = ReadSuiteFolders(arguments.compared);
  const PaperTables paper = ReadPaperTables();
  std::vector<ResultTable> tables = {AblationsTable(folders, paper)};
  const auto lacks_confidence = [](const SuiteFolder& folder) {
    return folder.design && !folder.design->confidence;
  };
  if (std::any_of(folders.begin(), folders.end(), lacks_confidence)) {
    tables.push_back(ConfidenceTable(folders, paper));
  }
  summary.PutOut(std::move(tables));
  return 0;
}

int RunAndTabulate(SuiteArguments& arguments) {
  std::vector<std::string> figures;
  for (const SuiteTable& table : SuiteTables()) {
    if (table.has_figure && IsWanted(arguments, table.name)) figures.emplace_back(table.name);
  }
  const Summary summary(arguments, "tables", figures);
  const PaperTables paper = ReadPaperTables();
  std::vector<IntrinsicsFile> files;
  for (const auto& path : arguments.intrinsics) files.push_back(ReadIntrinsicsFile(path));
  SuiteOptions& options = arguments.options;
  if (IsWanted(arguments, kOverlap)) options.more_overlaps = SweptOverlaps(paper);
  options.without_masks_too = options.masks && IsWanted(arguments, kMovers);
  const std::vector<SuiteSequence> sequences = RunSuite(options, StopRequested());

  SuiteNumbers numbers(sequences, options.run.overlap, paper);
  numbers.intrinsics_files = files;
  std::vector<ResultTable> tables;
  for (const SuiteTable& table : SuiteTables()) {
    if (IsWanted(arguments, table.name)) tables.push_back(table.make(numbers));
  }
  summary.PutOut(std::move(tables));

  int failures = 0;
  int temporary = 0;
  for (const SuiteSequence& sequence : sequences) {
    if (sequence.error.empty()) continue;
    Log(LogLevel::kError, fmt::format("{} {}: {}", sequence.found.kind, sequence.found.name, sequence.error));
    ++failures;
    if (sequence.may_succeed_later) ++temporary;
  }
  if (failures > 0) LogWarning("{} of {} sequences failed", failures, sequences.size());
  if (StopRequested()) LogWarning("stopped; run the same command to resume");
  if (temporary > 0) return kTryAgain;
  return failures > 0 || StopRequested() ? 1 : 0;
}

void CheckArguments(const SuiteArguments& arguments, const CLI::App& app) {
  if (arguments.compared.empty()) {
    if (arguments.options.data.empty()) throw CLI::RequiredError("--data, or --compare,");
    if (arguments.options.output.empty()) throw CLI::RequiredError("--output");
    return;
  }
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name == "--compare" || name == "--output" || name == "--format") continue;
    throw CLI::ValidationError(name, "cannot be combined with --compare, which runs nothing");
  }
}

}  // namespace

Run AddSuiteCommand(CLI::App& app) {
  auto arguments = std::make_shared<SuiteArguments>();  // shared by the parser and the returned function
  SuiteOptions& options = arguments->options;
  std::vector<std::string> tables = {kAll};
  for (const SuiteTable& table : SuiteTables()) tables.emplace_back(table.name);
  std::vector<std::string> formats;
  for (const TableFormat& format : TableFormats()) formats.emplace_back(format.name);

  app.add_option("--data", options.data, "Folders to search for datasets")->type_name("ROOT");
  app.add_option("--split", options.splits, "Run only the sequences listed in these files")
      ->type_name("FILE");
  app.add_option("--datasets", options.datasets,
                 "Run only these datasets, such as tum,kitti (default: all found)")
      ->delimiter(',')
      ->check(CLI::IsMember(DatasetKinds()));
  app.add_option_function<std::string>(
         "--invalid-poses",
         [&options](const std::string& name) { options.invalid_poses = InvalidPosesFromName(name); },
         "Sequences with invalid poses: keep all frames, truncate at the first, or drop the sequence "
         "(default: "
         "what the split states, else keep)")
      ->check(CLI::IsMember(InvalidPosesNames()));
  app.add_option("-o,--output", options.output, "Output folder; optional with --compare")
      ->check(IsPath())
      ->type_name("DIR");
  app.add_option("--compare", arguments->compared,
                 "Tabulate the results of earlier suites, one row per folder; runs nothing")
      ->type_name("DIR");
  app.add_option("--table", arguments->tables,
                 "Tables to print; overlap and all run each sequence four times")
      ->delimiter(',')
      ->check(CLI::IsMember(tables))
      ->capture_default_str();
  app.add_option("--format", arguments->format, "Format of the tables")
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  AddNetworkOptions(app, {.model = options.run.model,
                          .backend = options.run.backend,
                          .precision = options.run.precision,
                          .threads = options.run.threads,
                          .overlap = options.run.overlap});
  AddFlipOption(app, options.run.flip);
  app.add_flag("--live", options.run.live,
               "Estimate frame by frame: batch size 1, as the paper measures speed");
  app.add_flag_function(
      "--refine", [&options](int64_t) { options.run.refine = RefineOptions(); },
      "Refine geometrically: errors are of refined paths, the table intrinsics of estimated cameras");
  app.add_flag("--masks", options.masks,
               "Ignore what is black in the masks that lie in the folder mask of a sequence");
  app.add_option(
         "--intrinsics", arguments->intrinsics,
         "Estimated intrinsics of other methods for the table intrinsics: lines 'kind name fx fy cx cy'")
      ->type_name("FILE");
  app.add_flag("--quiet", options.run.quiet, "Hide the progress");
  app.footer(kSuiteExamples);
  app.callback([arguments, &app] { CheckArguments(*arguments, app); });
  return
      [arguments] { return arguments->compared.empty() ? RunAndTabulate(*arguments) : Compare(*arguments); };
}

}  // namespace calfvo
