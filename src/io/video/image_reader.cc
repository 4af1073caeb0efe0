// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "calfvo/error.h"
#include "core/image/image_decoder.h"
#include "io/video/image_list.h"
#include "io/video/source_kinds.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

constexpr uint8_t kGrey = 128;

class ImageReader final : public FrameSource {
 public:
  ImageReader(ImageList list, const std::string& name) : list_(std::move(list)) {
    const auto count = static_cast<int64_t>(list_.files.size());
    std::string first_damage;
    for (good_ = 0; good_ < count; ++good_) {
      const std::string damage = Load(good_, first_good_);
      if (damage.empty()) break;
      if (good_ == 0) first_damage = damage;
    }
    if (good_ == count) {
      throw Error(
          fmt::format("{}: none of its {} image(s) can be read; the first: {}", name, count, first_damage));
    }
    first_good_.rgb = {};
    info_.kind = "images";
    info_.frame_count = count;
    info_.rate_hz = RateHz();
    info_.description =
        fmt::format("{} images of {}x{} px, {:.4g} frames/s{}", count, first_good_.width, first_good_.height,
                    info_.rate_hz, list_.timestamps_ns.empty() ? " assumed" : "");
  }

  bool Advance(Frame& frame) override {
    if (index_ + 1 == static_cast<int64_t>(list_.files.size())) return false;
    frame.index = ++index_;
    frame.timestamp_ns = list_.timestamps_ns.empty() ? FrameRate{}.TimestampNs(index_)
                                                     : list_.timestamps_ns[static_cast<size_t>(index_)];
    return true;
  }

  // Reading the last good file again costs only where there is damage; a copy would cost every frame.
  void Read(Frame& frame) override {
    frame.damage = Load(index_, frame);
    if (frame.damage.empty()) {
      good_ = index_;
    } else if (good_ > index_ || !Load(good_, frame).empty()) {
      MakeRoomForImage(static_cast<uint64_t>(first_good_.width), static_cast<uint64_t>(first_good_.height),
                       frame);
      std::fill(frame.rgb.begin(), frame.rgb.end(), kGrey);
    }
  }

  const SourceInfo& info() const override { return info_; }

 private:
  // What is wrong with the image, or nothing.
  std::string Load(int64_t index, Frame& frame) const {
    try {
      ReadImageFile(list_.files[static_cast<size_t>(index)], frame);
      return {};
    } catch (const Error& error) {
      return error.what();
    }
  }

  double RateHz() const {
    if (list_.timestamps_ns.empty()) return FrameRate{}.Hertz();
    const auto span_ns = static_cast<double>(list_.timestamps_ns.back() - list_.timestamps_ns.front());
    return span_ns > 0.0 ? static_cast<double>(list_.timestamps_ns.size() - 1) / span_ns * 1e9 : 0.0;
  }

  const ImageList list_;
  SourceInfo info_;
  Frame first_good_;  // its size only
  int64_t good_ = 0;  // the image whose image stands in for a damaged one; one to come stands for grey
  int64_t index_ = -1;
};

}  // namespace

std::unique_ptr<FrameSource> OpenImageFolder(const fs::path& folder) {
  return std::make_unique<ImageReader>(ListFolder(folder), folder.string());
}

std::unique_ptr<FrameSource> OpenImageFiles(const std::string& name, const std::vector<fs::path>& files) {
  return std::make_unique<ImageReader>(ListByName(files), name);
}

}  // namespace calfvo
