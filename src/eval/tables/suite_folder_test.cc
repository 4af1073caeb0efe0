// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/suite_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/tables/test_suite.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

class SuiteFolderTest : public testing::Test {
 protected:
  std::filesystem::path At(const std::string& name) const { return folder_.path() / name; }
  void Write(const std::string& name, const SuiteResult& result) const {
    std::filesystem::create_directories(At(name));
    WriteSuiteResult(result, At(name) / "result.json");
  }
  SuiteFolder Read(const std::string& name) const { return ReadSuiteFolders({At(name)})[0]; }
  std::string Refusal(const std::vector<std::filesystem::path>& folders) const {
    return ErrorFrom([&] { ReadSuiteFolders(folders); });
  }

  const TempFolder folder_;
  const SuiteResult result_{.model = "tiny", .backend = "ref f32", .overlap = 5, .frames = 12};
};

TEST_F(SuiteFolderTest, ReadsTheResultsOfDatasetsAndNothingElse) {
  SuiteResult flipped = result_;
  flipped.flip = true;
  Write("out/tum/walk", flipped);
  flipped.design = ModelDesign{.confidence = false};  // the suite went on with a later version
  Write("out/7scenes/chess/seq-01", flipped);
  SuiteResult of_sweep = flipped;
  of_sweep.overlap = 7;
  Write("out/tum/walk/overlap-7", of_sweep);
  Write("out/other/walk", result_);  // of no dataset
  std::filesystem::create_directories(At("out/tum/not_done/report"));
  std::filesystem::create_directories(At("out/tum/odd/result.json"));
  const SuiteFolder folder = Read("out/");
  EXPECT_EQ(folder.name, At("out").string());
  EXPECT_EQ(folder.overlap, 5);
  EXPECT_TRUE(folder.flip);
  EXPECT_EQ(folder.backend, "ref f32");
  EXPECT_EQ(folder.design, (ModelDesign{.confidence = false}));
  ASSERT_EQ(folder.sequences.size(), 2U);
  EXPECT_EQ(folder.sequences[0].found.kind, "7scenes");
  EXPECT_EQ(folder.sequences[0].found.name, "chess/seq-01");
  EXPECT_EQ(folder.sequences[1].found.name, "walk");
  EXPECT_EQ(folder.sequences[1].frames, 12);
  EXPECT_TRUE(folder.sequences[1].results.contains(5));
}

TEST_F(SuiteFolderTest, FoldersWithoutResultsAreRefused) {
  EXPECT_THAT(Refusal({At("none")}), HasSubstr("none: No such file or directory"));
  WriteFile(At("file"), "");
  EXPECT_THAT(Refusal({At("file")}), HasSubstr("file: is not a folder"));
  Write("runs/a/tum/walk", result_);
  EXPECT_THAT(Refusal({At("runs")}), HasSubstr("runs: no results of `calfvo suite`"));
  EXPECT_THAT(Refusal({At("runs/a/tum/walk")}), HasSubstr("give a folder that was its -o"));
}

TEST_F(SuiteFolderTest, TheSameFolderTwiceIsRefused) {
  Write("out/tum/walk", result_);
  std::filesystem::create_directory_symlink(At("out"), At("link"));
  for (const char* other : {"out", "out/tum/..", "link"}) {
    EXPECT_THAT(Refusal({At("out"), At(other)}), HasSubstr("are the same folder; give it once")) << other;
  }
}

TEST_F(SuiteFolderTest, ResultsOfSeveralSuitesInOneFolderAreRefused) {
  Write("out/tum/a", result_);
  SuiteResult other = result_;
  other.model = "other";
  Write("out/tum/b", other);
  EXPECT_THAT(Refusal({At("out")}), HasSubstr("b/result.json: is a result of other settings (other, ref f32, "
                                              "overlap 5) than the first of its folder (tiny, ref f32"));
}

TEST_F(SuiteFolderTest, BrokenResultsAreNamed) {
  Write("out/tum/walk", result_);
  const auto path = At("out/tum/walk/result.json");
  const std::string whole = ReadWholeFile(path);
  for (const std::string& text :
       {std::string(), whole.substr(0, whole.size() / 2), std::string("[]"), std::string("{\"design\": 1}"),
        std::string(100'000, '['), std::string("\0\xff", 2)}) {
    WriteFile(path, text);
    EXPECT_THAT(Refusal({At("out")}), testing::AllOf(HasSubstr(path.string()),
                                                     HasSubstr("remove the file to run the sequence again")));
  }
}

}  // namespace
}  // namespace calfvo
