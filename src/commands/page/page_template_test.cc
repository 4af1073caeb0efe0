// SPDX-License-Identifier: Apache-2.0
#include "commands/page/page_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/page/test_run.h"
#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PageTemplate, DataGoesIntoThePage) {
  const PageTemplate page(kTestTemplate, "test");
  const std::string text = page.PageOf(R"({"a":1})", R"({"jpeg":[]})");
  EXPECT_THAT(text, HasSubstr("<script type=\"application/json\" id=\"calfvo-run\">{\"a\":1}</script>"));
  EXPECT_THAT(text, HasSubstr("connect-src 'none'"));
  EXPECT_THAT(text, Not(HasSubstr("calfvo:")));
  const TempFolder folder;
  WriteText(folder.path() / "view.html", text);
  EXPECT_EQ(FramesOfPage(folder.path() / "view.html"), R"({"jpeg":[]})");
  WriteText(folder.path() / "view.html", page.PageOf("{}", ""));
  EXPECT_EQ(FramesOfPage(folder.path() / "view.html"), "null");
}

TEST(PageTemplate, TheServersPageHasNoDataAndAPolicy) {
  const PageTemplate page(kTestTemplate, "test");
  EXPECT_THAT(page.ServerPage(), HasSubstr("connect-src 'self'"));
  EXPECT_EQ(page.ServerPolicy(), "default-src 'none'; connect-src 'self'; frame-ancestors 'none'");
}

TEST(PageTemplate, OtherFilesAreErrors) {
  EXPECT_THAT(ErrorFrom([] { PageTemplate("<html>", "x.html"); }),
              HasSubstr("x.html: is not calfvo's viewer"));
  const TempFolder folder;
  const ScopedEnvironment place("CALFVO_VIEWER", (folder.path() / "viewer.html").string());
  WriteText(folder.path() / "viewer.html", kTestTemplate);
  EXPECT_EQ(FindPageTemplate(), folder.path() / "viewer.html");
  EXPECT_THAT(ReadPageTemplate().ServerPage(), HasSubstr("page()"));
}

TEST(PageTemplate, FramesOfOtherFilesAreNone) {
  const TempFolder folder;
  EXPECT_EQ(FramesOfPage(folder.path() / "missing.html"), "null");
  EXPECT_EQ(FramesOfPage(folder.path()), "null");
  WriteText(folder.path() / "cut.html", "<script type=\"application/json\" id=\"calfvo-frames\">{\"jp");
  EXPECT_EQ(FramesOfPage(folder.path() / "cut.html"), "null");
}

}  // namespace
}  // namespace calfvo
