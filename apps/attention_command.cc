// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "commands/attention/attention_image.h"
#include "core/base/quoted.h"
#include "shared_options.h"

namespace calfvo {
namespace {

struct AttentionArguments {
  std::string input;
  std::string model = "calfvo-s";
  std::filesystem::path output;
  AttentionImageOptions options;
};

constexpr const char* kAttentionExamples = R"(Examples:
  calfvo attention walk.mp4 -o out
  calfvo attention dataset:scans/scene0707_00 --start 3 --x 0.3 --y 0.6 -o out

Writes DIR/attention.png: one frame with a patch outlined in red, and the attention that the following frames pay to
that patch. Exit code: 0 done, 1 failed, 2 wrong usage, 75 out of memory or disk space.)";

}  // namespace

Run AddAttentionCommand(CLI::App& app) {
  auto arguments = std::make_shared<AttentionArguments>();  // shared by the parser and the returned function
  AttentionImageOptions& options = arguments->options;
  app.add_option("input", arguments->input, "Any input of `calfvo run`")->required()->type_name("INPUT");
  app.add_option("-o,--output", arguments->output, "Output folder")
      ->required()
      ->check(IsPath())
      ->type_name("DIR");
  AddModelOption(app, arguments->model);
  app.add_option("--x", options.x,
                 "Horizontal position of the patch in the square network input: 0 left, 1 right")
      ->check(Between(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--y", options.y, "Vertical position of the patch: 0 top, 1 bottom")
      ->check(Between(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--frames", options.frames, "Number of following frames to show")
      ->check(AtLeast(1))
      ->capture_default_str();
  app.add_option("--start", options.start_s, "Start of the window, in seconds after the first frame")
      ->check(Between(0.0, 1e9))
      ->type_name("SEC")
      ->capture_default_str();
  app.add_option("--stride", options.stride, "Use every S-th frame")
      ->check(AtLeast(1))
      ->type_name("S")
      ->capture_default_str();
  app.footer(kAttentionExamples);
  return [arguments] {
    const auto path =
        WriteAttention(arguments->input, arguments->model, arguments->options, arguments->output);
    fmt::print("{}\n", Printable(path.string()));
    return 0;
  };
}

}  // namespace calfvo
