// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/usage_message.h"
#include "calfvo/error.h"
#include "calfvo/version.h"
#include "commands.h"

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
    Command{"attention", "What the network looks at, as a picture", AddAttentionCommand},
    Command{"bench", "How fast a model is on this machine", AddBenchCommand},
    Command{"convert", "A model file out of another project's checkpoint", AddConvertCommand},
    Command{"eval", "How far an estimated trajectory is from a reference", AddEvalCommand},
    Command{"info", "This build, this CPU, and what a model file holds", AddInfoCommand},
    Command{"run", "Video in, trajectory out", AddRunCommand},
    Command{"suite", "A model over the paper's benchmarks, and the paper's tables", AddSuiteCommand},
    Command{"synth", "Video of an invented scene, with its true trajectory", AddSynthCommand},
};

std::string FailureMessage(const CLI::App* app, const CLI::Error& error) {
  const std::vector<CLI::App*> chosen = app->get_subcommands();
  if (!chosen.empty()) {
    return UsageMessage(error.what(), "calfvo " + chosen.back()->get_name());
  }
  std::string what = error.what();
  if (const std::vector<std::string> unknown = app->remaining(); !unknown.empty()) {
    what = fmt::format("'{}' is no command; there are", unknown[0]);
    for (const Command& command : kCommands) what += fmt::format(" {}", command.name);
  }
  return UsageMessage(what, "calfvo");
}

int Main(int argc, char** argv) {
  CLI::App app("calfvo: any monocular video to a metric camera trajectory, without calibration.", "calfvo");
  app.set_version_flag("--version", std::string("calfvo ") + CALFVO_VERSION);
  app.require_subcommand(1);
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

// Where standard input or an output is closed, the next file to be opened would take its place: a model would
// be read as video, and messages would go into a trajectory. What stands there instead fails as a closed one
// does.
void OccupyClosedStreams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    static_cast<void>(::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
}

}  // namespace
}  // namespace calfvo

int main(int argc, char** argv) {
  calfvo::OccupyClosedStreams();
  int exit_code = calfvo::kFailure;
  try {
    exit_code = calfvo::Main(argc, argv);
  } catch (const calfvo::Error& error) {
    calfvo::Log(calfvo::LogLevel::kError, error.what());
  } catch (const std::bad_alloc&) {
    calfvo::Log(calfvo::LogLevel::kError, "out of memory");
  } catch (const std::exception& error) {
    // A failed write to stdout is told below.
    if (std::ferror(stdout) == 0) {
      calfvo::Log(calfvo::LogLevel::kError, fmt::format("unexpected: {}", error.what()));
    }
  }
  // A full disk is noticed here at the latest: small outputs wait in the stream's buffer until now.
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  calfvo::Log(calfvo::LogLevel::kError, "standard output: not all could be written; is the disk full?");
  return exit_code == 0 ? calfvo::kFailure : exit_code;
}
