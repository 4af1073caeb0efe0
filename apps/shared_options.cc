// SPDX-License-Identifier: Apache-2.0
#include "shared_options.h"

#include <fmt/format.h>

#include "calfvo/error.h"

namespace calfvo {

CLI::Validator Between(double min, double max) {
  const auto check = [min, max](const std::string& text) -> std::string {
    double value = 0.0;
    if (CLI::detail::lexical_cast(text, value) && value >= min && value <= max) return "";
    return fmt::format("'{}' is not a number from {} to {}", text, min, max);
  };
  return {check, ""};
}

CLI::Validator AtLeast(int min) {
  const auto check = [min](const std::string& text) -> std::string {
    int value = 0;
    if (CLI::detail::lexical_cast(text, value) && value >= min) return "";
    return fmt::format("'{}' is not a whole number from {}", text, min);
  };
  return {check, ""};
}

CLI::Validator ParsedBy(const std::function<void(const std::string& text)>& parse) {
  const auto check = [parse](const std::string& text) -> std::string {
    try {
      parse(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  return {check, ""};
}

void AddModelOption(CLI::App& app, std::string& model) {
  app.add_option("--model", model, "Model by name or file; random:calfvo-s:SEED for random weights")
      ->type_name("NAME|FILE")
      ->capture_default_str();
}

void AddNetworkOptions(CLI::App& app, const NetworkOptions& options) {
  AddModelOption(app, options.model);
  app.add_option("--backend", options.backend, "What computes; `calfvo info` lists what there is here")
      ->check(CLI::IsMember({"auto", "cpu", "cuda", "ref"}))
      ->capture_default_str();
  app.add_option("--precision", options.precision, "Of the network's numbers, as the backend has it")
      ->check(CLI::IsMember({"auto", "f32", "bf16", "fp8"}))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "0 means one per core that the program may use")
      ->check(Between(0, 1024))
      ->capture_default_str();
  app.add_option("--overlap", options.overlap,
                 "Frames that consecutive windows share; more is slower and better")
      ->check(AtLeast(1))
      ->type_name("N")
      ->capture_default_str();
}

void AddMirrorOption(CLI::App& app, bool& mirror) {
  app.add_flag("--mirror", mirror, "Look at every picture in a mirror, too: half as fast, smaller errors");
}

void AddMaxDiffOption(CLI::App& app, double& max_diff_s, const std::string& text) {
  app.add_option("--max-diff", max_diff_s, text)
      ->check(Between(0.0, 9e9))
      ->type_name("SEC")
      ->capture_default_str();
}

}  // namespace calfvo
