// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "commands.h"
#include "shared_options.h"
#include "suite/ablations_table.h"
#include "suite/suite_folder.h"
#include "suite/suite_runner.h"
#include "suite/suite_tables.h"
#include "suite/table_writers.h"

namespace calfvo {
namespace {

constexpr const char* kAll = "all";
constexpr const char* kOverlap = "overlap";

struct SuiteArguments {
  SuiteOptions options;
  std::vector<std::filesystem::path> compared;  // folders of earlier suites
  std::vector<std::string> tables = {"sequences",  "accuracy",    "scale", "global",
                                     "completion", "calibration", "poses", "runtime"};
  std::string format = "text";
};

constexpr const char* kSuiteExamples = R"(Examples:
  calfvo suite --data /data --split configs/splits/*_test.txt -o out      the paper's test sets, what there is of them
  calfvo suite --data /data/tum --datasets tum --table all -o out         with the sweep of overlaps: 4 runs each
  calfvo suite --data /data --table accuracy --format latex -o out        what is done is not run again
  calfvo suite --compare runs/baseline runs/euler runs/full               the paper's table of ablations, out of these
  calfvo suite --compare runs/* --format latex -o tables                  and into tables/comparison.tex

Each sequence has a folder DIR/DATASET/SEQUENCE; the tables are printed and written to DIR/tables.*, and
how right the confidence is, as a picture, to DIR/calibration.png.

To compare models, run the suite with each, on the same data and with the same settings but for --model and
-o, and then --compare these folders. Each has a row: what its model is, and its errors on every benchmark.
What earlier suites left is read, nothing is run, and -o is only needed to write the table to a file.
Exit code: 0 all sequences done, 1 some failed or Ctrl-C, 2 wrong usage.)";

bool IsWanted(const SuiteArguments& arguments, std::string_view table) {
  return std::any_of(arguments.tables.begin(), arguments.tables.end(),
                     [&](const std::string& name) { return name == table || name == kAll; });
}

// Prints the tables and writes them to FOLDER/NAME.*; without a folder, prints them only.
void PutOut(const std::vector<ResultTable>& tables, const std::string& format_name,
            const std::filesystem::path& folder, std::string_view name) {
  const TableFormat& format = TableFormatFromName(format_name);
  const std::string text = format.write(tables);
  fmt::print("{}", text);
  if (folder.empty()) return;
  MakeFolder(folder);  // which is not there yet where all sequences failed
  WriteFileAtomically(folder / fmt::format("{}{}", name, format.extension), text);
}

int Compare(const SuiteArguments& arguments) {
  const ResultTable table = AblationsTable(ReadSuiteFolders(arguments.compared), ReadPaperTables());
  PutOut({table}, arguments.format, arguments.options.output, "comparison");
  return 0;
}

int RunAndTabulate(SuiteArguments& arguments) {
  const PaperTables paper = ReadPaperTables();
  SuiteOptions& options = arguments.options;
  if (IsWanted(arguments, kOverlap)) options.more_overlaps = SweptOverlaps(paper);
  const std::vector<SuiteSequence> sequences = RunSuite(options, StopRequested());

  const SuiteNumbers numbers(sequences, options.run.overlap, paper);
  std::vector<ResultTable> tables;
  for (const SuiteTable& table : SuiteTables()) {
    if (IsWanted(arguments, table.name)) tables.push_back(table.make(numbers));
  }
  PutOut(tables, arguments.format, options.output, "tables");
  for (const ResultTable& table : tables) {
    if (table.figure) WriteFigure(*table.figure, options.output / table.name);
  }

  int failures = 0;
  for (const SuiteSequence& sequence : sequences) {
    if (sequence.error.empty()) continue;
    Log(LogLevel::kError, fmt::format("{} {}: {}", sequence.found.kind, sequence.found.name, sequence.error));
    ++failures;
  }
  if (failures > 0) LogWarning("{} of {} sequences failed", failures, sequences.size());
  if (StopRequested()) LogWarning("stopped; the same command goes on from here");
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
    throw CLI::ValidationError(name, "is for running; --compare reads what was run before");
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

  app.add_option("--data", options.data, "Folders with datasets below")->type_name("ROOT");
  app.add_option("--split", options.splits, "Run the sequences that these files list")->type_name("FILE");
  app.add_option("--datasets", options.datasets, "Run these kinds of dataset only, such as tum or kitti")
      ->delimiter(',')
      ->check(CLI::IsMember(DatasetKinds()));
  app.add_option("-o,--output", options.output, "Folder of the results; needed but for --compare")
      ->type_name("DIR");
  app.add_option("--compare", arguments->compared,
                 "Run nothing: one table out of these folders of earlier suites, a row each")
      ->type_name("DIR");
  app.add_option("--table", arguments->tables,
                 "Which tables; overlap, and so all, runs everything four times")
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
  AddMirrorOption(app, options.run.mirror);
  app.add_flag("--quiet", options.run.quiet, "No progress");
  app.footer(kSuiteExamples);
  app.callback([arguments, &app] { CheckArguments(*arguments, app); });
  return
      [arguments] { return arguments->compared.empty() ? RunAndTabulate(*arguments) : Compare(*arguments); };
}

}  // namespace calfvo
