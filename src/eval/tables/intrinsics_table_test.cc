// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/intrinsics_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "eval/tables/test_suite.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CompareIntrinsics, IsThePapersDefinition) {
  const CameraIntrinsics truth{500.0, 520.0, 320.0, 240.0};
  const IntrinsicsErrors same = CompareIntrinsics(truth, truth);
  EXPECT_EQ(same.focal, 0.0);
  EXPECT_EQ(same.axis_deg, 0.0);
  const IntrinsicsErrors errors = CompareIntrinsics(truth, {408.0, 408.0, 323.0, 236.0});
  EXPECT_NEAR(errors.focal, 0.2, 1e-12);
  EXPECT_NEAR(errors.principal_px, 5.0, 1e-12);
  EXPECT_NEAR(errors.axis_deg, std::atan(5.0 / 510.0) * 180.0 / M_PI, 1e-12);
}

// "On TUM, KITTI and EuRoC it is off by 11 to 16 pixels, which displaces the optical axis by 0.9 to 1.7
// degrees": the angle follows from the offset and the focal lengths of the datasets.
TEST(CompareIntrinsics, AgreesWithThePapersColumns) {
  const auto& paper = ReadPaperTables().intrinsics;
  const double focal[] = {0.0, 707.0912, 320.0, 517.0, 458.0};
  for (const size_t i : {1U, 2U, 3U, 4U}) {
    const CameraIntrinsics truth{focal[i], focal[i], 0.0, 0.0};
    const IntrinsicsErrors errors =
        CompareIntrinsics(truth, {focal[i], focal[i], paper.principal_px[i], 0.0});
    EXPECT_NEAR(errors.axis_deg, paper.axis_deg[i], 0.011) << i;
  }
}

TEST(IntrinsicsFile, IsReadStrictly) {
  const TempFolder folder;
  const auto path = folder.path() / "geocalib.txt";
  const auto message = [&](const std::string& text) {
    WriteFile(path, text);
    return ErrorFrom([&] { ReadIntrinsicsFile(path); });
  };
  EXPECT_EQ(message("# kind name fx fy cx cy\nkitti 09 700 701 600 180\n"), "no error");
  const IntrinsicsFile file = ReadIntrinsicsFile(path);
  EXPECT_EQ(file.name, "geocalib");
  EXPECT_EQ(file.sequences.at({"kitti", "09"}), (CameraIntrinsics{700.0, 701.0, 600.0, 180.0}));
  EXPECT_THAT(message("kiti 09 700 701 600 180\n"), HasSubstr("geocalib.txt:1: no dataset 'kiti'"));
  EXPECT_THAT(message("kitti 09 700 701 600\n"), HasSubstr("geocalib.txt:1: the line ends after 5 fields"));
  EXPECT_THAT(message("kitti 09 -700 701 600 180\n"), HasSubstr("a focal length is -700; expected above 0"));
  EXPECT_THAT(message("kitti 09 nan 701 600 180\n"), HasSubstr("geocalib.txt:1: "));
  EXPECT_THAT(message("kitti 09 1 1 1 1\nkitti 09 2 2 2 2\n"),
              HasSubstr("geocalib.txt:2: kitti 09 has been there"));
}

TEST(IntrinsicsTable, ScoresFilesAndRefinedCameras) {
  const CameraIntrinsics truth{500.0, 500.0, 320.0, 240.0};
  SuiteResult refined{.model = "calfvo-s",
                      .overlap = 5,
                      .refine = true,
                      .camera = CameraIntrinsics{505.0, 505.0, 320.0, 240.0}};
  std::vector<SuiteSequence> sequences = {{{"tum", "a", ""}, 10, {{5, refined}}, "", "", truth},
                                          {{"tum", "b", ""}, 10, {{5, {.overlap = 5}}}, "", "", truth},
                                          {{"tum", "c", ""}, 10, {{5, refined}}, "", ""}};
  const PaperTables paper = ReadPaperTables();
  SuiteNumbers numbers(sequences, 5, paper);
  const std::vector<IntrinsicsFile> files = {{.name = "other",
                                              .sequences = {{{"tum", "a"}, {600.0, 600.0, 323.0, 244.0}},
                                                            {{"tum", "b"}, {450.0, 450.0, 320.0, 240.0}},
                                                            {{"tum", "c"}, {1.0, 1.0, 1.0, 1.0}}}}};
  numbers.intrinsics_files = files;
  const ResultTable table = IntrinsicsTable(numbers);
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_THAT(Texts(table.rows[0]),
              ElementsAre("TUM: GeoCalib, paper", "9", "22.6", "19.8", "66.2", "15.4", "1.70"));
  EXPECT_THAT(Texts(table.rows[1]), ElementsAre("TUM: other", "2", "15.0", "15.0", "20.0", "2.5", "0.29"));
  EXPECT_THAT(Texts(table.rows[2])[1], "1");
  EXPECT_THAT(Texts(table.rows[2])[2], "1.0");
}

}  // namespace
}  // namespace calfvo
