// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/sequence_frames.h"

#include <fmt/format.h>

#include <utility>

namespace calfvo {
namespace {

class SequenceReader final : public FrameSource {
 public:
  explicit SequenceReader(std::unique_ptr<Sequence> sequence) : sequence_(std::move(sequence)) {
    const auto& frames = sequence_->frames();
    const auto count = static_cast<int64_t>(frames.size());
    const double span_s = 1e-9 * static_cast<double>(frames.back().timestamp_ns - frames[0].timestamp_ns);
    info_.kind = "dataset";
    info_.frame_count = count;
    if (count > 1) info_.rate_hz = static_cast<double>(count - 1) / span_s;
    info_.description =
        fmt::format("{}, {} frames, {:.4g} frames/s", sequence_->name(), count, info_.rate_hz);
  }

  bool Advance(Frame& frame) override {
    if (index_ + 1 == info_.frame_count) return false;
    frame.index = ++index_;
    frame.timestamp_ns = sequence_->frames()[static_cast<size_t>(index_)].timestamp_ns;
    return true;
  }

  void Read(Frame& frame) override {
    sequence_->Read(index_, frame);
    frame.damage.clear();
  }

  const SourceInfo& info() const override { return info_; }

 private:
  const std::unique_ptr<Sequence> sequence_;
  SourceInfo info_;
  int64_t index_ = -1;
};

}  // namespace

std::unique_ptr<FrameSource> SequenceFrames(std::unique_ptr<Sequence> sequence,
                                            const SourceOptions& options) {
  return SelectFrames(std::make_unique<SequenceReader>(std::move(sequence)), options);
}

}  // namespace calfvo
