// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "commands.h"
#include "commands/view/view_server.h"
#include "core/base/interrupt.h"
#include "shared_options.h"

namespace calfvo {
namespace {

constexpr const char* kViewExamples = R"(Examples:
  calfvo view holiday-calfvo                    one run, with the frames of its video in full resolution
  calfvo view runs/plain runs/refined           several runs, to compare
  calfvo view --port 8080 holiday-calfvo

Prints an address for a browser on this machine and serves until Ctrl-C. It cannot be reached from other machines;
over SSH, forward the port: ssh -L 8080:127.0.0.1:8080 HOST. To pass a run on, send its view.html: it needs no server.
Exit code: 0 done, 1 failed, 2 wrong usage, 75 out of memory or disk space.)";

}  // namespace

Run AddViewCommand(CLI::App& app) {
  auto options = std::make_shared<ViewServerOptions>();  // shared by the parser and the returned function
  app.add_option("folders", options->folders, "Folders of `calfvo run`")
      ->required()
      ->check(IsPath())
      ->type_name("DIR");
  app.add_option("--port", options->port, "Port on 127.0.0.1 (default: any that is free)")
      ->check(Between(0, 65535))
      ->type_name("N");
  app.footer(kViewExamples);
  return [options] {
    const std::atomic<bool>& stop = StopRequested();
    const ViewServer server(*options);
    fmt::print("{}\n", server.url());
    std::fflush(stdout);
    while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return 0;
  };
}

}  // namespace calfvo
