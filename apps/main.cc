// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "base/log.h"
#include "calfvo/error.h"
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

int Main(int argc, char** argv) {
  CLI::App app("calfvo: any monocular video to a metric camera trajectory, without calibration.", "calfvo");
  app.set_version_flag("--version", std::string("calfvo ") + CALFVO_VERSION);
  app.require_subcommand(1);
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    const CLI::App* chosen = failed;
    for (const CLI::App* sub : failed->get_subcommands()) chosen = sub;
    const std::string name = chosen == failed ? "calfvo" : "calfvo " + chosen->get_name();
    return fmt::format("error: {}\nTry '{} --help'.\n", error.what(), name);
  });
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

}  // namespace
}  // namespace calfvo

int main(int argc, char** argv) {
  try {
    return calfvo::Main(argc, argv);
  } catch (const calfvo::Error& error) {
    calfvo::Log(calfvo::LogLevel::kError, error.what());
  } catch (const std::bad_alloc&) {
    calfvo::Log(calfvo::LogLevel::kError, "out of memory");
  } catch (const std::exception& error) {
    calfvo::Log(calfvo::LogLevel::kError, fmt::format("unexpected: {}", error.what()));
  }
  return calfvo::kFailure;
}
