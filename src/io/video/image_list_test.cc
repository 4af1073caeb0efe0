// SPDX-License-Identifier: Apache-2.0
#include "io/video/image_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "io/video/test_media.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(NaturalLess, ComparesNumbersAsNumbers) {
  std::vector<std::string> names{"img10", "img2",  "img1", "a",
                                 "img2b", "img02", "img",  "img100000000000000000000"};
  std::sort(names.begin(), names.end(), NaturalLess);
  EXPECT_THAT(names,
              ElementsAre("a", "img", "img1", "img02", "img2", "img2b", "img10", "img100000000000000000000"));
}

TEST(ListByName, TakesOnlyTimesForTimes) {
  EXPECT_THAT(ListByName({"000010.png", "000002.png"}).timestamps_ns, IsEmpty());
  EXPECT_THAT(ListByName({"000010.png", "000002.png"}).files, ElementsAre("000002.png", "000010.png"));
  EXPECT_THAT(ListByName({"1305031102.211214.png", "1305031102.175304.png"}).timestamps_ns,
              ElementsAre(1305031102175304000, 1305031102211214000));
  EXPECT_THAT(ListByName({"1403636579763555584.png", "1403636579813555456.png"}).timestamps_ns,
              ElementsAre(1403636579763555584, 1403636579813555456));
  // Microseconds since 1970, as Oxford's RobotCar has them.
  EXPECT_THAT(ListByName({"1418381798086398.png"}).timestamps_ns, ElementsAre(1418381798086398000));
  EXPECT_THAT(ListByName({"9418381798086398.png"}).timestamps_ns, IsEmpty()) << "more than 64 bits hold";
  EXPECT_THAT(ListByName({"1.2.png", "1.3.png"}).timestamps_ns, IsEmpty()) << "a version, not a time";
  EXPECT_THAT(ListByName({"1.250.png", "b.png"}).timestamps_ns, IsEmpty()) << "not all are times";
  EXPECT_THAT(ListByName({"1.250.png", "1.250.jpg"}).timestamps_ns, IsEmpty()) << "twice the same time";
}

TEST(ListByName, SortsTimesAsTimes) {
  EXPECT_THAT(ListByName({"1.1000.png", "1.200.png", "1.0500.png"}).files,
              ElementsAre("1.0500.png", "1.1000.png", "1.200.png"));
}

TEST(ParseTumList, ReadsTimesExactly) {
  std::istringstream text("# color images\n1305031102.175304 rgb/a.png\r\n1305031102.2112140001 rgb/b.png");
  const ImageList list = ParseTumList(text, "rgb.txt", "folder");
  EXPECT_THAT(list.files, ElementsAre("folder/rgb/a.png", "folder/rgb/b.png"));
  EXPECT_THAT(list.timestamps_ns, ElementsAre(1305031102175304000, 1305031102211214000));
}

TEST(ParseTumList, NamesTheWrongLine) {
  const auto error_of = [](const std::string& text) {
    return ErrorFrom([&] {
      std::istringstream stream(text);
      ParseTumList(stream, "rgb.txt", "");
    });
  };
  EXPECT_EQ(error_of("1 a.png\nx b.png\n"),
            "rgb.txt:2: field 1 'x' is not a time in seconds within ±9.2e9; expected 'timestamp filename'");
  EXPECT_EQ(error_of("1 a.png\n1 b.png\n"), "rgb.txt:2: the time is not after the one before");
  EXPECT_EQ(error_of("-9e9 a.png\n0 b.png\n9e9 c.png\n"),
            "rgb.txt:3: the time is more than 292 years after the first");
  EXPECT_EQ(error_of("1\n"), "rgb.txt:1: the line ends after 1 field; expected 'timestamp filename'");
}

class ListFolderTest : public testing::Test {
 protected:
  void Image(const std::string& name) { WriteBytes(folder_.path() / name, FlatPpm(1, 1, {1, 2, 3})); }
  void Text(const std::string& name, const std::string& text) { WriteBytes(folder_.path() / name, text); }
  std::vector<std::string> Names(const std::string& below = "") {
    std::vector<std::string> names;
    for (const auto& file : ListFolder(folder_.path() / below).files) names.push_back(file.filename());
    return names;
  }

  const TempFolder folder_;
};

TEST_F(ListFolderTest, TakesImagesOnlyAndInNaturalOrder) {
  for (const char* name : {"img10.ppm", "img2.PPM", "img1.ppm", "notes.txt", "img3.ppm~"}) Image(name);
  EXPECT_THAT(Names(), ElementsAre("img1.ppm", "img2.PPM", "img10.ppm"));
}

TEST_F(ListFolderTest, FollowsTumsListing) {
  Image("rgb/b.ppm");
  Image("rgb/a.ppm");
  Text("rgb.txt", "0.5 rgb/b.ppm\n0.75 rgb/a.ppm\n");
  EXPECT_THAT(Names(), ElementsAre("b.ppm", "a.ppm"));
  EXPECT_THAT(ListFolder(folder_.path()).timestamps_ns, ElementsAre(500000000, 750000000));
}

TEST_F(ListFolderTest, FindsKittisTimesFromBothFolders) {
  Image("image_2/000000.ppm");
  Image("image_2/000001.ppm");
  Text("times.txt", "0.000000e+00\n1.036224e-01\n");
  for (const char* below : {"", "image_2", "image_2/"}) {
    EXPECT_THAT(ListFolder(folder_.path() / below).timestamps_ns, ElementsAre(0, 103622400)) << below;
  }
  Text("times.txt", "0\n");
  EXPECT_EQ(ErrorFrom([&] { ListFolder(folder_.path()); }),
            (folder_.path() / "times.txt").string() + ": has 1 times for the 2 images of " +
                (folder_.path() / "image_2").string() + "; expected one per image");
}

TEST_F(ListFolderTest, FindsEurocsImages) {
  Image("mav0/cam0/data/1403636579763555584.ppm");
  EXPECT_THAT(ListFolder(folder_.path()).timestamps_ns, ElementsAre(1403636579763555584));
}

TEST_F(ListFolderTest, KnowsWhatItWouldRead) {
  Image("rgb/1.png");
  const auto would_read = [&](const char* image) {
    return FolderWouldRead(folder_.path(), folder_.path() / image);
  };
  EXPECT_TRUE(would_read("new.png"));
  EXPECT_TRUE(would_read("rgb/new.png"));
  EXPECT_FALSE(would_read("out/new.png"));
  EXPECT_FALSE(would_read("../new.png"));
  Text("rgb.txt", "1.5 rgb/1.png\n");
  EXPECT_FALSE(would_read("rgb/new.png"));
}

TEST_F(ListFolderTest, FiguresOfARunAreNoFrames) {
  Image("path.ppm");
  Text("run.json", "{}");
  EXPECT_EQ(ListFolder(folder_.path()).files.size(), 1U);
  Text("poses.csv", "frame\n");
  EXPECT_THAT(ErrorFrom([&] { ListFolder(folder_.path()); }), HasSubstr("holds the results of a run"));
}

TEST_F(ListFolderTest, ReportsAnEmptyListing) {
  Text("rgb.txt", "# nothing\n");
  EXPECT_THAT(ErrorFrom([&] { ListFolder(folder_.path()); }), HasSubstr("rgb.txt: lists no images"));
}

}  // namespace
}  // namespace calfvo
