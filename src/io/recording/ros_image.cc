// SPDX-License-Identifier: Apache-2.0
#include "io/recording/ros_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "calfvo/error.h"
#include "core/base/quoted.h"
#include "core/image/image_decoder.h"
#include "io/recording/byte_cursor.h"

namespace calfvo {
namespace {

constexpr std::string_view kFoxgloveVideo = "foxglove_msgs/CompressedVideo";
constexpr std::string_view kFfmpegPacket = "ffmpeg_image_transport_msgs/FFMPEGPacket";

// Fields of ROS 1's serialization, or of CDR (little-endian), which aligns numbers and ends text with NUL.
class RosFields {
 public:
  RosFields(std::string_view data, bool is_ros1) : is_ros1_(is_ros1), cursor_(data) {
    if (is_ros1) return;
    const std::string_view kind = cursor_.Bytes(4);
    if (kind[0] != 0 || kind[1] != 1) throw Error("a message is not little-endian CDR");
    size_ = cursor_.rest().size();
  }
  template <typename T>
  T Number() {
    if (!is_ros1_) cursor_.Bytes((sizeof(T) - (size_ - cursor_.rest().size()) % sizeof(T)) % sizeof(T));
    return cursor_.Number<T>();
  }
  std::string_view Bytes() { return cursor_.Bytes(Number<uint32_t>()); }
  std::string_view Text() {
    std::string_view text = Bytes();
    if (!is_ros1_ && text.ends_with('\0')) text.remove_suffix(1);
    return text;
  }

