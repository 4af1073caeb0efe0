// SPDX-License-Identifier: Apache-2.0
#include "io/video/frame_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "calfvo/error.h"

namespace calfvo {
namespace {

int64_t Nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}

class Selection final : public FrameSource {
 public:
  Selection(std::unique_ptr<FrameSource> source, const SourceOptions& options)
      : source_(std::move(source)),
        info_(source_->info()),
        rate_(options.rate),
        stride_(options.stride),
        start_ns_(Nanoseconds(options.start_s)),
        end_ns_(options.end_s ? Nanoseconds(*options.end_s) : std::numeric_limits<int64_t>::max()) {
    if (rate_) info_.rate_hz = rate_->Hertz();
    if (info_.frame_count) info_.frame_count = ExpectedCount(*info_.frame_count, options);
  }

  bool Advance(Frame& frame) override {
    while (source_->Advance(frame)) {
      if (rate_) frame.timestamp_ns = rate_->TimestampNs(frame.index);
      if (frame.index == 0) first_ns_ = frame.timestamp_ns;
      const int64_t since_first_ns = frame.timestamp_ns - first_ns_;
      if (since_first_ns >= end_ns_) return false;
      if (since_first_ns >= start_ns_ && passed_++ % stride_ == 0) return true;
    }
    return false;
  }

  void Read(Frame& frame) override { source_->Read(frame); }

  void Cancel() override { source_->Cancel(); }

  const SourceInfo& info() const override { return info_; }

 private:
  int64_t ExpectedCount(int64_t all, const SourceOptions& options) const {
    double first = 0.0;
    double last = static_cast<double>(all);
    if (info_.rate_hz > 0.0) {
      first = std::min(last, std::ceil(options.start_s * info_.rate_hz - 1e-6));
      if (options.end_s) last = std::clamp(std::ceil(*options.end_s * info_.rate_hz - 1e-6), first, last);
    }
    return static_cast<int64_t>(std::ceil((last - first) / options.stride));
  }

  const std::unique_ptr<FrameSource> source_;
  SourceInfo info_;
  const std::optional<FrameRate> rate_;
  const int stride_;
  const int64_t start_ns_;
  const int64_t end_ns_;
  int64_t first_ns_ = 0;
  int64_t passed_ = 0;  // frames between start and end so far
};

}  // namespace

void SourceOptions::Validate() const {
  constexpr double kMaxSeconds = 1e9;
  if (rate && (rate->numerator < 1 || rate->denominator < 1)) {
    throw Error(fmt::format("rate is {}/{}; expected a positive rate", rate->numerator, rate->denominator));
  }
  if (stride < 1) throw Error(fmt::format("stride is {}; expected 1 or more", stride));
  if (!(start_s >= 0.0 && start_s <= kMaxSeconds)) {
    throw Error(fmt::format("start is {} s; expected 0 to 1e9", start_s));
  }
  if (end_s && !(*end_s > start_s && *end_s <= kMaxSeconds)) {
    throw Error(fmt::format("end is {} s; expected more than start, which is {} s, and at most 1e9", *end_s,
                            start_s));
  }
  if (stream < -1) throw Error(fmt::format("stream is {}; expected 0 or more, or -1 for any", stream));
}

std::unique_ptr<FrameSource> SelectFrames(std::unique_ptr<FrameSource> source, const SourceOptions& options) {
  options.Validate();
  return std::make_unique<Selection>(std::move(source), options);
}

}  // namespace calfvo
