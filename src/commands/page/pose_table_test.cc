// SPDX-License-Identifier: Apache-2.0
#include "commands/page/pose_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "calfvo/error.h"
#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Independent of Base64 in eval/plot.
template <typename T>
std::vector<T> Decode(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(digits.find(c));
    count += 6;
    if (count >= 8) bytes.push_back(static_cast<char>(bits >> (count -= 8)));
  }
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

template <typename T>
std::vector<T> Column(const PoseTable& table, const char* name, size_t begin = 0) {
  return Decode<T>(nlohmann::json::parse(table.ColumnsJson(begin))[name]);
}

PoseRow Row(int i) {
  PoseRow row{.timestamp_ns = 1'000'000'000LL * i + 5, .frame = 2 * i};
  row.world_from_camera.translation = {1.0 * i, 2.0 * i, 3.0 * i};
  row.covariance = Matrix6::Identity() * i;
  row.covariance(0, 1) = row.covariance(1, 0) = 0.5;
  row.sigma_translation_m = 0.25 * i;
  row.sigma_rotation_rad = 0.125 * i;
  row.damaged = i == 3;
  row.dropped_before = i == 2;
  return row;
}

TEST(PoseTable, ColumnsHoldEveryPose) {
  PoseTable table(/*has_confidence=*/true);
  for (int i = 0; i < 4; ++i) table.Add(Row(i));
  EXPECT_THAT(Column<double>(table, "time"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Column<uint32_t>(table, "frame"), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(Column<float>(table, "position", 3), ElementsAre(3, 6, 9));
  EXPECT_THAT(Column<float>(table, "quaternion", 3), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(Column<float>(table, "covariance", 3), ElementsAre(3, 0.5, 0, 3, 0, 3, 3, 0, 0, 3, 0, 3));
  EXPECT_THAT(Column<float>(table, "sigma", 2), ElementsAre(0.5, 0.25, 0.75, 0.375));
  EXPECT_THAT(Column<uint8_t>(table, "flags"), ElementsAre(0, 0, 2, 1));
  EXPECT_TRUE(Column<double>(table, "time", 9).empty());
}

TEST(PoseTable, LongRunsAreThinnedAndKeepFlags) {
  PoseTable table(/*has_confidence=*/false, /*max_poses=*/8);
  for (int i = 0; i < 100; ++i) {
    PoseRow row = Row(i);
    row.damaged = i == 33;
    row.dropped_before = false;
    table.Add(row);
  }
  EXPECT_EQ(table.added(), 100);
  EXPECT_EQ(table.stride(), 16);
  EXPECT_THAT(Column<double>(table, "time"), ElementsAre(0, 16, 32, 48, 64, 80, 96));
  EXPECT_THAT(Column<uint8_t>(table, "flags"),
              ElementsAre(0, 0, 0, 1, 0, 0, 0));  // at the next pose that is kept
  EXPECT_TRUE(Column<float>(table, "sigma").empty());
  EXPECT_EQ(Column<float>(table, "position").size(), 21U);
}

constexpr const char* kPlainHeader =
    "timestamp_ns,tx,ty,tz,qx,qy,qz,qw,frame,windows,sigma_translation_m,sigma_rotation_rad,flags";

PoseTable Read(const std::string& text) {
  std::istringstream stream(text);
  return ReadPoseTable(stream, "poses.csv");
}

TEST(PoseTable, ReadsRunsWithoutConfidenceAndWithMoreColumns) {
  const PoseTable table = Read(
      std::string(kPlainHeader) +
      ",refine_weight\n10,1,2,3,0,0,0,1,7,0,,,damaged|dropped_before:2,0.5\n20,4,5,6,0,0,0,1,8,1,,,,1\n");
  EXPECT_FALSE(table.has_confidence());
  EXPECT_THAT(Column<uint32_t>(table, "frame"), ElementsAre(7, 8));
  EXPECT_THAT(Column<float>(table, "position"), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Column<uint8_t>(table, "flags"), ElementsAre(3, 0));
}

TEST(PoseTable, FarTimesDoNotOverflow) {
  const PoseTable table =
      Read(std::string(kPlainHeader) +
           "\n-9223372036854775807,1,2,3,0,0,0,1,7,0,,,\n9223372036854775807,4,5,6,0,0,0,1,8,1,,,\n");
  EXPECT_NEAR(Column<double>(table, "time")[1], 1.8446744e10, 1e3);
}

TEST(PoseTable, WrongFilesAreErrors) {
  const std::string header = std::string(kPlainHeader) + "\n";
  const auto error = [](const std::string& text) { return ErrorFrom([&] { Read(text); }); };
  EXPECT_THAT(error("time,x\n"), HasSubstr("poses.csv:1: unknown header"));
  EXPECT_THAT(error(""), HasSubstr("unknown header"));
  EXPECT_THAT(error(header), HasSubstr("poses.csv: has no poses"));
  EXPECT_THAT(error(header + "1,2,3\n"), HasSubstr("poses.csv:2"));
  EXPECT_THAT(error(header + "1,nan,2,3,0,0,0,1,7,0,,,\n"), HasSubstr("poses.csv:2"));
  EXPECT_THAT(error(header + "1,1,2,3,0,0,0,1,-7,0,,,\n"), HasSubstr("the frame number is out of range"));
  EXPECT_THAT(error(header + "1,1,2,3,0,0,0,1,7,0,x,,\n"), HasSubstr("not a number"));
  EXPECT_THAT(error(header + "5,1,2,3,0,0,0,1,7,0,,,\n5,1,2,3,0,0,0,1,8,0,,,\n"), HasSubstr("not after"));
}

}  // namespace
}  // namespace calfvo
