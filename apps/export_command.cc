// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "commands/run/run_exports.h"
#include "core/base/quoted.h"
#include "shared_options.h"

namespace calfvo {
namespace {

struct ExportArguments {
  std::filesystem::path folder;
  ExportTexts texts;
  bool overwrite = false;
};

constexpr const char* kExportCommandExamples = R"(Examples:
  calfvo export holiday-calfvo colmap --images --undistort   for Gaussian splatting
  calfvo export holiday-calfvo blender,mcap                  an animated camera; a ROS 2 recording

docs/export.md describes the files and axes of each format. Files not written by calfvo are never replaced.
Exit code: 0 done, 1 failed, 2 wrong usage, 75 out of memory or disk space.)";

}  // namespace

Run AddExportCommand(CLI::App& app) {
  auto arguments = std::make_shared<ExportArguments>();  // shared by the parser and the returned function
  app.add_option("folder", arguments->folder, "Folder of a complete run")
      ->required()
      ->check(IsPath())
      ->type_name("RUN_DIR");
  AddExportList(*app.add_option("list", arguments->texts.list, kExportListHelp)->required());
  AddExportOptions(app, arguments->texts);
  app.add_flag("--overwrite", arguments->overwrite, "Replace exports that changed since calfvo wrote them");
  app.footer(kExportCommandExamples);
  app.callback([arguments] { CheckExportTexts(arguments->texts); });
  return [arguments] {
    const ExportOptions options = ExportOptionsOf(arguments->texts);
    for (const auto& [name, path] : ExportRunFolder(arguments->folder, options, arguments->overwrite)) {
      fmt::print("{:<12} {}\n", name, Printable(path));
    }
    return 0;
  };
}

}  // namespace calfvo
