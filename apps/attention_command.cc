// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "attention/attention_picture.h"
#include "commands.h"
#include "shared_options.h"

namespace calfvo {
namespace {

struct AttentionArguments {
  std::string input;
  std::string model = "calfvo-s";
  std::filesystem::path output;
  AttentionPictureOptions options;
};

constexpr const char* kAttentionExamples = R"(Examples:
  calfvo attention walk.mp4 -o out
  calfvo attention dataset:scans/scene0707_00 --start 3 --x 0.3 --y 0.6 -o out

Writes DIR/attention.png: a picture with a patch in red, and where the next pictures attended to it.)";

}  // namespace

Run AddAttentionCommand(CLI::App& app) {
  auto arguments = std::make_shared<AttentionArguments>();  // shared by the parser and the returned function
  AttentionPictureOptions& options = arguments->options;
  app.add_option("input", arguments->input, "As `calfvo run` takes it")->required()->type_name("INPUT");
  app.add_option("-o,--output", arguments->output, "Folder of the picture")->required()->type_name("DIR");
  AddModelOption(app, arguments->model);
  app.add_option("--x", options.x,
                 "Of the patch, from 0 at the left to 1; of the square that the network sees")
      ->check(Between(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--y", options.y, "The same from the top")->check(Between(0.0, 1.0))->capture_default_str();
  app.add_option("--frames", options.frames, "Following pictures to show")
      ->check(AtLeast(1))
      ->capture_default_str();
  app.add_option("--start", options.start_s, "Where the window begins, after the first frame")
      ->check(Between(0.0, 1e9))
      ->type_name("SEC")
      ->capture_default_str();
  app.add_option("--stride", options.stride, "Take every S-th frame")
      ->check(AtLeast(1))
      ->type_name("S")
      ->capture_default_str();
  app.footer(kAttentionExamples);
  return [arguments] {
    const auto path =
        WriteAttention(arguments->input, arguments->model, arguments->options, arguments->output);
    fmt::print("{}\n", path.string());
    return 0;
  };
}

}  // namespace calfvo
