// SPDX-License-Identifier: Apache-2.0
#include "io/export/exports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/testing.h"
#include "core/trajectory/point_cloud.h"
#include "io/export/export_formats.h"
#include "io/export/test_run.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

TEST(ExportList, NamesAreCheckedAndTakenOnce) {
  EXPECT_THAT(ParseExportList("npz,colmap,npz"), ElementsAre("npz", "colmap"));
  EXPECT_THAT(ErrorFrom([] { ParseExportList("npz,fbx"); }),
              HasSubstr("unknown export 'fbx'; expected some of "
                        "colmap,nerfstudio,ply,npz,tum,kitti,euroc,blender,mcap"));
  EXPECT_THAT(ErrorFrom([] { ParseExportList(""); }), HasSubstr("unknown export ''"));
  EXPECT_THAT(ErrorFrom([] { ParseExportList("npz,"); }), HasSubstr("unknown export ''"));
}

TEST(ExportList, OptionsWithoutUseAreErrors) {
  EXPECT_THAT(ErrorFrom([] { ExportOptions{.formats = {"npz"}, .images = true}.Validate(); }),
              HasSubstr("--images needs an export of colmap, nerfstudio or mcap"));
  EXPECT_THAT(ErrorFrom([] { ExportOptions{.formats = {"mcap"}, .undistort = true}.Validate(); }),
              HasSubstr("--undistort needs --images"));
}

// With every format and option: all files that are announced, no others, and the same bytes twice.
TEST(Exports, WriteTheFilesThatTheyAnnounce) {
  ExportedRun run = KnownMotions();
  run.points.resize(3);
  run.points[1].x_in_world = {1, 2, 3};
  run.camera.k1 = -0.1;
  run.open_frames = [] { return std::make_unique<FlatFrames>(64, 48, 7); };
  const ExportOptions options{
      .formats = ParseExportList("colmap,nerfstudio,ply,npz,tum,kitti,euroc,blender,mcap"),
      .images = true,
      .undistort = true};
  const TempFolder folders[2];
  std::set<std::string> announced;
  for (const std::string& file : ExportFiles(options)) {
    if (!file.ends_with(kSeriesEnding)) announced.insert(file);
    for (size_t pose = 0; file.ends_with(kSeriesEnding) && pose < 7; ++pose)
      announced.insert(file.substr(0, file.size() - 1) + ExportedImageName(pose));
  }
  for (const TempFolder& folder : folders) {
    for (const auto& [name, path] : WriteExports(run, options, folder.path()))
      EXPECT_TRUE(fs::exists(path)) << name;
  }
  std::set<std::string> written;
  for (const auto& entry : fs::recursive_directory_iterator(folders[0].path())) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().lexically_relative(folders[0].path()).string();
    written.insert(name);
    EXPECT_EQ(ReadWholeFile(entry.path()), ReadWholeFile(folders[1].path() / name)) << name;
  }
  EXPECT_EQ(written, announced);
  EXPECT_THAT(ReadWholeFile(folders[0].path() / "colmap/sparse/0/cameras.txt"),
              HasSubstr("SIMPLE_PINHOLE 64 48"));
  const auto json = nlohmann::json::parse(ReadWholeFile(folders[0].path() / "nerfstudio/transforms.json"));
  EXPECT_EQ(json["k1"], 0.0);
  EXPECT_EQ(json["camera_origin"], "guess");
  // y down, z ahead to y ahead, z up.
  EXPECT_EQ(ReadPoints(folders[0].path() / "nerfstudio/points.ply")[1].x_in_world, Eigen::Vector3d(1, 3, -2));
}

TEST(Exports, KeepTheDistortionUnlessAsked) {
  const TempFolder folder;
  ExportedRun run = KnownMotions();
  run.camera.k1 = -0.125;
  run.camera.origin = CameraOrigin::kEstimated;
  WriteExports(run, {.formats = {"colmap", "nerfstudio"}}, folder.path());
  EXPECT_THAT(ReadWholeFile(folder.path() / "colmap/sparse/0/cameras.txt"),
              HasSubstr("\n1 SIMPLE_RADIAL 64 48 55.42562584220407 32 24 -0.125\n"));
  EXPECT_EQ(nlohmann::json::parse(ReadWholeFile(folder.path() / "nerfstudio/transforms.json"))["k1"], -0.125);
}

TEST(ScenePly, HoldsPointsAndPath) {
  const TempFolder folder;
  ExportedRun run = KnownMotions();
  run.points.resize(2);
  WriteExports(run, {.formats = {"ply"}}, folder.path());
  const std::string bytes = ReadWholeFile(folder.path() / "scene.ply");
  EXPECT_THAT(bytes, HasSubstr("element vertex 9\n"));
  EXPECT_THAT(bytes, HasSubstr("element edge 6\n"));
  const size_t header = bytes.find("end_header\n") + 11;
  EXPECT_EQ(bytes.size(), header + 9 * 15 + 6 * 8);
  int32_t last[2];
  std::memcpy(last, bytes.data() + bytes.size() - 8, 8);
  EXPECT_EQ(last[0], 7);
  EXPECT_EQ(last[1], 8);
}

TEST(McapExport, TimesThatRosCannotHoldAreRefused) {
  const TempFolder folder;
  ExportedRun run = KnownMotions();
  run.trajectory.timestamps_ns[0] = -1;
  EXPECT_THAT(ErrorFrom([&] { WriteExports(run, {.formats = {"mcap"}}, folder.path()); }),
              HasSubstr("ROS messages hold times from 1970 to 2038 only"));
  EXPECT_EQ(folder.FileCount(), 0);
}

TEST(ReadExportedRun, TakesCameraAndPointsWhereTheRunLeftThem) {
  const TempFolder folder;
  std::ofstream(folder.path() / "poses.csv")
      << "timestamp_ns,tx,ty,tz,qx,qy,qz,qw,frame,windows,sigma_translation_m,sigma_rotation_rad,flags\n"
         "5,1,2,3,0,0,0,1,0,0,,,\n";
  ExportedRun run = ReadExportedRun(folder.path(), 400, 100, /*refined=*/true);
  EXPECT_EQ(run.camera.focal_px, 200.0);
  EXPECT_EQ(run.camera.origin, CameraOrigin::kGuess);
  EXPECT_TRUE(run.points.empty());
  EXPECT_EQ(run.edges.size(), 1U);
  Camera camera = GuessedCamera(400, 100);
  camera.focal_px = 123.0;
  camera.origin = CameraOrigin::kEstimated;
  WriteCamera(camera, folder.path() / "camera.json");
  WritePoints(std::vector<MapPoint>(4), folder.path() / "points.ply");
  run = ReadExportedRun(folder.path(), 400, 100, /*refined=*/true);
  EXPECT_EQ(run.camera.focal_px, 123.0);
  EXPECT_EQ(run.points.size(), 4U);
  run = ReadExportedRun(folder.path(), 400, 100, /*refined=*/false);  // whoever wrote them
  EXPECT_EQ(run.camera.focal_px, 200.0);
  EXPECT_TRUE(run.points.empty());
  WriteBlenderScript(run, folder.path() / "add_camera.py");
  EXPECT_THAT(ReadWholeFile(folder.path() / "add_camera.py"), HasSubstr("\nHAS_POINTS = False\n"));
}

}  // namespace
}  // namespace calfvo
