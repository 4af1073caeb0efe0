// SPDX-License-Identifier: Apache-2.0
// Recordings in the layouts of datasets, written by the datasets' descriptions. Included by *_test.cc files
// only.
#pragma once

#include "io/datasets/test_sequences.h"

namespace calfvo {

// Four lines of four numbers with six decimals, as the exporters print them.
inline std::string MatrixText(const Eigen::Matrix4d& matrix) {
  std::string text;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      text += fmt::format("{:f}{}", matrix(row, column), column < 3 ? " " : "\n");
    }
  }
  return text;
}

inline void WriteScanNetIntrinsics(const std::filesystem::path& folder) {
  WriteFile(folder / "intrinsic" / "intrinsic_color.txt",
            "1170.187988 0.000000 647.750000 0.000000\n0.000000 1170.187988 483.750000 0.000000\n"
            "0.000000 0.000000 1.000000 0.000000\n0.000000 0.000000 0.000000 1.000000\n");
}

// ScanNet's Python export, but for its images, which are PNG files under their names.
inline void WriteScanNet(const std::filesystem::path& folder, const std::vector<Rigid3>& truth) {
  for (size_t i = 0; i < truth.size(); ++i) {
    WriteFile(folder / "color" / fmt::format("{}.jpg", i), TruePng(static_cast<int>(i)));
    WriteFile(folder / "pose" / fmt::format("{}.txt", i), MatrixText(Matrix4(truth[i])));
  }
  WriteScanNetIntrinsics(folder);
}

inline constexpr double kKittiFocal = 718.856;

// Sequence `number` below dataset/, without the image `missing`.
inline std::filesystem::path WriteKitti(const std::filesystem::path& dataset, const std::string& number,
                                        const std::vector<Rigid3>& truth,
                                        const std::string& images = "image_2", bool with_poses = true,
                                        int missing = -1) {
  constexpr double kP2Offset = 45.38225;  // of the real sequence 00: 6 cm
  const auto sequence = dataset / "sequences" / number;
  std::string times;
  std::string poses;
  for (size_t i = 0; i < truth.size(); ++i) {
    const int frame = static_cast<int>(i);
    if (frame != missing) WriteFile(sequence / images / fmt::format("{:06}.png", i), TruePng(frame));
    times += fmt::format("{:e}\n", 0.1036 * frame);
    // The file holds camera 0: world_from_cam0 = world_from_cam2 · cam2_from_cam0.
    Eigen::Matrix4d cam2_from_cam0 = Eigen::Matrix4d::Identity();
    if (images == "image_2") cam2_from_cam0(0, 3) = kP2Offset / kKittiFocal;
    poses += Numbers17(Rows(Matrix4(truth[i]) * cam2_from_cam0, 3)) + "\n";
  }
  WriteFile(sequence / "times.txt", times);
  std::string calibration;
  for (const auto& [key, offset] :
       {std::pair("P0", 0.0), {"P1", -386.1448}, {"P2", kP2Offset}, {"P3", -337.2877}}) {
    calibration += fmt::format("{}: {} 0 607.1928 {} 0 {} 185.2157 -0.1130887 0 0 1 0.003779761\n", key,
                               kKittiFocal, offset, kKittiFocal);
  }
  calibration += "Tr: 0 -1 0 0 0 0 -1 0 1 0 0 0\n";
  WriteFile(sequence / "calib.txt", calibration);
  if (with_poses) WriteFile(dataset / "poses" / (number + ".txt"), poses);
  return sequence;
}

// A row of Virtual KITTI: "frame 16 numbers", from world to camera.
inline std::string ExtrinsicLine(const std::string& key, const Rigid3& world_from_camera) {
  return fmt::format("{} {}\n", key, Numbers17(Rows(Matrix4(world_from_camera).inverse())));
}

// Scene01/clone of Virtual KITTI 2, images below `rgb` and poses below `text`.
inline std::filesystem::path WriteVirtualKitti2(const std::filesystem::path& rgb,
                                                const std::filesystem::path& text,
                                                const std::vector<Rigid3>& truth) {
  const auto place = std::filesystem::path("Scene01") / "clone";
  std::string extrinsics = "frame cameraID r1,1 r1,2 r1,3 t1 r2,1 r2,2 r2,3 t2 r3,1 r3,2 r3,3 t3 0 0 0 1\n";
  std::string intrinsics = "frame cameraID K[0,0] K[1,1] K[0,2] K[1,2]\n";
  for (size_t i = 0; i < truth.size(); ++i) {
    for (int camera = 0; camera < 2; ++camera) {
      // Content determines a file's type; PNG keeps the pixels.
      WriteFile(rgb / place / fmt::format("frames/rgb/Camera_{}/rgb_{:05}.jpg", camera, i),
                TruePng(camera == 0 ? static_cast<int>(i) : 9));
      Rigid3 pose = truth[i];
      if (camera == 1) pose.translation.x() += 0.532725;
      extrinsics += ExtrinsicLine(fmt::format("{} {}", i, camera), pose);
      intrinsics += fmt::format("{} {} {} 725.0087 620.5 187\n", i, camera, camera == 0 ? 725.0087 : 1.0);
    }
  }
  WriteFile(text / place / "extrinsic.txt", extrinsics);
  WriteFile(text / place / "intrinsic.txt", intrinsics);
  WriteFile(text / place / "pose.txt", "frame cameraID trackID\n0 0 1\n");  // of cars, not of the camera
  return rgb / place;
}

