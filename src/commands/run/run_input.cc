// SPDX-License-Identifier: Apache-2.0
#include "commands/run/run_input.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "calfvo/error.h"
#include "io/datasets/sequence_frames.h"

namespace calfvo {

std::string InputPath(const std::string& input) {
  return input.starts_with(kDatasetPrefix) ? input.substr(kDatasetPrefix.size()) : input;
}

bool IsPath(const std::string& input) {
  return input != "-" && !input.starts_with("lavfi:");
}

std::string AbsoluteInput(const std::string& input) {
  if (!IsPath(input)) return input;
  const std::string below = InputPath(input);
  std::error_code error;
  const auto full = std::filesystem::absolute(below, error);
  if (error) return input;
  const auto path = std::filesystem::weakly_canonical(full, error);
  return error ? input : input.substr(0, input.size() - below.size()) + path.string();
}

std::unique_ptr<FrameSource> OpenInput(const std::string& input, const SourceOptions& options) {
  if (input == kDatasetPrefix) throw Error(input + " expected a path after it");
  auto source = input.starts_with(kDatasetPrefix)
                    ? SequenceFrames(OpenSequence(std::filesystem::path(InputPath(input))), options)
                    : OpenFrames(input, options);
  const std::string& kind = source->info().kind;
  if (options.stream >= 0 && kind != "video" && kind != "camera") {
    throw Error(fmt::format("{}: has no stream {}: it is not a video but {}; leave --stream out", input,
                            options.stream, kind));
  }
  if (!options.topic.empty() && kind != "recording") {
    throw Error(
        fmt::format("{}: has no topics: it is not a recording but {}; leave --topic out", input, kind));
  }
  return source;
}

}  // namespace calfvo
