// SPDX-License-Identifier: Apache-2.0
#include "core/trajectory/camera_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

Camera EveryField() {
  Camera camera;
  camera.width = 1920;
  camera.height = 1080;
  camera.focal_px = 1234.5678901234567;
  camera.principal_point = {959.1 + 1e-13, 541.3};
  camera.k1 = -0.1234567890123;
  camera.readout_frames = 0.71;
  camera.focal_sigma_px = 0.1 + 0.2;
  camera.principal_point_sigma = {1e-300, 2.5};
  camera.k1_sigma = 3e-4;
  camera.readout_sigma_frames = 0.02;
  camera.origin = CameraOrigin::kEstimated;
  return camera;
}

// CameraJson with one piece of text replaced.
std::string Changed(const std::string& from, const std::string& to) {
  std::string text = CameraJson(EveryField());
  return text.replace(text.find(from), from.size(), to);
}

std::string CameraError(const std::string& text) {
  return ErrorFrom([&] { ParseCamera(text, "camera.json"); });
}

TEST(CameraFile, RoundTripKeepsEveryBit) {
  const TempFolder folder;
  const Camera written = EveryField();
  WriteCamera(written, folder.path() / "camera.json");
  const Camera read = ReadCamera(folder.path() / "camera.json");
  EXPECT_EQ(read.width, 1920);
  EXPECT_EQ(read.height, 1080);
  EXPECT_EQ(read.focal_px, written.focal_px);
  EXPECT_EQ(read.principal_point, written.principal_point);
  EXPECT_EQ(read.k1, written.k1);
  EXPECT_EQ(read.readout_frames, written.readout_frames);
  EXPECT_EQ(read.focal_sigma_px, written.focal_sigma_px);
  EXPECT_EQ(read.principal_point_sigma, written.principal_point_sigma);
  EXPECT_EQ(read.k1_sigma, written.k1_sigma);
  EXPECT_EQ(read.readout_sigma_frames, written.readout_sigma_frames);
  EXPECT_EQ(read.origin, CameraOrigin::kEstimated);
}

TEST(CameraFile, TheGuessIsTheGeometricMeanOfTheSides) {
  const Camera camera = ParseCamera(CameraJson(GuessedCamera(640, 360)), "camera.json");
  EXPECT_DOUBLE_EQ(camera.focal_px, 480.0);
  EXPECT_EQ(camera.principal_point, Eigen::Vector2d(320, 180));
  EXPECT_EQ(camera.origin, CameraOrigin::kGuess);
}

TEST(CameraFile, WrongFilesAreNamed) {
  const TempFolder folder;
  EXPECT_THAT(ErrorFrom([&] { ReadCamera(folder.path() / "none.json"); }),
              HasSubstr("none.json: cannot be read"));
  EXPECT_THAT(ErrorFrom([&] { ReadCamera(folder.path()); }), HasSubstr("cannot be read"));
  std::ofstream(folder.path() / "large.json") << std::string(70'000, ' ');
  EXPECT_THAT(ErrorFrom([&] { ReadCamera(folder.path() / "large.json"); }), HasSubstr("has over 64 KiB"));
  EXPECT_EQ(CameraError(""), "camera.json: is not valid JSON");
  EXPECT_EQ(CameraError("[]"), "camera.json: is not a JSON object");
  EXPECT_EQ(CameraError(std::string(50'000, '[')), "camera.json: is nested too deep");
  EXPECT_EQ(CameraError(R"({"a": {"b": {"c": 1}}})"), "camera.json: is nested too deep");
  EXPECT_EQ(CameraError(CameraJson(EveryField()) + "x"), "camera.json: is not valid JSON");
}

TEST(CameraFile, WrongMembersAreNamed) {
  EXPECT_EQ(CameraError(Changed("\"k1\"", "\"k2\"")), "camera.json: lacks the key 'k1'");
  EXPECT_EQ(CameraError(Changed("\"k1\"", "\"x\": 1, \"k1\"")), "camera.json: has the unknown key 'x'");
  EXPECT_EQ(CameraError(Changed("\"k1\"", "\"k1\": 1, \"k1\"")), "camera.json: repeats the key 'k1'");
  EXPECT_EQ(CameraError(Changed("1920", "1920.5")),
            "camera.json: 'width' is not an integer from 0 to 1000000000");
  EXPECT_EQ(CameraError(Changed("1920", "-1")),
            "camera.json: 'width' is not an integer from 0 to 1000000000");
  EXPECT_THAT(CameraError(Changed("1920", "0")),
              HasSubstr("the image size 0x1080 is not within 1 to 1000000"));
  EXPECT_EQ(CameraError(Changed("0.71", "true")), "camera.json: 'readout_frames' is not a number");
  EXPECT_EQ(CameraError(Changed("0.71", "70")), "camera.json: readout_frames 70 is beyond ±10");
  EXPECT_EQ(CameraError(Changed("[1e-300, 2.5]", "[1, 2, 3]")),
            "camera.json: 'principal_point_sigma' is not an array of two numbers");
  EXPECT_EQ(CameraError(Changed("[1e-300, 2.5]", "[1, -2]")),
            "camera.json: a standard deviation is negative or not finite");
  EXPECT_EQ(CameraError(Changed("SIMPLE_RADIAL", "FISHEYE")),
            "camera.json: 'model' is 'FISHEYE', expected 'SIMPLE_RADIAL'");
  EXPECT_EQ(CameraError(Changed("estimated", "true")),
            "camera.json: 'origin' is 'true', expected 'guess', 'given' or 'estimated'");
  EXPECT_EQ(CameraError(Changed("\"estimated\"", "1")), "camera.json: 'origin' is not a string");
}

TEST(CameraFile, ImpossibleCamerasAreNotWritten) {
  const TempFolder folder;
  Camera camera = EveryField();
  camera.focal_px = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(ErrorFrom([&] { WriteCamera(camera, folder.path() / "camera.json"); }),
              HasSubstr("focal_px nan"));
  EXPECT_EQ(folder.FileCount(), 0);
}

}  // namespace
}  // namespace calfvo
