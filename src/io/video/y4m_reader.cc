// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "calfvo/error.h"
#include "core/base/quoted.h"
#include "io/video/byte_stream.h"
#include "io/video/source_kinds.h"
#include "io/video/y4m.h"

namespace calfvo {
namespace {

constexpr size_t kMaxFrameLine = 1024;

class Y4mReader final : public FrameSource {
 public:
  Y4mReader(int descriptor, const std::string& name, const SourceOptions& options)
      : stream_(descriptor, name, options.stop),
        header_(ParseY4mHeader(stream_.ReadLine(kMaxY4mHeader), name)) {
    info_.kind = "y4m";
    info_.rate_hz = header_.rate.Hertz();
    info_.description =
        fmt::format("{}x{} y4m, {:.4g} frames/s", header_.width, header_.height, info_.rate_hz);
    if (const auto size = stream_.FileSize()) {
      constexpr size_t kFrameLine = 6;
      info_.frame_count = static_cast<int64_t>(*size / (header_.ImageSize() + kFrameLine));
    }
  }

  bool Advance(Frame& frame) override {
    if (!damage_.empty() || stream_.AtEnd()) return false;
    const std::string line = stream_.ReadLine(kMaxFrameLine);
    if (stream_.stopped()) return false;
    if (line.size() == kMaxFrameLine || !(line == "FRAME" || line.starts_with("FRAME "))) {
      throw Error(fmt::format("{}: frame {} begins with {}; expected 'FRAME': the stream is damaged",
                              stream_.name(), index_, Quoted(line)));
    }
    const size_t count = ReadImage();
    if (stream_.stopped()) return false;
    if (count < header_.ImageSize()) {
      damage_ = fmt::format("the stream ends after {} of this frame's {} bytes", count, header_.ImageSize());
      if (index_ == 0) throw Error(fmt::format("{}: {}, which is the first", stream_.name(), damage_));
    }
    frame.index = index_++;
    frame.timestamp_ns = header_.rate.TimestampNs(frame.index);
    return true;
  }

  void Read(Frame& frame) override {
    Y4mToRgb(header_, planes_, frame);
    frame.damage = damage_;
  }

  void Cancel() override { stream_.Cancel(); }

  const SourceInfo& info() const override { return info_; }

 private:
  // Memory grows with what really comes: a short file that claims a huge image must not cost much. A later
  // image that is cut short keeps the rest of the one before.
  size_t ReadImage() {
    constexpr size_t kStep = 1 << 20;
    size_t done = 0;
    while (done < header_.ImageSize()) {
      const size_t wanted = std::min(kStep, header_.ImageSize() - done);
      planes_.resize(std::max(planes_.size(), done + wanted));
      const size_t count = stream_.Read(planes_.data() + done, wanted);
      done += count;
      if (count < wanted) break;
    }
    return done;
  }

  ByteStream stream_;
  const Y4mHeader header_;
  SourceInfo info_;
  std::vector<uint8_t> planes_;
  int64_t index_ = 0;
  std::string damage_;  // of the current frame, which is then the last
};

}  // namespace

std::unique_ptr<FrameSource> OpenY4m(int descriptor, const std::string& name, const SourceOptions& options) {
  return std::make_unique<Y4mReader>(descriptor, name, options);
}

}  // namespace calfvo