 private:
  const bool is_ros1_;
  ByteCursor cursor_;
  size_t size_ = 0;
};

enum class Pixels { kPacked, kGrey16, kBayer, kYuv };

struct Encoding {
  std::string_view name;
  Pixels pixels;
  int bytes;               // per pixel
  std::array<int, 3> rgb;  // kPacked: offsets. kBayer: column and row of red in its 2×2 cell. kYuv: Y, U, V
};
constexpr std::array kEncodings = {
    Encoding{"rgb8", Pixels::kPacked, 3, {0, 1, 2}},     Encoding{"bgr8", Pixels::kPacked, 3, {2, 1, 0}},
    Encoding{"8UC3", Pixels::kPacked, 3, {2, 1, 0}},     Encoding{"rgba8", Pixels::kPacked, 4, {0, 1, 2}},
    Encoding{"bgra8", Pixels::kPacked, 4, {2, 1, 0}},    Encoding{"mono8", Pixels::kPacked, 1, {0, 0, 0}},
    Encoding{"8UC1", Pixels::kPacked, 1, {0, 0, 0}},     Encoding{"mono16", Pixels::kGrey16, 2, {}},
    Encoding{"16UC1", Pixels::kGrey16, 2, {}},           Encoding{"bayer_rggb8", Pixels::kBayer, 1, {0, 0}},
    Encoding{"bayer_bggr8", Pixels::kBayer, 1, {1, 1}},  Encoding{"bayer_gbrg8", Pixels::kBayer, 1, {0, 1}},
    Encoding{"bayer_grbg8", Pixels::kBayer, 1, {1, 0}},  Encoding{"yuv422", Pixels::kYuv, 2, {1, 0, 2}},
    Encoding{"yuv422_yuy2", Pixels::kYuv, 2, {0, 1, 3}},
};

const Encoding& EncodingOf(std::string_view name) {
  for (const Encoding& encoding : kEncodings) {
    if (encoding.name == name) return encoding;
  }
  throw Error(fmt::format("the image encoding {} is not supported", Quoted(name)));
}

uint8_t Byte(double value) {
  return static_cast<uint8_t>(std::clamp(std::lround(value), 0L, 255L));
}

// The mean of the neighbours of one colour, or the pixel itself.
void DemosaicPixel(const RosImage& image, const Encoding& encoding, int row, int column, uint8_t* rgb) {
  const int width = static_cast<int>(image.width);
  const int height = static_cast<int>(image.height);
  std::array<int, 3> sums = {};
  std::array<int, 3> counts = {};
  const auto colour_at = [&](int i, int j) {
    const bool red_row = (i - encoding.rgb[1]) % 2 == 0;
    const bool red_column = (j - encoding.rgb[0]) % 2 == 0;
    return red_row != red_column ? 1 : red_row ? 0 : 2;
  };
  const auto value_at = [&](int i, int j) {
    return static_cast<uint8_t>(image.data[static_cast<size_t>(i) * image.step + static_cast<size_t>(j)]);
  };
  const int own = colour_at(row, column);
  for (int i = std::max(0, row - 1); i <= std::min(height - 1, row + 1); ++i) {
    for (int j = std::max(0, column - 1); j <= std::min(width - 1, column + 1); ++j) {
      const auto colour = static_cast<size_t>(colour_at(i, j));
      sums[colour] += value_at(i, j);
      ++counts[colour];
    }
  }
  for (size_t colour = 0; colour < 3; ++colour) {
    rgb[colour] = static_cast<int>(colour) == own ? value_at(row, column)
                  : counts[colour] == 0
                      ? 0
                      : static_cast<uint8_t>((sums[colour] + counts[colour] / 2) / counts[colour]);
  }
}

void ConvertPixel(const RosImage& image, const Encoding& encoding, int row, int column, uint8_t* rgb) {
  const char* line = image.data.data() + static_cast<size_t>(row) * image.step;
  const auto at = [&](int offset) { return static_cast<uint8_t>(line[offset]); };
  if (encoding.pixels == Pixels::kPacked) {
    for (size_t c = 0; c < 3; ++c) rgb[c] = at(column * encoding.bytes + encoding.rgb[c]);
  } else if (encoding.pixels == Pixels::kGrey16) {
    rgb[0] = rgb[1] = rgb[2] = at(2 * column + (image.is_bigendian ? 0 : 1));  // the upper eight bits
  } else if (encoding.pixels == Pixels::kBayer) {
    DemosaicPixel(image, encoding, row, column, rgb);
  } else {
    const int pair = column / 2 * 4;
    const double y = 1.164383 * (at(2 * column + encoding.rgb[0] % 2) - 16);
    const double u = at(pair + encoding.rgb[1]) - 128;
    const double v = at(pair + encoding.rgb[2]) - 128;
    rgb[0] = Byte(y + 1.596027 * v);
    rgb[1] = Byte(y - 0.391762 * u - 0.812968 * v);
    rgb[2] = Byte(y + 2.017232 * u);
  }
}

}  // namespace

bool IsVideoTopic(const RecordedTopic& topic) {
  return topic.type == kFoxgloveVideo || topic.type == kFfmpegPacket;
}

bool IsImageTopic(const RecordedTopic& topic) {
  if (topic.type == "sensor_msgs/Image" || IsVideoTopic(topic)) return true;
  return topic.type == "sensor_msgs/CompressedImage" && !topic.name.ends_with("/compressedDepth");
}

RosImage ParseRosImage(const RecordedTopic& topic, std::string_view data) {
  RosFields fields(data, topic.is_ros1);
  RosImage image;
  // A sequence number, where the time is part of a header.
  if (topic.is_ros1 && topic.type != kFoxgloveVideo) fields.Number<uint32_t>();
  const auto seconds = fields.Number<uint32_t>();
  image.stamp_ns = int64_t{seconds} * 1'000'000'000 + fields.Number<uint32_t>();
  fields.Text();  // frame_id
  if (topic.type == kFoxgloveVideo) {
    image.data = fields.Bytes();
    image.encoding = fields.Text();
    return image;
  }
  image.is_compressed = topic.type == "sensor_msgs/CompressedImage";
  if (image.is_compressed) {
    image.encoding = fields.Text();
    image.data = fields.Bytes();
    return image;
  }
  if (topic.type == kFfmpegPacket) {
    image.width = fields.Number<uint32_t>();
    image.height = fields.Number<uint32_t>();
    image.encoding = fields.Text();
    fields.Number<uint64_t>();  // presentation time
    fields.Number<uint8_t>();   // flags
    fields.Number<uint8_t>();   // whether pixels were big-endian before encoding
    image.data = fields.Bytes();
    return image;
  }
  image.height = fields.Number<uint32_t>();
  image.width = fields.Number<uint32_t>();
  image.encoding = fields.Text();
  image.is_bigendian = fields.Number<uint8_t>() != 0;
  image.step = fields.Number<uint32_t>();
  image.data = fields.Bytes();
  return image;
}

void DecodeRosImage(const RosImage& image, Frame& frame) {
  if (image.is_compressed) {
    DecodeImage(image.data, frame);
    return;
  }
  const Encoding& encoding = EncodingOf(image.encoding);
  CheckImageSize(image.width, image.height);
  if (encoding.pixels == Pixels::kYuv && image.width % 2 != 0) {
    throw Error(fmt::format("a {} image is {} px wide; expected an even number", encoding.name, image.width));
  }
  const uint64_t row_bytes = uint64_t{image.width} * static_cast<uint64_t>(encoding.bytes);
  if (image.step < row_bytes || image.data.size() < uint64_t{image.step} * (image.height - 1) + row_bytes) {
    throw Error(fmt::format("a {} image of {}x{} px with {} bytes per row has {} bytes; it is cut short",
                            encoding.name, image.width, image.height, image.step, image.data.size()));
  }
  MakeRoomForImage(image.width, image.height, frame);
  uint8_t* rgb = frame.rgb.data();
  for (int row = 0; row < frame.height; ++row) {
    for (int column = 0; column < frame.width; ++column, rgb += 3) {
      ConvertPixel(image, encoding, row, column, rgb);
    }
  }
}

}  // namespace calfvo
