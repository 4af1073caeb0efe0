// SPDX-License-Identifier: Apache-2.0
#include "datasets/test_sequences.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The real one of cam0, and its inverse.
Eigen::Matrix4d BodyFromCamera() {
  Eigen::Matrix4d matrix;
  matrix << 0.0148655429818, -0.999880929698, 0.00414029679422, -0.0216401454975,  //
      0.999557249008, 0.0149672133247, 0.025715529948, -0.064676986768,            //
      -0.0257744366974, 0.00375618835797, 0.999660727178, 0.00981073058949,        //
      0.0, 0.0, 0.0, 1.0;
  return matrix;
}

constexpr std::string_view kSensor = R"(%YAML:1.0
# General sensor definitions [not a list].
sensor_type: camera
comment: VI-Sensor cam0 (MT9M034)

# Sensor extrinsics wrt. the body-frame.
T_BS:
  cols: 4
  rows: 4
  data: [0.0148655429818, -0.999880929698, 0.00414029679422, -0.0216401454975,
         0.999557249008, 0.0149672133247, 0.025715529948, -0.064676986768,
        -0.0257744366974, 0.00375618835797, 0.999660727178, 0.00981073058949,
         0.0, 0.0, 0.0, 1.0]

# Camera specific definitions.
rate_hz: 20
resolution: [752, 480]
camera_model: pinhole
intrinsics: [458.654, 457.296, 367.215, 248.375] #fu, fv, cu, cv
distortion_model: radial-tangential
distortion_coefficients: [-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05]
)";

constexpr int64_t kStart = 1403715886'584058112;

class EurocTest : public testing::Test {
 protected:
  // Pictures at `picture_times`, numbered from 0; the pose truth_[i] at pose_times[i], of the body.
  std::filesystem::path Write(const std::vector<int64_t>& picture_times,
                              const std::vector<int64_t>& pose_times) const {
    const auto folder = root_.path() / "V2_03_difficult";
    std::string pictures = "#timestamp [ns],filename\r\n";
    for (size_t i = 0; i < picture_times.size(); ++i) {
      pictures += fmt::format("{0},{0}.png\r\n", picture_times[i]);
      WriteFile(folder / "mav0/cam0/data" / fmt::format("{}.png", picture_times[i]),
                TruePng(static_cast<int>(i)));
    }
    WriteFile(folder / "mav0/cam0/data.csv", pictures);
    WriteFile(folder / "mav0/cam0/sensor.yaml", std::string(kSensor));
    std::string poses =
        "#timestamp, p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z [], "
        "v_RS_R_x [m s^-1], v_RS_R_y [m s^-1], v_RS_R_z [m s^-1], b_w_RS_S_x [rad s^-1], b_w_RS_S_y [rad "
        "s^-1], b_w_RS_S_z [rad s^-1], b_a_RS_S_x [m s^-2], b_a_RS_S_y [m s^-2], b_a_RS_S_z [m s^-2]\n";
    for (size_t i = 0; i < pose_times.size(); ++i) {
      const Eigen::Matrix4d body = Matrix4(truth_[i]) * BodyFromCamera().inverse();
      const Eigen::Quaterniond q(Eigen::Matrix3d(body.topLeftCorner<3, 3>()));
      poses += fmt::format("{},{}", pose_times[i],
                           Numbers17(std::vector<double>{body(0, 3), body(1, 3), body(2, 3), q.w(), q.x(),
                                                         q.y(), q.z(), 1, 2, 3, 4, 5, 6, 7, 8, 9},
                                     ",")) +
               "\n";
    }
    WriteFile(folder / "mav0/state_groundtruth_estimate0/data.csv", poses);
    return folder;
  }

  const TempFolder root_;
  const std::vector<Rigid3> truth_ = TruePoses(4);
};

