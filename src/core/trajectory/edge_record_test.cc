// SPDX-License-Identifier: Apache-2.0
#include "core/trajectory/edge_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

constexpr const char* kHeader =
    "timestamp_ns,tx,ty,tz,qx,qy,qz,qw,frame,windows,sigma_translation_m,sigma_rotation_rad,flags\n";

std::vector<EdgeRecord> ReadRows(const std::string& text) {
  const TempFolder folder;
  std::ofstream(folder.path() / "poses.csv") << text;
  return ReadEdgeRecords(folder.path() / "poses.csv");
}

TEST(EdgeRecords, ReadsTheColumnsOfARun) {
  const auto edges = ReadRows(std::string(kHeader) + "0,0,0,0,0,0,0,1,4,0,,,\n" +
                              "1,0,0,0,0,0,0,1,6,3,0.25,0.001,damaged|dropped_before:5\n");
  ASSERT_EQ(edges.size(), 2U);
  EXPECT_TRUE(std::isnan(edges[0].sigma_translation_m));
  EXPECT_EQ(edges[0].frame, 4);
  EXPECT_EQ(edges[1].frame, 6);
  EXPECT_EQ(edges[1].windows, 3);
  EXPECT_EQ(edges[1].sigma_translation_m, 0.25);
  EXPECT_EQ(edges[1].sigma_rotation_rad, 0.001);
}

TEST(EdgeRecords, WrongFilesAreNamed) {
  EXPECT_THAT(ErrorFrom([] { ReadRows(""); }), HasSubstr("holds no poses"));
  EXPECT_THAT(ErrorFrom([] { ReadRows("frame,tx\n"); }), HasSubstr("lacks the column 'frame'"));
  EXPECT_THAT(ErrorFrom([] { ReadRows(std::string(kHeader) + "0,0,0,0,0,0,0,1,x,0,,,\n"); }),
              HasSubstr(":2: the column 'frame' holds 'x'"));
  EXPECT_THAT(ErrorFrom([] { ReadRows(std::string(kHeader) + "0,0,0,0,0,0,0,1,1,0,-1,,\n"); }),
              HasSubstr("the column 'sigma_translation_m' holds '-1'"));
  EXPECT_THAT(ErrorFrom([] { ReadRows(std::string(kHeader) + "0,0,0\n"); }),
              HasSubstr("ends after 3 fields"));
}

}  // namespace
}  // namespace calfvo
