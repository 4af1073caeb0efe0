// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/pose_text.h"

#include <limits>

#include "io/datasets/test_sequences.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

TEST(PoseText, RoundedMatricesBecomeRotations) {
  for (const Rigid3& truth : TruePoses(20)) {
    std::vector<double> matrix = Rows(Matrix4(truth));
    for (double& value : matrix) value = std::round(value * 1e6) / 1e6;
    const auto pose = RigidFromMatrix(std::span<const double, 16>(matrix));
    ASSERT_TRUE(pose.has_value());
    EXPECT_NEAR(pose->rotation.norm(), 1.0, 1e-14);
    EXPECT_LE(AngleBetween(pose->rotation, truth.rotation), 2e-6);
  }
}

TEST(PoseText, OnlyRigidMotionsArePoses) {
  const std::vector<double> identity = Rows(Eigen::Matrix4d::Identity());
  const auto with = [&](size_t index, double value) {
    std::vector<double> matrix = identity;
    matrix[index] = value;
    return RigidFromMatrix(std::span<const double, 16>(matrix)).has_value();
  };
  EXPECT_TRUE(with(3, 1e6));
  EXPECT_TRUE(with(0, 1.001));
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_FALSE(with(i, -std::numeric_limits<double>::infinity())) << i;
    EXPECT_FALSE(with(i, std::numeric_limits<double>::quiet_NaN())) << i;
  }
  EXPECT_FALSE(with(0, -1.0));  // a reflection
  EXPECT_FALSE(with(0, 1.1));
  EXPECT_FALSE(with(0, 1e300));
  EXPECT_FALSE(with(15, 0.0));
  EXPECT_FALSE(with(12, 1.0));
  const std::vector<double> zeros(16);
  EXPECT_FALSE(RigidFromMatrix(std::span<const double, 16>(zeros)).has_value());
}

TEST(PoseText, FilesOfNumbersAreOfTheExpectedLength) {
  const TempFolder folder;
  const auto path = folder.path() / "numbers.txt";
  WriteFile(path, "1 2\n\n 3\t-inf\r\n");
  EXPECT_THAT(ReadNumbers(path, 4), testing::ElementsAre(1, 2, 3, -std::numeric_limits<double>::infinity()));
  EXPECT_THAT(ErrorFrom([&] { ReadNumbers(path, 5); }), HasSubstr("numbers.txt: has 4 numbers; expected 5"));
  EXPECT_THAT(ErrorFrom([&] { ReadNumbers(path, 3); }), HasSubstr("numbers.txt:3: more than 3 numbers"));
  EXPECT_THAT(ErrorFrom([&] { ReadNumbers(folder.path(), 3); }), HasSubstr(": cannot open"));
  EXPECT_EQ(ReadMatrixPose(folder.path() / "none.txt"), std::nullopt);
}

}  // namespace
}  // namespace calfvo
