// SPDX-License-Identifier: Apache-2.0
#include "commands/suite/choose_sequences.h"

#include "eval/tables/test_suite.h"

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
    for (const ChosenSequence& chosen : ChooseSequences(options_)) names.push_back(chosen.found.name);
    return names;
  }
  std::string Message() const {
    return ErrorFrom([&] { ChooseSequences(options_); });
  }

  const TempFolder root_;
  SuiteOptions options_;
};

TEST_F(ChooseSequencesTest, EverythingByDefault) {
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

TEST_F(ChooseSequencesTest, InvalidPosesAreTreatedAsTheSplitStatesByDefault) {
  const auto treatment = [&] { return ChooseSequences(options_).front().invalid_poses; };
  EXPECT_EQ(treatment(), InvalidPoses::kKeep);
  WriteFile(root_.path() / "split.txt", "tum-layout walk\ntum-layout @invalid-poses drop\n");
  options_.splits = {root_.path() / "split.txt"};
  EXPECT_EQ(treatment(), InvalidPoses::kDrop);
  options_.invalid_poses = InvalidPoses::kTruncate;
  EXPECT_EQ(treatment(), InvalidPoses::kTruncate);
}

TEST_F(ChooseSequencesTest, NamesMustBeUniqueAndKindsKnown) {
  WriteRecording(root_.path() / "c" / "walk", 2, 1);
  EXPECT_THAT(Message(), HasSubstr("are both called tum-layout walk"));
  options_.datasets = {"kity"};
  EXPECT_THAT(Message(), HasSubstr("unknown dataset 'kity'; known are scannet"));
}

}  // namespace
}  // namespace calfvo
