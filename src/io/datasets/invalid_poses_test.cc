// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/invalid_poses.h"

#include "io/datasets/test_sequences.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

// One frame per letter: 'p' has a pose, '-' has none.
class LetterSequence : public Sequence {
 public:
  explicit LetterSequence(const std::string& letters) {
    for (const char letter : letters) {
      frames_.push_back({.timestamp_ns = static_cast<int64_t>(frames_.size()), .image = {letter}});
      if (letter == 'p') frames_.back().world_from_camera = Rigid3();
    }
  }
  const std::string& name() const override { return name_; }
  const std::vector<SequenceFrame>& frames() const override { return frames_; }
  void Read(int64_t index, Frame& image) const override { image.width = static_cast<int>(index); }

 private:
  const std::string name_ = "letters";
  std::vector<SequenceFrame> frames_;
};

// "dropped", or the letters that are left.
std::string Treated(const std::string& letters, InvalidPoses what) {
  const auto sequence = WithoutInvalidPoses(std::make_unique<LetterSequence>(letters), what);
  if (!sequence) return "dropped";
  std::string left;
  for (const SequenceFrame& frame : sequence->frames()) left += frame.image;
  return left;
}

TEST(InvalidPoses, AreKeptTruncatedOrDropped) {
  struct Case {
    const char* letters;
    const char* truncated;
    const char* dropped;
  };
  for (const Case& c :
       {Case{"pppp", "pppp", "pppp"}, Case{"ppp-pp", "ppp", "dropped"}, Case{"ppp-", "ppp", "dropped"},
        Case{"--ppp", "--ppp", "--ppp"}, Case{"-pp-p", "-pp", "dropped"}, Case{"---", "---", "---"}}) {
    EXPECT_EQ(Treated(c.letters, InvalidPoses::kKeep), c.letters);
    EXPECT_EQ(Treated(c.letters, InvalidPoses::kTruncate), c.truncated);
    EXPECT_EQ(Treated(c.letters, InvalidPoses::kDrop), c.dropped);
  }
}

TEST(InvalidPoses, SubsequencesReadTheirOwnImages) {
  const auto part = Subsequence(std::make_unique<LetterSequence>("pppppp"), 2, 3);
  EXPECT_EQ(part->frames().size(), 3U);
  EXPECT_EQ(part->frames()[0].timestamp_ns, 2);
  Frame image;
  part->Read(1, image);
  EXPECT_EQ(image.width, 3);
  EXPECT_EQ(part->name(), "letters");
}

TEST(InvalidPoses, HaveNames) {
  for (const std::string_view name : InvalidPosesNames()) {
    EXPECT_EQ(InvalidPosesNames()[static_cast<size_t>(InvalidPosesFromName(name))], name);
  }
  EXPECT_THAT(ErrorFrom([] { InvalidPosesFromName("cut"); }),
              HasSubstr("'cut' is not a treatment of invalid poses; expected one of keep, truncate, drop"));
}

}  // namespace
}  // namespace calfvo
