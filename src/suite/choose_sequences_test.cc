// SPDX-License-Identifier: Apache-2.0
#include "suite/choose_sequences.h"

#include "suite/test_suite.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ChooseSequencesTest : public testing::Test {
 protected:
  ChooseSequencesTest() {
    for (const char* name : {"a/rgbd_dataset_freiburg1_xyz", "a/rgbd_dataset_freiburg1_360", "b/walk"}) {
      WriteRecording(root_.path() / name, 2, 1);
    }
    options_.data = {root_.path()};
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const FoundSequence& found : ChooseSequences(options_)) names.push_back(found.name);
    return names;
  }
  std::string Message() const {
    return ErrorFrom([&] { ChooseSequences(options_); });
  }

  const TempFolder root_;
  SuiteOptions options_;
};

TEST_F(ChooseSequencesTest, EverythingUnlessToldOtherwise) {
  EXPECT_THAT(Names(), ElementsAre("rgbd_dataset_freiburg1_360", "rgbd_dataset_freiburg1_xyz", "walk"));
  options_.datasets = {"tum-layout"};
  EXPECT_THAT(Names(), ElementsAre("walk"));
}

TEST_F(ChooseSequencesTest, WhatAnyOfTheSplitsLists) {
  WriteFile(root_.path() / "one.txt", "tum rgbd_dataset_freiburg1_xyz\n");
  WriteFile(root_.path() / "two.txt", "tum-layout walk\n");
  options_.splits = {root_.path() / "one.txt"};
  EXPECT_THAT(Names(), ElementsAre("rgbd_dataset_freiburg1_xyz"));
  options_.splits.push_back(root_.path() / "two.txt");
  EXPECT_THAT(Names(), ElementsAre("rgbd_dataset_freiburg1_xyz", "walk"));
  options_.datasets = {"kitti"};
  EXPECT_THAT(Message(), HasSubstr("none of the 3 sequences found"));
}

TEST_F(ChooseSequencesTest, NamesMustBeUniqueAndKindsKnown) {
  WriteRecording(root_.path() / "c" / "walk", 2, 1);
  EXPECT_THAT(Message(), HasSubstr("are both called tum-layout walk"));
  options_.datasets = {"kity"};
  EXPECT_THAT(Message(), HasSubstr("there is no dataset 'kity'; known are scannet"));
}

}  // namespace
}  // namespace calfvo
