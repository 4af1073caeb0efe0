// SPDX-License-Identifier: Apache-2.0
#include "run/run_input.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "calfvo/error.h"
#include "frames/selection.h"

namespace calfvo {
namespace {

class SequenceReader final : public FrameReader {
 public:
  explicit SequenceReader(std::unique_ptr<SequenceSource> sequence) : sequence_(std::move(sequence)) {
    const auto& frames = sequence_->frames();
    const auto count = static_cast<int64_t>(frames.size());
    const double span_s = 1e-9 * static_cast<double>(frames.back().timestamp_ns - frames[0].timestamp_ns);
    info_.kind = "dataset";
    info_.frame_count = count;
    if (count > 1) info_.rate_hz = static_cast<double>(count - 1) / span_s;
    info_.description =
        fmt::format("{}, {} frames, {:.4g} frames/s", sequence_->name(), count, info_.rate_hz);
  }

  std::optional<int64_t> Advance() override {
    if (index_ + 1 == info_.frame_count) return {};
    return sequence_->frames()[static_cast<size_t>(++index_)].timestamp_ns;
  }

  void Read(Frame& frame) override {
    sequence_->Read(index_, frame);
    frame.damage.clear();
  }

  const SourceInfo& info() const override { return info_; }

 private:
  const std::unique_ptr<SequenceSource> sequence_;
  SourceInfo info_;
  int64_t index_ = -1;
};

}  // namespace

std::unique_ptr<FrameSource> SequenceFrames(std::unique_ptr<SequenceSource> sequence,
                                            const SourceOptions& options) {
  options.Validate();
  return SelectFrames(std::make_unique<SequenceReader>(std::move(sequence)), options);
}

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
  const auto path = std::filesystem::weakly_canonical(std::filesystem::absolute(below), error);
  return error ? input : input.substr(0, input.size() - below.size()) + path.string();
}

std::unique_ptr<FrameSource> OpenInput(const std::string& input, const SourceOptions& options) {
  auto source = input.starts_with(kDatasetPrefix)
                    ? SequenceFrames(OpenSequence(std::filesystem::path(InputPath(input))), options)
                    : OpenFrames(input, options);
  const std::string& kind = source->info().kind;
  if (options.stream >= 0 && kind != "video" && kind != "camera") {
    throw Error(fmt::format("{}: has no stream {} to choose, as it is no video but {}; leave --stream out",
                            input, options.stream, kind));
  }
  return source;
}

}  // namespace calfvo
