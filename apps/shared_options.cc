// SPDX-License-Identifier: Apache-2.0
#include "shared_options.h"

#include <fmt/format.h>

#include <system_error>

#include "calfvo/error.h"
#include "core/base/file_record.h"

namespace calfvo {

CLI::Validator Between(double min, double max) {
  const auto check = [min, max](const std::string& text) -> std::string {
    double value = 0.0;
    if (CLI::detail::lexical_cast(text, value) && value >= min && value <= max) return "";
    return fmt::format("'{}' is not a number from {} to {}", text, min, max);
  };
  return {check, ""};
}

CLI::Validator Between(int min, int max) {
  const auto check = [min, max](const std::string& text) -> std::string {
    int value = 0;
    if (CLI::detail::lexical_cast(text, value) && value >= min && value <= max) return "";
    return fmt::format("'{}' is not a whole number from {} to {}", text, min, max);
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

CLI::Validator IsPath() {
  return {[](const std::string& text) { return text.empty() ? "expected a path, got an empty string" : ""; },
          ""};
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
  app.add_option("--model", model, "Model name or file; random:calfvo-s:SEED for random weights")
      ->check(IsPath())
      ->type_name("NAME|FILE")
      ->capture_default_str();
}

void AddNetworkOptions(CLI::App& app, const NetworkOptions& options) {
  AddModelOption(app, options.model);
  app.add_option("--backend", options.backend, "Compute backend (`calfvo info` lists those available)")
      ->check(CLI::IsMember({"auto", "cpu", "cuda", "ref"}))
      ->capture_default_str();
  app.add_option("--precision", options.precision, "Numeric precision of the network")
      ->check(CLI::IsMember({"auto", "f32", "bf16", "fp8", "int8"}))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "Number of threads; 0: one per available core")
      ->check(Between(0, 1024))
      ->capture_default_str();
  app.add_option("--overlap", options.overlap,
                 "Frames shared by consecutive windows; more is slower and more accurate")
      ->check(AtLeast(1))
      ->type_name("N")
      ->capture_default_str();
}

void AddFlipOption(CLI::App& app, bool& flip) {
  app.add_flag("--flip", flip, "Horizontal-flip test-time augmentation: half the speed, lower error");
}

void CheckMayWrite(const std::filesystem::path& path, bool overwrite) {
  std::error_code ignored;
  const bool is_special = std::filesystem::is_other(path, ignored);  // a pipe or a device
  if (overwrite || is_special || !Exists(path) || std::filesystem::is_directory(path, ignored)) return;
  throw Error(fmt::format("{}: already exists; --overwrite replaces it", path.string()));
}

void AddMaxDiffOption(CLI::App& app, double& max_diff_s, const std::string& text) {
  app.add_option("--max-diff", max_diff_s, text)
      ->check(Between(0.0, 9e9))
      ->type_name("SEC")
      ->capture_default_str();
}

void AddExportList(CLI::Option& list) {
  list.check(ParsedBy(ParseExportList))->type_name("LIST");
}

void AddExportOptions(CLI::App& app, ExportTexts& texts) {
  app.add_flag("--images", texts.images, "Export the images too (colmap, nerfstudio, mcap)");
  app.add_flag("--undistort", texts.undistort, "Remove lens distortion from exported images and camera");
  app.add_option("--compression", texts.compression, "Compression of mcap")
      ->check(CLI::IsMember({"zstd", "lz4", "none"}))
      ->capture_default_str();
}

ExportOptions ExportOptionsOf(const ExportTexts& texts) {
  ExportOptions options;
  if (!texts.list.empty()) options.formats = ParseExportList(texts.list);
  options.images = texts.images;
  options.undistort = texts.undistort;
  options.compression = CompressionFromName(texts.compression);
  return options;
}

void CheckExportTexts(const ExportTexts& texts) {
  try {
    ExportOptionsOf(texts).Validate();
  } catch (const Error& error) {
    const std::string message = error.what();  // begins with the option
    const size_t space = message.find(' ');
    throw CLI::ValidationError(message.substr(0, space), message.substr(space + 1));
  }
}

}  // namespace calfvo
