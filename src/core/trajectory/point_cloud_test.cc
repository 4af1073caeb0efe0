// SPDX-License-Identifier: Apache-2.0
#include "core/trajectory/point_cloud.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<MapPoint> RandomPoints(int count) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<MapPoint> points(static_cast<size_t>(count));
  for (MapPoint& point : points) {
    point.x_in_world =
        Eigen::Vector3f(normal(random), 1e-30F * normal(random), 1e9F * normal(random)).cast<double>();
    for (uint8_t& channel : point.rgb) channel = static_cast<uint8_t>(random());
    point.first_frame = static_cast<int>(random() % 100'000);
    point.views = static_cast<int>(random() % 50);
  }
  return points;
}

std::string WrittenPoints(const std::vector<MapPoint>& points) {
  const TempFolder folder;
  WritePoints(points, folder.path() / "points.ply");
  return ReadWholeFile(folder.path() / "points.ply");
}

std::string PointsError(const std::string& bytes) {
  return ErrorFrom([&] { ParsePoints(bytes, "points.ply"); });
}

TEST(PointCloud, RoundTripKeepsEveryValue) {
  const TempFolder folder;
  const std::vector<MapPoint> points = RandomPoints(10'000);  // several pieces
  WritePoints(points, folder.path() / "points.ply");
  const std::vector<MapPoint> read = ReadPoints(folder.path() / "points.ply");
  ASSERT_EQ(read.size(), points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    ASSERT_EQ(read[i].x_in_world, points[i].x_in_world);
    ASSERT_TRUE(std::equal(read[i].rgb, read[i].rgb + 3, points[i].rgb));
    ASSERT_EQ(read[i].first_frame, points[i].first_frame);
    ASSERT_EQ(read[i].views, points[i].views);
  }
}

TEST(PointCloud, TheFileIsTheOneDocumented) {
  MapPoint point;
  point.x_in_world = {1.0, -2.0, 0.5};
  point.rgb[0] = 255;
  point.rgb[1] = 0;
  point.rgb[2] = 7;
  point.first_frame = 258;
  point.views = 3;
  const std::string bytes = WrittenPoints({point});
  EXPECT_THAT(bytes, StartsWith("ply\nformat binary_little_endian 1.0\ncomment "));
  EXPECT_THAT(bytes, HasSubstr("\nelement vertex 1\nproperty float x\n"));
  const std::string record(
      "\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x3f\xff\x00\x07\x02\x01\x00\x00\x03\x00\x00\x00", 23);
  EXPECT_EQ(bytes.substr(bytes.size() - 23), record);
}

TEST(PointCloud, NoPointsAreAFileToo) {
  EXPECT_TRUE(ParsePoints(WrittenPoints({}), "points.ply").empty());
}

TEST(PointCloud, EveryTruncationIsAnError) {
  const std::string bytes = WrittenPoints(RandomPoints(2));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(PointsError(bytes.substr(0, size)), StartsWith("points.ply: ")) << size;
  }
  EXPECT_THAT(PointsError(bytes + "x"),
              HasSubstr("47 bytes follow the PLY header; expected 2 points of 23 bytes"));
}

TEST(PointCloud, WrongFilesAreNamed) {
  const std::string bytes = WrittenPoints(RandomPoints(1));
  const auto changed = [&](const std::string& from, const std::string& to) {
    return std::string(bytes).replace(bytes.find(from), from.size(), to);
  };
  EXPECT_THAT(PointsError("PLY"), HasSubstr("is not a binary little-endian PLY file"));
  EXPECT_THAT(PointsError(changed("vertex 1", "vertex 99999999999999999999")),
              HasSubstr("expected 'element vertex N'"));
  EXPECT_THAT(PointsError(changed("vertex 1", "vertex 9999999999999999")),
              HasSubstr("expected 9999999999999999 points"));
  EXPECT_THAT(PointsError(changed("vertex 1", "vertex -1")),
              HasSubstr("'element vertex -1' in the PLY header"));
  EXPECT_THAT(PointsError(changed("float x", "double x")), HasSubstr("expected the PLY properties"));
  std::string nan = bytes;
  nan.replace(nan.size() - 23, 4, "\xff\xff\xff\xff");
  EXPECT_THAT(PointsError(nan), HasSubstr("point 0 is not finite"));
  std::string negative = bytes;
  negative.back() = '\x80';
  EXPECT_THAT(PointsError(negative), HasSubstr("point 0 has a negative count"));
  const TempFolder folder;
  EXPECT_THAT(ErrorFrom([&] { ReadPoints(folder.path() / "none.ply"); }),
              HasSubstr("none.ply: cannot be read"));
}

TEST(PointCloud, PointsAtInfinityAreNotWritten) {
  const TempFolder folder;
  std::vector<MapPoint> points(1);
  points[0].x_in_world.x() = 1e300;  // beyond single precision
  EXPECT_THAT(ErrorFrom([&] { WritePoints(points, folder.path() / "points.ply"); }), HasSubstr("not finite"));
  EXPECT_EQ(folder.FileCount(), 0);
}

}  // namespace
}  // namespace calfvo
