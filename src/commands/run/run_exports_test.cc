// SPDX-License-Identifier: Apache-2.0
#include "commands/run/run_exports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "commands/run/run_folder.h"
#include "commands/run/run_record.h"
#include "core/base/testing.h"
#include "core/image/png.h"
#include "core/trajectory/camera_file.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A folder with a complete run of five images, of which every second was used.
class RunExports : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(images_);
    std::vector<uint8_t> pixels(16 * 12 * 3);
    for (int i = 0; i < 5; ++i) {
      std::fill(pixels.begin(), pixels.end(), static_cast<uint8_t>(10 * i));
      WritePng(images_ / ("00" + std::to_string(i) + ".png"),
               {16, 12, PixelFormat::kRgb8, pixels.data(), 48});
    }
    RunFolder folder({.folder = run_, .input = images_.string(), .files = {"poses.csv"}});
    std::ofstream(run_ / "poses.csv")
        << "timestamp_ns,tx,ty,tz,qx,qy,qz,qw,frame,windows,sigma_translation_m,sigma_rotation_rad,flags\n"
           "0,0,0,0,0,0,0,1,0,0,,,\n66666666,1,0,0,0,0,0,1,2,1,,,\n133333333,2,0,0,0,0,0,1,4,1,,,\n";
    nlohmann::json json = {{"input", images_.string()},
                           {"interrupted", false},
                           {"width", 16},
                           {"height", 12},
                           {"options", {{"stride", 2}}},
                           {"outputs", {{"a", "b"}}},
                           {"refine", nlohmann::json::object()},
                           {"files", nlohmann::json::object()}};
    for (const auto& [file, content] : folder.Written())
      json["files"][file] = {{"bytes", content.bytes}, {"sha256", content.sha256}};
    folder.Finish(json.dump());
  }
  std::string Export(const std::string& list, bool images = false, bool overwrite = false) {
    return ErrorFrom(
        [&] { ExportRunFolder(run_, {.formats = ParseExportList(list), .images = images}, overwrite); });
  }
  nlohmann::json RunJson() const { return nlohmann::json::parse(ReadWholeFile(run_ / "run.json")); }

  const TempFolder folder_;
  const fs::path images_ = folder_.path() / "images";
  const fs::path run_ = folder_.path() / "run";
};

TEST_F(RunExports, AddFilesAndNoteThem) {
  ASSERT_EQ(Export("colmap,npz", true), "no error");
  const nlohmann::json json = RunJson();
  EXPECT_EQ(json["outputs"]["colmap"], (run_ / "colmap").string());
  EXPECT_EQ(json["outputs"]["a"], "b");
  EXPECT_TRUE(json["files"].contains("trajectory.npz"));
  EXPECT_TRUE(json["files"].contains("colmap/images/*"));
  EXPECT_FALSE(fs::exists(run_ / "unfinished.json"));
  EXPECT_TRUE(fs::exists(run_ / "colmap/images/frame_000002.png"));
  EXPECT_EQ(ReadWholeFile(run_ / "colmap/images/frame_000002.png"), ReadWholeFile(images_ / "004.png"));
  EXPECT_TRUE(FinishedRun(run_, images_.string()));
  EXPECT_THAT(ReadWholeFile(run_ / "colmap/sparse/0/cameras.txt"), HasSubstr("is a guess"));
}

TEST_F(RunExports, UseTheCameraOfTheRun) {
  Camera camera = GuessedCamera(16, 12);
  camera.focal_px = 77;
  camera.origin = CameraOrigin::kEstimated;
  WriteCamera(camera, run_ / "camera.json");
  ASSERT_EQ(Export("colmap"), "no error");
  EXPECT_THAT(ReadWholeFile(run_ / "colmap/sparse/0/cameras.txt"), HasSubstr("SIMPLE_PINHOLE 16 12 77 8 6"));
}

// `calfvo synth` writes a camera.json of its own.
TEST_F(RunExports, IgnoreTheCameraOfOthers) {
  nlohmann::json json = RunJson();
  json.erase("refine");
  std::ofstream(run_ / "run.json") << json;
  std::ofstream(run_ / "camera.json") << R"({"model": "pinhole_radial2"})";
  ASSERT_EQ(Export("colmap"), "no error");
  EXPECT_THAT(ReadWholeFile(run_ / "colmap/sparse/0/cameras.txt"), HasSubstr("is a guess"));
}

TEST_F(RunExports, AreReplacedByTheNextRun) {
  ASSERT_EQ(Export("colmap,mcap,blender", true), "no error");
  std::ofstream(run_ / "colmap/images/mine.png") << "mine";
  { const RunFolder next({.folder = run_, .input = images_.string(), .files = {"poses.csv"}}); }
  EXPECT_FALSE(fs::exists(run_ / "colmap/sparse"));
  EXPECT_FALSE(fs::exists(run_ / "trajectory.mcap"));
  EXPECT_FALSE(fs::exists(run_ / "blender"));
  EXPECT_FALSE(fs::exists(run_ / "colmap/images/frame_000000.png"));
  EXPECT_TRUE(fs::exists(run_ / "colmap/images/mine.png"));
}

