// SPDX-License-Identifier: Apache-2.0
#include "eval/report/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/testing.h"
#include "eval/report/test_pair.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(WriteReport, PageStandsAlone) {
  const TempFolder folder;
  const TestPair pair(60);
  WriteReport(pair.View(), folder.path() / "report");
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "report")) {
    files.push_back(entry.path().filename());
  }
  EXPECT_THAT(files, testing::UnorderedElementsAreArray(ReportFiles()));
  for (const char* stem : {"path", "position", "orientation", "errors"}) {
    EXPECT_THAT(ReadWholeFile(folder.path() / "report" / (std::string(stem) + ".png")),
                StartsWith("\x89PNG"));
    EXPECT_THAT(ReadWholeFile(folder.path() / "report" / (std::string(stem) + ".svg")), HasSubstr("<svg"));
  }
  const std::string page = ReadWholeFile(folder.path() / "report" / "report.html");
  EXPECT_THAT(page, HasSubstr("calfvo evaluation: a&lt;b&gt;"));
  EXPECT_THAT(page, HasSubstr("60 pairs of 60 reference"));
  EXPECT_THAT(page, HasSubstr("of the reference\nalignment "));  // lines stay lines
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("src=\"h")));
  EXPECT_THAT(page, HasSubstr("src=\"data:image/svg+xml;base64,"));
}

TEST(WriteReport, ImagesOfErrorsAreInThePageToo) {
  const TempFolder folder;
  const TestPair pair(5);
  WriteReport(pair.View(), folder.path(), {.largest_errors_png = "bytes"});
  EXPECT_EQ(ReadWholeFile(folder.path() / "largest-errors.png"), "bytes");
  EXPECT_THAT(ReadWholeFile(folder.path() / "report.html"),
              HasSubstr("src=\"data:image/png;base64,Ynl0ZXM=\""));
}

TEST(WriteReport, OnePoseIsEnough) {
  const TempFolder folder;
  const TestPair pair(1);
  WriteReport(pair.View(), folder.path());
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "report.html"));
}

}  // namespace
}  // namespace calfvo
