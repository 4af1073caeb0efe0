// SPDX-License-Identifier: Apache-2.0
#include "io/video/mask_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "calfvo/error.h"
#include "core/base/temporary_error.h"

namespace calfvo {

namespace {

std::unique_ptr<FrameSource> OpenMasks(const std::string& input) {
  try {
    return OpenFrames(input);
  } catch (const TemporaryError& error) {
    throw TemporaryError(fmt::format("mask {}", error.what()));
  } catch (const Error& error) {
    throw Error(fmt::format("mask {}", error.what()));
  }
}

}  // namespace

MaskSource::MaskSource(const std::string& input) : input_(input), source_(OpenMasks(input)) {
  is_single_ = source_->info().kind == "images" && source_->info().frame_count == 1;
}

void MaskSource::Read(int64_t frame_index, int width, int height, std::vector<uint8_t>* mask) {
  const int64_t wanted = is_single_ ? 0 : frame_index;
  bool is_new = false;
  for (; index_ < wanted; ++index_, is_new = true) {
    if (!source_->Advance(frame_)) {
      throw Error(
          fmt::format("{}: has {} masks, but none for frame {}; expected one per frame of the input, or one "
                      "image for all",
                      input_, index_ + 1, frame_index));
    }
  }
  if (is_new) source_->Read(frame_);
  if (!frame_.damage.empty()) {
    throw Error(fmt::format("{}: the mask of frame {} is damaged: {}", input_, frame_index, frame_.damage));
  }
  constexpr uint8_t kThreshold = 128;
  mask->resize(static_cast<size_t>(width) * static_cast<size_t>(height));
  for (int row = 0; row < height; ++row) {
    const int64_t from_row = (2LL * row + 1) * frame_.height / (2LL * height);
    for (int column = 0; column < width; ++column) {
      const int64_t from_column = (2LL * column + 1) * frame_.width / (2LL * width);
      const uint8_t* rgb = frame_.rgb.data() + (from_row * frame_.width + from_column) * 3;
      (*mask)[static_cast<size_t>(row) * static_cast<size_t>(width) + static_cast<size_t>(column)] =
          std::max({rgb[0], rgb[1], rgb[2]}) < kThreshold ? 0 : 255;
    }
  }
}

bool MaskSource::HasMoreAfter(int64_t count) {
  if (is_single_) return false;
  Frame frame;
  for (int64_t i = 0; i <= count; ++i) {
    if (!source_->Advance(frame)) return false;
  }
  return true;
}

}  // namespace calfvo
