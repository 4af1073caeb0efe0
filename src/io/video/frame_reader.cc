// SPDX-License-Identifier: Apache-2.0
#include "io/video/frame_reader.h"

namespace calfvo {

SourceOptions ToSourceOptions(const FrameOptions& options) {
  SourceOptions source{
      .stride = options.stride, .start_s = options.start_s, .end_s = options.end_s, .stop = options.stop};
  if (options.frames_per_second != 0.0) source.rate = FrameRateFromHertz(options.frames_per_second);
  source.Validate();
  return source;
}

void FrameOptions::Validate() const {
  ToSourceOptions(*this);
}

class FrameReader::Impl {
 public:
  Impl(const std::string& input, const FrameOptions& options)
      : source(OpenFrames(input, ToSourceOptions(options))) {}

  const std::unique_ptr<FrameSource> source;
};

FrameReader::FrameReader(const std::string& input, const FrameOptions& options)
    : impl_(std::make_unique<Impl>(input, options)) {}
FrameReader::~FrameReader() = default;
FrameReader::FrameReader(FrameReader&&) noexcept = default;
FrameReader& FrameReader::operator=(FrameReader&&) noexcept = default;

bool FrameReader::Next(Frame& frame) {
  return impl_->source->Next(frame);
}

std::string FrameReader::description() const {
  return impl_->source->info().description;
}

std::optional<int64_t> FrameReader::frame_count() const {
  return impl_->source->info().frame_count;
}

}  // namespace calfvo
