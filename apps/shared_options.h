// SPDX-License-Identifier: Apache-2.0
// Options that several subcommands have, and checks of values. A value that fails a check is wrong usage: the
// message names the option, and the exit code is 2.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>

namespace calfvo {

// Numbers from `min` to `max`; unlike CLI::Range it refuses what is not a number.
CLI::Validator Between(double min, double max);
CLI::Validator AtLeast(int min);

// What `parse` takes without throwing Error.
CLI::Validator ParsedBy(const std::function<void(const std::string& text)>& parse);

void AddModelOption(CLI::App& app, std::string& model);

// Where the values of --model, --backend, --precision, --threads and --overlap go.
struct NetworkOptions {
  std::string& model;
  std::string& backend;
  std::string& precision;
  int& threads;
  int& overlap;
};
void AddNetworkOptions(CLI::App& app, const NetworkOptions& options);
void AddMirrorOption(CLI::App& app, bool& mirror);

void AddMaxDiffOption(CLI::App& app, double& max_diff_s, const std::string& text);

}  // namespace calfvo