TEST_F(RunExports, NeverReplaceFilesOfOthers) {
  std::ofstream(run_ / "trajectory.npz") << "mine";
  EXPECT_THAT(Export("npz", false, true), HasSubstr("trajectory.npz: already exists and was not created by"));
  EXPECT_EQ(ReadWholeFile(run_ / "trajectory.npz"), "mine");
  fs::create_directories(run_ / "colmap/images");
  std::ofstream(run_ / "colmap/images/frame_000017.png") << "mine";
  EXPECT_THAT(Export("colmap", true, true), HasSubstr("frame_000017.png: already exists"));
  EXPECT_EQ(ReadWholeFile(run_ / "colmap/images/frame_000017.png"), "mine");
  EXPECT_EQ(Export("colmap"), "no error");
  EXPECT_FALSE(fs::exists(run_ / "unfinished.json"));
}

TEST_F(RunExports, ChangedExportsNeedOverwrite) {
  ASSERT_EQ(Export("euroc"), "no error");
  ASSERT_EQ(Export("euroc"), "no error");
  std::ofstream(run_ / "trajectory.euroc", std::ios::app) << "# note\n";
  EXPECT_THAT(Export("euroc"), HasSubstr("trajectory.euroc: has changed since calfvo wrote it"));
  EXPECT_EQ(Export("euroc", false, true), "no error");
}

// Undistorted images beside a camera with distortion would be wrong.
TEST_F(RunExports, ImagesOfAnEarlierExportDoNotStay) {
  ASSERT_EQ(Export("colmap", true), "no error");
  std::ofstream(run_ / "colmap/images/mine.png") << "mine";
  ASSERT_EQ(Export("npz"), "no error");
  EXPECT_TRUE(fs::exists(run_ / "colmap/images/frame_000000.png"));  // of another format
  ASSERT_EQ(Export("colmap"), "no error");
  EXPECT_FALSE(fs::exists(run_ / "colmap/images/frame_000000.png"));
  EXPECT_EQ(ReadWholeFile(run_ / "colmap/images/mine.png"), "mine");
  EXPECT_FALSE(RunJson()["files"].contains("colmap/images/*"));
  EXPECT_TRUE(FinishedRun(run_, images_.string()));

  ASSERT_EQ(Export("colmap", true), "no error");
  std::ofstream(run_ / "colmap/images/frame_000001.png", std::ios::app) << "edited";
  EXPECT_THAT(Export("colmap"), HasSubstr("has changed since calfvo wrote it"));
  EXPECT_TRUE(fs::exists(run_ / "colmap/images/frame_000001.png"));
}

// As if the process had been killed after half of its images.
TEST_F(RunExports, ThatWereKilledCanBeRepeated) {
  ASSERT_EQ(Export("colmap", true), "no error");
  const std::string image = ReadWholeFile(run_ / "colmap/images/frame_000002.png");
  fs::remove(run_ / "colmap/images/frame_000002.png");
  std::ofstream(run_ / "unfinished.json")
      << nlohmann::json{{"input", images_.string()}, {"files", {{"colmap/images/*", nullptr}}}};
  for (const char* part : {".calfvo-0123456789abcdef.part", "colmap/images/.calfvo-0123456789abcdef.part"}) {
    std::ofstream(run_ / part) << "half";
  }
  std::ofstream(run_ / "poses.csv", std::ios::app) << " ";
  ASSERT_EQ(Export("colmap", true), "no error");
  EXPECT_EQ(ReadWholeFile(run_ / "colmap/images/frame_000002.png"), image);
  for (const auto& entry : fs::recursive_directory_iterator(run_)) {
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
  }
  EXPECT_FALSE(fs::exists(run_ / "unfinished.json"));
  const RunPlan next{.folder = run_, .input = images_.string(), .files = {"poses.csv"}};
  EXPECT_THAT(ErrorFrom([&] { CheckRunFolder(next); }), HasSubstr("poses.csv: has changed since"));
}

TEST_F(RunExports, NeedACompleteRun) {
  fs::remove(run_ / "run.json");
  EXPECT_THAT(Export("npz"), HasSubstr("holds no complete run (no valid run.json)"));
  EXPECT_FALSE(fs::exists(run_ / "trajectory.npz"));
}

TEST_F(RunExports, WrongRunJsonIsAnError) {
  nlohmann::json json = RunJson();
  json["options"]["stride"] = "two";
  std::ofstream(run_ / "run.json") << json.dump();
  EXPECT_THAT(Export("colmap", true), HasSubstr("run.json: 'stride' has an unexpected type"));
  json["options"]["stride"] = 1;
  for (const char* width : {"1e308", "12.5", "1e10", "10000000000", "-3000000000", "18446744073709551615"}) {
    json["width"] = nlohmann::json::parse(width);
    std::ofstream(run_ / "run.json") << json.dump();
    EXPECT_THAT(Export("npz"), HasSubstr("run.json: 'width' has an unexpected")) << width;
  }
  json["width"] = -3;
  std::ofstream(run_ / "run.json") << json.dump();
  EXPECT_THAT(Export("colmap"), HasSubstr("the image size -3x12"));
}

TEST_F(RunExports, ImagesOfACameraCannotBeReadAgain) {
  EXPECT_THAT(ErrorFrom([] { CheckExports("-", {.formats = {"colmap"}, .images = true}); }),
              HasSubstr("-: cannot be read again, so --images has none to export"));
}

}  // namespace
}  // namespace calfvo
