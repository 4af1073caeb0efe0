// SPDX-License-Identifier: Apache-2.0
#include "commands/page/key_frames.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "commands/page/column.h"
#include "core/image/jpeg.h"

namespace calfvo {
namespace {

struct Size {
  int width;
  int height;
};

Size ThumbnailSize(const Frame& frame) {
  const double aspect = frame.WidthOverHeight();
  const double height = std::min<double>(frame.height, ThumbnailEncoder::kLongSide / std::max(1.0, aspect));
  return {std::clamp(static_cast<int>(std::lround(height * aspect)), 1, ThumbnailEncoder::kLongSide),
          std::max(1, static_cast<int>(std::lround(height)))};
}

}  // namespace

std::string ThumbnailEncoder::Encode(const Frame& frame) {
  const auto [width, height] = ThumbnailSize(frame);
  const ResizePlan plan{.in_width = frame.width,
                        .in_height = frame.height,
                        .out_width = width,
                        .out_height = height,
                        .width = width,
                        .height = height};
  if (plan_ != plan) {
    plan_ = plan;
    resizer_.emplace(plan);
    pixels_.resize(static_cast<size_t>(width) * static_cast<size_t>(height) * 3);
  }
  resizer_->Run(frame.view(), pixels_);
  return EncodeJpeg({width, height, PixelFormat::kRgb8, pixels_.data(), ptrdiff_t{3} * width}, kQuality);
}

void KeyFrames::Add(const Frame& frame) {
  if (seen_++ % stride_ != 0 || !CanEncodeJpeg()) return;
  if (frames_.empty()) {
    const Size size = ThumbnailSize(frame);
    width_ = size.width;
    height_ = size.height;
  }
  frames_.push_back({static_cast<uint32_t>(frame.index), Base64(encoder_.Encode(frame))});
  bytes_ += frames_.back().base64.size() + 3;  // quotes and comma
  while (bytes_ > budget_ && frames_.size() > 1) {
    for (size_t i = 1; 2 * i < frames_.size(); ++i) frames_[i] = std::move(frames_[2 * i]);
    frames_.resize((frames_.size() + 1) / 2);
    stride_ *= 2;
    bytes_ = 0;
    for (const KeyFrame& kept : frames_) bytes_ += kept.base64.size() + 3;
  }
}

std::string KeyFrames::Json() const {
  std::vector<uint32_t> numbers;
  std::string images;
  for (const KeyFrame& frame : frames_) {
    numbers.push_back(frame.number);
    images += fmt::format("{}\"{}\"", images.empty() ? "" : ",", frame.base64);
  }
  return fmt::format(R"({{"format":1,"width":{},"height":{},"frame":"{}","jpeg":[{}]}})", width_, height_,
                     Column(std::span<const uint32_t>(numbers)), images);
}

}  // namespace calfvo
