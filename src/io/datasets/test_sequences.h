// SPDX-License-Identifier: Apache-2.0
// What the tests of this folder share: true poses and images, to be written in the layout of a dataset and
// read back. Included by *_test.cc files only.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "core/base/testing.h"
#include "core/geometry/so3.h"
#include "core/geometry/testing.h"
#include "core/image/png.h"
#include "io/datasets/sequence.h"

namespace calfvo {

// world_from_camera as datasets publish it: 4×4, OpenCV axes, metres.
inline Eigen::Matrix4d Matrix4(const Rigid3& pose) {
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
  matrix.topLeftCorner<3, 3>() = pose.rotation.toRotationMatrix();
  matrix.topRightCorner<3, 1>() = pose.translation;
  return matrix;
}

inline std::vector<Rigid3> TruePoses(int count) {
  std::mt19937_64 random(11);
  std::vector<Rigid3> poses;
  for (int i = 0; i < count; ++i) poses.push_back(RandomRigid(random));
  return poses;
}

// A smooth image, different for each number.
inline Frame TrueImage(int number) {
  Frame frame;
  frame.width = 16;
  frame.height = 8;
  for (int y = 0; y < frame.height; ++y) {
    for (int x = 0; x < frame.width; ++x) {
      for (const int value : {4 * x + 20 * number, 5 * y + 30, 90 + 10 * number}) {
        frame.rgb.push_back(static_cast<uint8_t>(value));
      }
    }
  }
  return frame;
}

inline std::string TruePng(int number) {
  return EncodePng(TrueImage(number).view());
}

inline void WriteFile(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

// "1 2 3", with all digits.
template <typename Numbers>
std::string Numbers17(const Numbers& numbers, const char* separator = " ") {
  std::string text;
  for (const double number : numbers) text += fmt::format("{}{:.17g}", text.empty() ? "" : separator, number);
  return text;
}

// The first `rows` rows of a matrix, in one line.
inline std::vector<double> Rows(const Eigen::Matrix4d& matrix, int rows = 4) {
  std::vector<double> numbers;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < 4; ++column) numbers.push_back(matrix(row, column));
  }
  return numbers;
}

inline void ExpectPose(const Sequence& sequence, size_t index, const Rigid3& expected,
                       double tolerance = 1e-9) {
  ASSERT_LT(index, sequence.frames().size());
  const auto& pose = sequence.frames()[index].world_from_camera;
  ASSERT_TRUE(pose.has_value()) << "frame " << index;
  EXPECT_LE((pose->translation - expected.translation).norm(), tolerance) << "frame " << index;
  EXPECT_LE(AngleBetween(pose->rotation, expected.rotation), tolerance) << "frame " << index;
}

inline void ExpectNoPose(const Sequence& sequence, size_t index) {
  ASSERT_LT(index, sequence.frames().size());
  EXPECT_FALSE(sequence.frames()[index].world_from_camera.has_value()) << "frame " << index;
}

inline void ExpectImage(const Sequence& sequence, size_t index, int number, int tolerance = 0) {
  const Frame expected = TrueImage(number);
  Frame image;
  sequence.Read(static_cast<int64_t>(index), image);
  ASSERT_EQ(image.width, expected.width);
  ASSERT_EQ(image.height, expected.height);
  int largest = 0;
  for (size_t i = 0; i < expected.rgb.size(); ++i) {
    largest = std::max(largest, std::abs(int{image.rgb[i]} - int{expected.rgb[i]}));
  }
  EXPECT_LE(largest, tolerance) << "frame " << index;
}

inline std::vector<int64_t> Times(const Sequence& sequence) {
  std::vector<int64_t> times;
  for (const SequenceFrame& frame : sequence.frames()) times.push_back(frame.timestamp_ns);
  return times;
}

// The Error message of opening `path`, or "no error".
inline std::string OpenError(const std::filesystem::path& path) {
  return ErrorFrom([&] { OpenSequence(path); });
}

}  // namespace calfvo