TEST_F(EurocTest, ReadsTheLeftCameraThoughTimesDifferALittle) {
  const auto folder =
      Write({kStart, kStart + 50'000'000, kStart + 150'000'000},
            {kStart + 256, kStart + 50'000'000 - 200, kStart + 100'000'000, kStart + 150'000'000});
  const auto sequence = OpenSequence(folder);
  EXPECT_EQ(sequence->name(), "V2_03_difficult");
  EXPECT_THAT(Times(*sequence), ElementsAre(kStart, kStart + 50'000'000, kStart + 150'000'000));
  EXPECT_EQ(
      sequence->intrinsics(),
      (CameraIntrinsics{
          458.654, 457.296, 367.215, 248.375, {-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05, 0.0}}));
  ExpectPose(*sequence, 0, truth_[0]);
  ExpectPose(*sequence, 1, truth_[1]);
  ExpectPose(*sequence, 2, truth_[3]);
  for (int i = 0; i < 3; ++i) ExpectPicture(*sequence, static_cast<size_t>(i), i);
}

TEST_F(EurocTest, PicturesOutsideTheGroundTruthAreLeftOut) {
  const auto folder = Write({kStart - 1'000'000'000, kStart - 50'000'000, kStart, kStart + 50'000'000,
                             kStart + 100'000'000, kStart + 150'000'000},
                            {kStart, kStart + 51'000'001, kStart + 100'000'000 - 1'000'000});
  const auto sequence = OpenSequence(folder);
  EXPECT_THAT(Times(*sequence), ElementsAre(kStart, kStart + 50'000'000, kStart + 100'000'000));
  ExpectPose(*sequence, 0, truth_[0]);
  ExpectPicture(*sequence, 0, 2);
  ExpectNoPose(*sequence, 1);  // 1 ms and 1 ns away
  ExpectPose(*sequence, 2, truth_[2]);
}

TEST_F(EurocTest, WithoutGroundTruthAllPicturesStay) {
  const auto folder = Write({kStart, kStart + 50'000'000}, {kStart});
  std::filesystem::remove_all(folder / "mav0" / "state_groundtruth_estimate0");
  const auto sequence = OpenSequence(folder);
  ASSERT_EQ(sequence->frames().size(), 2U);
  ExpectNoPose(*sequence, 0);
}

TEST_F(EurocTest, RefusesTimesTooFarApart) {
  const auto folder = Write({-9'200'000'000'000'000'000, 0, 9'200'000'000'000'000'000}, {0});
  std::filesystem::remove_all(folder / "mav0" / "state_groundtruth_estimate0");
  EXPECT_THAT(OpenError(folder),
              HasSubstr("9200000000000000000.png: its time 9200000000000000000 ns is more "
                        "than 292 years after the first picture's -9200000000000000000 ns"));
}

TEST_F(EurocTest, SaysWhatIsWrongWithTheSensor) {
  const auto folder = Write({kStart}, {kStart});
  const auto sensor = folder / "mav0/cam0/sensor.yaml";
  const auto error_with = [&](const std::string& from, const std::string& to) {
    std::string text(kSensor);
    WriteFile(sensor, text.replace(text.find(from), from.size(), to));
    return OpenError(folder);
  };
  EXPECT_THAT(error_with("T_BS:", "T_SB:"), HasSubstr("sensor.yaml: has no T_BS"));
  EXPECT_THAT(error_with("0.0148655429818", "1e3"), HasSubstr("sensor.yaml: T_BS is not a rigid motion"));
  EXPECT_THAT(error_with("0.0148655429818, ", ""),
              HasSubstr("sensor.yaml: 'data' has 15 numbers; expected 16"));
  EXPECT_THAT(error_with("458.654", "wide"),
              HasSubstr("sensor.yaml: 'wide' in 'intrinsics' is not a number"));
  EXPECT_THAT(error_with("intrinsics:", "other:"), HasSubstr("sensor.yaml: has no list 'intrinsics: [...]'"));
}

}  // namespace
}  // namespace calfvo
