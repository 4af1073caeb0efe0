// SPDX-License-Identifier: Apache-2.0
// Options shared by several subcommands, and checks of values. A value that fails a check is a usage error:
// the message names the option, and the exit code is 2.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "io/export/exports.h"

namespace calfvo {

// Numbers from `min` to `max`; unlike CLI::Range it rejects nan.
CLI::Validator Between(double min, double max);
CLI::Validator Between(int min, int max);  // whole numbers
CLI::Validator AtLeast(int min);

// A path: an empty one, as of an unset variable in a script, is an error.
CLI::Validator IsPath();

// Accepts text that `parse` accepts without throwing Error.
CLI::Validator ParsedBy(const std::function<void(const std::string& text)>& parse);

void AddModelOption(CLI::App& app, std::string& model);

// Destinations of --model, --backend, --precision, --threads and --overlap.
struct NetworkOptions {
  std::string& model;
  std::string& backend;
  std::string& precision;
  int& threads;
  int& overlap;
};
void AddNetworkOptions(CLI::App& app, const NetworkOptions& options);
void AddFlipOption(CLI::App& app, bool& flip);

// Throws Error for a file or link at `path` without `overwrite`. Pipes and devices are written to.
void CheckMayWrite(const std::filesystem::path& path, bool overwrite);

void AddMaxDiffOption(CLI::App& app, double& max_diff_s, const std::string& text);

// Options of exports, as text: `run --export LIST` and `export RUN_DIR LIST`.
struct ExportTexts {
  std::string list;
  bool images = false;
  bool undistort = false;
  std::string compression = "zstd";
};
inline constexpr const char* kExportListHelp =
    "Formats, separated by commas: colmap, nerfstudio, ply, npz, tum, kitti, euroc, blender, mcap";
void AddExportList(CLI::Option& list);
void AddExportOptions(CLI::App& app, ExportTexts& texts);  // all but the list
void CheckExportTexts(const ExportTexts& texts);           // throws CLI::ValidationError
ExportOptions ExportOptionsOf(const ExportTexts& texts);

}  // namespace calfvo
