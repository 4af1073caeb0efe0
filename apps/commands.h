// SPDX-License-Identifier: Apache-2.0
// The subcommands of `calfvo`, one per file beside this one. Each adds its options to `app` and returns what
// to run if the user chose it; that returns the exit code and may throw Error.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace calfvo {

using Run = std::function<int()>;

Run AddAttentionCommand(CLI::App& app);
Run AddBenchCommand(CLI::App& app);
Run AddConvertCommand(CLI::App& app);
Run AddEvalCommand(CLI::App& app);
Run AddInfoCommand(CLI::App& app);
Run AddRunCommand(CLI::App& app);
Run AddSuiteCommand(CLI::App& app);
Run AddSynthCommand(CLI::App& app);

}  // namespace calfvo
