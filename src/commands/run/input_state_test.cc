// SPDX-License-Identifier: Apache-2.0
#include "commands/run/input_state.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "core/base/testing.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

class InputStateTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) const {
    fs::create_directories(At(name).parent_path());
    std::ofstream(At(name)) << text;
    fs::last_write_time(At(name), fs::file_time_type(std::chrono::seconds(1'000'000'000)));
  }
  fs::path At(const std::string& name) const { return folder_.path() / name; }
  std::string State(const std::string& name) const { return InputState(At(name).string()); }

  const TempFolder folder_;
};

TEST_F(InputStateTest, ChangesWithSizeAndTimeOfAFile) {
  Write("a.mp4", "one");
  const std::string before = State("a.mp4");
  EXPECT_EQ(before.size(), 64U);
  EXPECT_EQ(State("../" + folder_.path().filename().string() + "/a.mp4"), before);
  Write("a.mp4", "three");
  EXPECT_NE(State("a.mp4"), before);
  Write("a.mp4", "one");
  EXPECT_EQ(State("a.mp4"), before);
  fs::last_write_time(At("a.mp4"), fs::last_write_time(At("a.mp4")) + std::chrono::milliseconds(1));
  EXPECT_NE(State("a.mp4"), before);
}

TEST_F(InputStateTest, CountsTheImagesOfAFolderAndTheirTimesOnly) {
  Write("clip/rgb/1.png", "a");
  Write("clip/rgb/2.png", "b");
  const std::string before = State("clip");
  Write("clip/depth/1.png", "c");
  Write("clip/out/run.json", "{}");
  EXPECT_EQ(State("clip"), before);
  EXPECT_NE(State("clip/rgb/1*.png"), before);
  Write("clip/rgb/3.png", "c");
  const std::string three = State("clip");
  EXPECT_NE(three, before);
  Write("clip/times.txt", "0\n1\n2\n");
  const std::string timed = State("clip");
  EXPECT_NE(timed, three);
  Write("clip/times.txt", "0\n1\n3\n");
  EXPECT_NE(State("clip"), timed);
}

TEST_F(InputStateTest, OfADatasetDependsOnItsImages) {
  Write("room/rgb/1.png", "a");
  Write("room/rgb.txt", "1.0 rgb/1.png\n");
  Write("room/groundtruth.txt", "1.0 0 0 0 0 0 0 1\n");
  const std::string input = "dataset:" + At("room").string();
  const std::string before = InputState(input);
  EXPECT_EQ(before.size(), 64U);
  Write("room/rgb/1.png", "ab");
  EXPECT_NE(InputState(input), before);
}

TEST_F(InputStateTest, IsEmptyForWhatHasNoFiles) {
  for (const char* input : {"-", "lavfi:testsrc", "/dev/null", "/nowhere/a.mp4", "/nowhere/*.png"}) {
    EXPECT_EQ(InputState(input), "") << input;
  }
}

}  // namespace
}  // namespace calfvo
