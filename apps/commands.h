// SPDX-License-Identifier: Apache-2.0
// The subcommands of `calfvo`, one file each. Each function adds its options to `app` and returns the
// function that runs the command; that returns the exit code and may throw Error.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace calfvo {

using Run = std::function<int()>;

Run AddAttentionCommand(CLI::App& app);
Run AddBenchCommand(CLI::App& app);
Run AddConvertCommand(CLI::App& app);
Run AddEvalCommand(CLI::App& app);
Run AddExportCommand(CLI::App& app);
Run AddInfoCommand(CLI::App& app);
Run AddRunCommand(CLI::App& app);
Run AddSuiteCommand(CLI::App& app);
Run AddSynthCommand(CLI::App& app);
Run AddViewCommand(CLI::App& app);

}  // namespace calfvo
