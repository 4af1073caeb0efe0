// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "calfvo/error.h"
#include "frames/byte_stream.h"
#include "frames/frame_reader.h"
#include "frames/shown_text.h"
#include "frames/y4m.h"

namespace calfvo {
namespace {

constexpr size_t kMaxLine = 1024;

class Y4mReader final : public FrameReader {
 public:
  Y4mReader(int descriptor, const std::string& name, const SourceOptions& options)
      : stream_(descriptor, name, options.stop),
        header_(ParseY4mHeader(stream_.ReadLine(kMaxLine).value_or("a long line"), name)) {
    info_.kind = "y4m";
    info_.rate_hz = header_.rate.Hertz();
    info_.description =
        fmt::format("{}x{} y4m, {:.4g} frames/s", header_.width, header_.height, info_.rate_hz);
    if (const auto size = stream_.FileSize()) {
      constexpr size_t kFrameLine = 6;
      info_.frame_count = static_cast<int64_t>(*size / (header_.PictureSize() + kFrameLine));
    }
  }

  std::optional<int64_t> Advance() override {
    if (!damage_.empty() || stream_.AtEnd()) return {};
    const auto line = stream_.ReadLine(kMaxLine);
    if (stream_.stopped()) return {};
    if (!line || !(*line == "FRAME" || line->starts_with("FRAME "))) {
      throw Error(fmt::format("{}: frame {} begins with '{}'; expected 'FRAME': the stream is damaged",
                              stream_.name(), index_, ShownText(line.value_or("a long line"))));
    }
    const size_t count = ReadPicture();
    if (stream_.stopped()) return {};
    if (count < header_.PictureSize()) {
      damage_ =
          fmt::format("the stream ends after {} of this frame's {} bytes", count, header_.PictureSize());
      if (index_ == 0) throw Error(fmt::format("{}: {}, which is the first", stream_.name(), damage_));
    }
    return header_.rate.TimestampNs(index_++);
  }

  void Read(Frame& frame) override {
    Y4mToRgb(header_, planes_, frame);
    frame.damage = damage_;
  }

  void Cancel() override { stream_.Cancel(); }

  const SourceInfo& info() const override { return info_; }

 private:
  // Memory grows with what really comes: a short file that claims a huge picture must not cost much. A later
  // picture that is cut short keeps the rest of the one before.
  size_t ReadPicture() {
    constexpr size_t kStep = 1 << 20;
    size_t done = 0;
    while (done < header_.PictureSize()) {
      const size_t wanted = std::min(kStep, header_.PictureSize() - done);
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

std::unique_ptr<FrameReader> OpenY4m(int descriptor, const std::string& name, const SourceOptions& options) {
  return std::make_unique<Y4mReader>(descriptor, name, options);
}

}  // namespace calfvo