// Body and world have x forward, y right, z down: opencv_from_ned takes (x, y, z) to (y, z, x).
inline std::string NedLine(const Rigid3& world_from_camera) {
  Eigen::Matrix4d opencv_from_ned;
  opencv_from_ned << 0, 1, 0, 0,  //
      0, 0, 1, 0,                 //
      1, 0, 0, 0,                 //
      0, 0, 0, 1;
  const Eigen::Matrix4d ned = opencv_from_ned.inverse() * Matrix4(world_from_camera) * opencv_from_ned;
  const Eigen::Quaterniond q(Eigen::Matrix3d(ned.topLeftCorner<3, 3>()));
  return Numbers17(std::vector<double>{ned(0, 3), ned(1, 3), ned(2, 3), q.x(), q.y(), q.z(), q.w()}) + "\n";
}

// `camera` is "left" in version 1, "lcam_front" in version 2.
inline void WriteTartanAir(const std::filesystem::path& folder, const std::string& camera,
                           const std::vector<Rigid3>& truth, int missing = -1) {
  std::string poses;
  for (size_t i = 0; i < truth.size(); ++i) {
    const int frame = static_cast<int>(i);
    if (frame != missing) {
      WriteFile(folder / ("image_" + camera) / fmt::format("{:06}_{}.png", i, camera), TruePng(frame));
    }
    poses += NedLine(truth[i]);
  }
  WriteFile(folder / fmt::format("pose_{}.txt", camera), poses);
}

// "1305031102.175304": microseconds, as in the sets.
inline std::string Stamp(int64_t microseconds) {
  return fmt::format("{}.{:06}", microseconds / 1'000'000, microseconds % 1'000'000);
}

inline std::string PoseLine(int64_t microseconds, const Rigid3& pose) {
  const Quaternion& q = pose.rotation;
  const auto& t = pose.translation;
  return fmt::format("{} {} {} {} {} {} {} {}\n", Stamp(microseconds), t.x(), t.y(), t.z(), q.x(), q.y(),
                     q.z(), q.w());
}

// TUM's images at `times_us`, numbered from 0, without the one at `missing`, and the lines of `poses`.
inline void WriteTum(const std::filesystem::path& folder, const std::vector<int64_t>& times_us,
                     const std::string& poses, int missing = -1) {
  std::string list = "# color images\n# file: 'x.bag'\n# timestamp filename\n";
  for (size_t i = 0; i < times_us.size(); ++i) {
    const std::string file = fmt::format("rgb/{}.png", Stamp(times_us[i]));
    list += fmt::format("{} {}\n", Stamp(times_us[i]), file);
    if (static_cast<int>(i) != missing) WriteFile(folder / file, TruePng(static_cast<int>(i)));
  }
  WriteFile(folder / "rgb.txt", list);
  if (!poses.empty()) {
    WriteFile(folder / "groundtruth.txt",
              "# ground truth trajectory\n# timestamp tx ty tz qx qy qz qw\n" + poses);
  }
}

// The real one of EuRoC's cam0.
inline Eigen::Matrix4d BodyFromCamera() {
  Eigen::Matrix4d matrix;
  matrix << 0.0148655429818, -0.999880929698, 0.00414029679422, -0.0216401454975,  //
      0.999557249008, 0.0149672133247, 0.025715529948, -0.064676986768,            //
      -0.0257744366974, 0.00375618835797, 0.999660727178, 0.00981073058949,        //
      0.0, 0.0, 0.0, 1.0;
  return matrix;
}

inline constexpr std::string_view kEurocSensor = R"(%YAML:1.0
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

// EuRoC: images at `image_times`, numbered from 0; the pose truth[i], written for the body, at pose_times[i].
inline void WriteEuroc(const std::filesystem::path& folder, const std::vector<int64_t>& image_times,
                       const std::vector<int64_t>& pose_times, const std::vector<Rigid3>& truth) {
  std::string images = "#timestamp [ns],filename\r\n";
  for (size_t i = 0; i < image_times.size(); ++i) {
    images += fmt::format("{0},{0}.png\r\n", image_times[i]);
    WriteFile(folder / "mav0/cam0/data" / fmt::format("{}.png", image_times[i]),
              TruePng(static_cast<int>(i)));
  }
  WriteFile(folder / "mav0/cam0/data.csv", images);
  WriteFile(folder / "mav0/cam0/sensor.yaml", std::string(kEurocSensor));
  std::string poses =
      "#timestamp, p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z [], "
      "v_RS_R_x [m s^-1], v_RS_R_y [m s^-1], v_RS_R_z [m s^-1], b_w_RS_S_x [rad s^-1], b_w_RS_S_y [rad "
      "s^-1], b_w_RS_S_z [rad s^-1], b_a_RS_S_x [m s^-2], b_a_RS_S_y [m s^-2], b_a_RS_S_z [m s^-2]\n";
  for (size_t i = 0; i < pose_times.size(); ++i) {
    const Eigen::Matrix4d body = Matrix4(truth[i]) * BodyFromCamera().inverse();
    const Eigen::Quaterniond q(Eigen::Matrix3d(body.topLeftCorner<3, 3>()));
    poses += fmt::format("{},{}", pose_times[i],
                         Numbers17(std::vector<double>{body(0, 3), body(1, 3), body(2, 3), q.w(), q.x(),
                                                       q.y(), q.z(), 1, 2, 3, 4, 5, 6, 7, 8, 9},
                                   ",")) +
             "\n";
  }
  WriteFile(folder / "mav0/state_groundtruth_estimate0/data.csv", poses);
}

}  // namespace calfvo
