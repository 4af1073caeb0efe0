// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/split.h"

#include "io/datasets/test_sequences.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Split Shipped(const std::string& name) {
  return Split(std::filesystem::path(CALFVO_SPLITS) / (name + ".txt"));
}

bool Holds(const std::string& split, const std::string& kind, const std::string& name) {
  return Shipped(split).Contains({kind, name, ""});
}

TEST(Split, TheLastRuleThatFitsCounts) {
  const TempFolder folder;
  const auto path = folder.path() / "split.txt";
  WriteFile(path,
            "# all but ocean, and one of that\nkitti 00\ntartanair1 *\n!tartanair1 ocean/*\ntartanair1 "
            "ocean/Hard/P000\n");
  const Split split(path);
  const std::vector<FoundSequence> found = {{"kitti", "00", ""},
                                            {"kitti", "001", ""},
                                            {"tartanair1", "office/Hard/P000", ""},
                                            {"tartanair1", "ocean/Hard/P001", ""},
                                            {"tartanair2", "office/Hard/P000", ""}};
  const auto selected = split.Select(found);
  ASSERT_EQ(selected.size(), 2U);
  EXPECT_EQ(selected[0].name, "00");
  EXPECT_EQ(selected[1].name, "office/Hard/P000");
  EXPECT_TRUE(split.Contains({"tartanair1", "ocean/Hard/P000", ""}));
  EXPECT_THAT(split.Missing(found), ElementsAre("ocean/Hard/P000"));
}

TEST(Split, StatesWhatToDoWithInvalidPoses) {
  const TempFolder folder;
  const auto path = folder.path() / "split.txt";
  WriteFile(path, "scannet scene0000_00\nscannet @invalid-poses truncate\n");
  const Split split(path);
  EXPECT_EQ(split.invalid_poses("scannet"), InvalidPoses::kTruncate);
  EXPECT_EQ(split.invalid_poses("kitti"), std::nullopt);
  EXPECT_THAT(split.Missing({}), ElementsAre("scene0000_00"));
  WriteFile(path, "scannet @invalid-poses cut\n");
  EXPECT_THAT(ErrorFrom([&] { Split{path}; }),
              HasSubstr("split.txt:1: 'cut' is not a treatment of invalid poses"));
  WriteFile(path, "scannet @invalid-poses\n");
  EXPECT_THAT(ErrorFrom([&] { Split{path}; }), HasSubstr("split.txt:1: the line ends after 2 fields"));
  // The paper's: "dropped because their camera pose annotations contain invalid entries", "we truncate each
  // sequence at its first invalid pose".
  EXPECT_EQ(Shipped("scannet_test").invalid_poses("scannet"), InvalidPoses::kDrop);
  EXPECT_EQ(Shipped("scannet_train").invalid_poses("scannet"), InvalidPoses::kTruncate);
}

TEST(Split, NamesTheLineThatIsWrong) {
  const TempFolder folder;
  const auto path = folder.path() / "split.txt";
  WriteFile(path, "kitti 00\nkiti 01\n");
  EXPECT_THAT(ErrorFrom([&] { Split{path}; }),
              HasSubstr("split.txt:2: no dataset 'kiti'; expected one of scannet, 7scenes, kitti,"));
  WriteFile(path, "kitti\n");
  EXPECT_THAT(ErrorFrom([&] { Split{path}; }), HasSubstr("split.txt:1: the line ends after 1 field"));
}

TEST(Split, ShippedListsHaveThePapersSizes) {
  EXPECT_EQ(Shipped("kitti_train").Missing({}).size(), 9U);
  EXPECT_EQ(Shipped("kitti_test").Missing({}).size(), 2U);
  EXPECT_EQ(Shipped("scannet_test").Missing({}).size(), 100U);
  EXPECT_EQ(Shipped("tartanair_test").Missing({}).size(), 18U);
  EXPECT_EQ(Shipped("tum_test").Missing({}).size(), 9U);
  EXPECT_EQ(Shipped("euroc_test").Missing({}).size(), 11U);
  EXPECT_THAT(Shipped("vkitti_train").Missing({}), IsEmpty());
}

TEST(Split, TrainingNeverHoldsWhatIsTested) {
  for (int space = 0; space <= 806; ++space) {
    const std::string name = fmt::format("scene{:04}_00", space);
    EXPECT_EQ(Holds("scannet_train", "scannet", name), space < 707) << name;
    EXPECT_EQ(Holds("scannet_test", "scannet", name), space >= 707) << name;
  }
  for (int sequence = 0; sequence <= 21; ++sequence) {
    const std::string name = fmt::format("{:02}", sequence);
    EXPECT_EQ(Holds("kitti_train", "kitti", name), sequence <= 8);
    EXPECT_EQ(Holds("kitti_test", "kitti", name), sequence == 9 || sequence == 10);
  }
  EXPECT_TRUE(Holds("tartanair_train", "tartanair2", "OldTownNight/Data_hard/P000"));
  EXPECT_FALSE(Holds("tartanair_train", "tartanair2", "Ocean/Data_easy/P000"));
  EXPECT_FALSE(Holds("tartanair_train", "tartanair2", "SoulCity/Data_hard/P005"));
  EXPECT_FALSE(Holds("tartanair_train", "tartanair1", "office/Hard/P000"));
  EXPECT_TRUE(Holds("tartanair_test", "tartanair1", "soulcity/Hard/P009"));
}

}  // namespace
}  // namespace calfvo
