// SPDX-License-Identifier: Apache-2.0
#include "io/recording/ros_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/testing.h"
#include "core/image/png.h"
#include "io/recording/test_recordings.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const RecordedTopic kRos2Raw{"/image", "sensor_msgs/Image", false, {}};
const RecordedTopic kRos1Raw{"/image", "sensor_msgs/Image", true, {}};

std::vector<int> Decoded(uint32_t width, uint32_t height, const std::string& encoding, uint32_t step,
                         const std::string& data, bool is_bigendian = false) {
  Frame frame;
  const std::string message = CdrImage(5, width, height, encoding, step, data, is_bigendian);
  DecodeRosImage(ParseRosImage(kRos2Raw, message), frame);
  EXPECT_EQ(frame.width, static_cast<int>(width));
  EXPECT_EQ(frame.height, static_cast<int>(height));
  return {frame.rgb.begin(), frame.rgb.end()};
}

TEST(RosImage, HeadersOfBothRosVersions) {
  const std::string ros2 = CdrImage(1'500'000'007, 2, 1, "rgb8", 6, "abcdef");
  const std::string ros1 = Ros1Image(1'500'000'007, 2, 1, "rgb8", 6, "abcdef");
  for (const RosImage& image : {ParseRosImage(kRos2Raw, ros2), ParseRosImage(kRos1Raw, ros1)}) {
    EXPECT_EQ(image.stamp_ns, 1'500'000'007);
    EXPECT_EQ(image.width, 2U);
    EXPECT_EQ(image.height, 1U);
    EXPECT_EQ(image.encoding, "rgb8");
    EXPECT_EQ(image.data, "abcdef");
  }
}

TEST(RosImage, PackedPixels) {
  EXPECT_THAT(Decoded(1, 2, "rgb8", 4, std::string("\1\2\3\0\4\5\6", 7)), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Decoded(1, 1, "bgr8", 3, "\1\2\3"), ElementsAre(3, 2, 1));
  EXPECT_THAT(Decoded(1, 1, "bgra8", 4, "\1\2\3\4"), ElementsAre(3, 2, 1));
  EXPECT_THAT(Decoded(2, 1, "mono8", 2, "\7\x9"), ElementsAre(7, 7, 7, 9, 9, 9));
  EXPECT_THAT(Decoded(1, 1, "mono16", 2, "\1\2"), ElementsAre(2, 2, 2));
  EXPECT_THAT(Decoded(1, 1, "mono16", 2, "\1\2", true), ElementsAre(1, 1, 1));
}

// Fields of one colour stay that colour, whatever the place of red in the cell.
TEST(RosImage, BayerPatterns) {
  const std::pair<const char*, const char*> patterns[] = {
      {"bayer_rggb8", "RGGB"}, {"bayer_bggr8", "BGGR"}, {"bayer_gbrg8", "GBRG"}, {"bayer_grbg8", "GRBG"}};
  for (const auto& [encoding, cell] : patterns) {
    std::string data;
    for (int row = 0; row < 4; ++row) {
      for (int column = 0; column < 4; ++column) {
        const char colour = cell[row % 2 * 2 + column % 2];
        data += static_cast<char>(colour == 'R' ? 100 : colour == 'G' ? 50 : 20);
      }
    }
    const std::vector<int> rgb = Decoded(4, 4, encoding, 4, data);
    for (size_t i = 0; i < rgb.size(); i += 3) {
      EXPECT_THAT(std::vector<int>(rgb.begin() + static_cast<ptrdiff_t>(i),
                                   rgb.begin() + static_cast<ptrdiff_t>(i) + 3),
                  ElementsAre(100, 50, 20))
          << encoding << ' ' << i;
    }
  }
}

// BT.601: red is Y 81, U 90, V 240; white 235, 128, 128.
TEST(RosImage, Yuv422) {
  const std::vector<int> uyvy = Decoded(2, 1, "yuv422", 4, "\x5a\x51\xf0\x51");
  const std::vector<int> yuyv = Decoded(2, 1, "yuv422_yuy2", 4, "\x51\x5a\x51\xf0");
  EXPECT_EQ(uyvy, yuyv);
  EXPECT_NEAR(uyvy[0], 255, 2);
  EXPECT_NEAR(uyvy[1], 0, 2);
  EXPECT_NEAR(uyvy[2], 0, 2);
  EXPECT_THAT(Decoded(2, 1, "yuv422", 4, "\x80\xeb\x80\x10"), ElementsAre(255, 255, 255, 0, 0, 0));
}

TEST(RosImage, Compressed) {
  const uint8_t pixels[] = {1, 2, 3};
  CdrWriter cdr;
  cdr.Time(7).Text("camera").Text("png").Bytes(EncodePng({1, 1, PixelFormat::kRgb8, pixels, 3}));
  Frame frame;
  DecodeRosImage(ParseRosImage({"/c", "sensor_msgs/CompressedImage", false, {}}, cdr.bytes()), frame);
  EXPECT_THAT(frame.rgb, ElementsAre(1, 2, 3));
  EXPECT_TRUE(IsImageTopic({"/c", "sensor_msgs/CompressedImage", false, {}}));
  EXPECT_FALSE(IsImageTopic({"/c/compressedDepth", "sensor_msgs/CompressedImage", false, {}}));
  EXPECT_FALSE(IsImageTopic({"/imu", "sensor_msgs/Imu", false, {}}));
}

TEST(RosImage, WrongMessagesAreErrors) {
  const auto error = [](uint32_t width, uint32_t height, const char* encoding, uint32_t step,
                        const char* data) {
    return ErrorFrom([&] { Decoded(width, height, encoding, step, data); });
  };
  EXPECT_THAT(error(2, 2, "rgb8", 6, "abc"), HasSubstr("it is cut short"));
  EXPECT_THAT(error(2, 1, "rgb8", 2, "abcdef"), HasSubstr("with 2 bytes per row"));
  EXPECT_THAT(error(4'000'000'000, 1, "rgb8", 2, "abcdef"), HasSubstr("4000000000x1"));
  EXPECT_THAT(error(2, 1, "32FC1", 8, "abcdefgh"), HasSubstr("the image encoding '32FC1' is not supported"));
  EXPECT_THAT(error(1, 1, "yuv422", 2, "ab"), HasSubstr("expected an even number"));
  const std::string whole = CdrImage(5, 2, 1, "rgb8", 6, "abcdef");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(ErrorFrom([&] { ParseRosImage(kRos2Raw, whole.substr(0, size)); }), "no error") << size;
  }
  EXPECT_THAT(ErrorFrom([] { ParseRosImage(kRos2Raw, std::string(40, '\0')); }),
              HasSubstr("little-endian CDR"));
}

}  // namespace
}  // namespace calfvo
