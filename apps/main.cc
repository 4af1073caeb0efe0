// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "calfvo/version.h"
#include "commands.h"
#include "core/base/log.h"
#include "core/base/temporary_error.h"
#include "core/base/usage_message.h"

namespace calfvo {
namespace {

constexpr int kFailure = 1;
constexpr int kBadUsage = 2;

struct Command {
  const char* name;
  const char* summary;
  Run (*add)(CLI::App& app);
};

constexpr std::array kCommands = {
    Command{"attention", "Plot what the network attends to", AddAttentionCommand},
    Command{"bench", "Measure the speed of a model on this machine", AddBenchCommand},
    Command{"convert", "Convert a checkpoint or model to a model file", AddConvertCommand},
    Command{"eval", "Evaluate estimated trajectories against references", AddEvalCommand},
    Command{"export", "Export the results of a run to the formats of other tools", AddExportCommand},
    Command{"info", "Describe this build and machine, or a model", AddInfoCommand},
    Command{"run", "Estimate the camera trajectory of a video", AddRunCommand},
    Command{"suite", "Run a model on the paper's benchmark suite and print the paper's tables",
            AddSuiteCommand},
    Command{"synth", "Render a synthetic video with its ground-truth trajectory", AddSynthCommand},
    Command{"view", "Show runs in a browser", AddViewCommand},
};

constexpr const char* kExamples = R"(Examples:
  calfvo synth room -o room --preset phone                     render a test video
  calfvo run room/video.mp4 -o out --gt room/groundtruth.txt   estimate its trajectory and evaluate it

`calfvo COMMAND --help` describes a command.)";

std::string CommandNames() {
  std::string names;
  for (const Command& command : kCommands) names += fmt::format(" {}", command.name);
  return names;
}

// What is wrong with the arguments of `command`, in terms of its help.
std::string ArgumentProblem(const CLI::App& command, const CLI::Error& error) {
  if (const std::vector<std::string> extra = command.remaining(); !extra.empty()) {
    if (extra[0].starts_with('-')) return fmt::format("unknown option '{}'", extra[0]);
    return fmt::format("unexpected argument '{}'{}", extra[0],
                       command.get_name() == "run" ? "; several inputs need --manifest FILE" : "");
  }
  for (const CLI::Option* option : command.get_options()) {
    const size_t count = option->results().size();
    if (count > 1 && option->get_items_expected_max() == 1) {  // flags expect none
      return fmt::format("{} is given {} times; expected once", option->get_name(), count);
    }
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) return error.what();
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional() || !option->get_required() || option->count() > 0) continue;
    return fmt::format("{} is required: {}", option->get_type_name(), option->get_description());
  }
  return error.what();
}

std::string FailureMessage(const CLI::App* app, const CLI::Error& error) {
  const std::vector<CLI::App*> chosen = app->get_subcommands();
  if (!chosen.empty()) {
    return UsageMessage(ArgumentProblem(*chosen.back(), error), "calfvo " + chosen.back()->get_name());
  }
  const std::vector<std::string> unknown = app->remaining();
  return UsageMessage(
      unknown.empty() ? "a command is required:" + CommandNames()
                      : fmt::format("unknown command '{}'; expected one of{}", unknown[0], CommandNames()),
      "calfvo");
}

int Main(int argc, char** argv) {
  CLI::App app("calfvo estimates the metric camera trajectory of any monocular video, without calibration.",
               "calfvo");
  app.set_version_flag("--version", std::string("calfvo ") + CALFVO_VERSION);
  app.require_subcommand(1);
  app.footer(kExamples);
  app.failure_message(FailureMessage);
  std::array<Run, kCommands.size()> runs;
  for (size_t i = 0; i < kCommands.size(); ++i) {
    runs[i] = kCommands[i].add(*app.add_subcommand(kCommands[i].name, kCommands[i].summary));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadUsage;
  }
  for (size_t i = 0; i < kCommands.size(); ++i) {
    if (app.got_subcommand(kCommands[i].name)) return runs[i]();
  }
  return kBadUsage;
}

// The next file opened would replace a closed standard stream: a model would be read as video, messages would
// go into a trajectory. The replacement opened here fails like a closed stream.
void OccupyClosedStreams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

// Ends the process without running the destructors of libraries: OpenBLAS, which FFmpeg brings along, waits
// forever for threads that it could not start. Leaks are found by the sanitizer before that.
[[noreturn]] void Leave(int exit_code) {
  std::fflush(nullptr);
#ifdef CALFVO_LEAK_CHECK
  std::exit(exit_code);
#else
  std::_Exit(exit_code);
#endif
}

}  // namespace
}  // namespace calfvo

int main(int argc, char** argv) {
  calfvo::OccupyClosedStreams();
  std::signal(SIGXFSZ, SIG_IGN);  // writing beyond `ulimit -f` fails with a message instead
  int exit_code = calfvo::kFailure;
  try {
    exit_code = calfvo::Main(argc, argv);
  } catch (const calfvo::TemporaryError& error) {
    calfvo::Log(calfvo::LogLevel::kError, error.what());
    exit_code = calfvo::kTryAgain;
  } catch (const calfvo::Error& error) {
    calfvo::Log(calfvo::LogLevel::kError, error.what());
  } catch (const std::bad_alloc&) {
    exit_code = calfvo::kTryAgain;
    calfvo::Log(calfvo::LogLevel::kError, "out of memory");
  } catch (const std::exception& error) {
    // A failed write to stdout is reported below.
    if (std::ferror(stdout) == 0) {
      calfvo::Log(calfvo::LogLevel::kError, fmt::format("unexpected: {}", error.what()));
    }
  }
  // Flushes buffered output, so that a full disk is reported.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) calfvo::Leave(exit_code);
  calfvo::Log(calfvo::LogLevel::kError, "standard output: write failed; is the disk full?");
  calfvo::Leave(calfvo::kTryAgain);
}
