// SPDX-License-Identifier: Apache-2.0
// The written files of `calfvo synth` agree with each other: a frame can be predicted from the next one
// through depth, poses and intrinsics, and through flow.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "calfvo/trajectory.h"
#include "clip_files.h"
#include "core/base/atomic_file.h"
#include "run_program.h"

namespace calfvo {
namespace {

constexpr int kFrames = 4;

double Grey(const PngFile& image, int x, int y) {
  const uint16_t* p = &image.values[size_t{3} * (static_cast<size_t>(y) * image.width + x)];
  return 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
}

// Bilinear; nothing outside the pixel centres.
std::optional<double> GreyAt(const PngFile& image, const Eigen::Vector2d& p) {
  const double fx = std::floor(p.x());
  const double fy = std::floor(p.y());
  if (!(fx >= 0.0 && fy >= 0.0 && fx + 1 < image.width && fy + 1 < image.height)) return {};
  const int x = static_cast<int>(fx);
  const int y = static_cast<int>(fy);
  const double s = p.x() - fx;
  const double t = p.y() - fy;
  return (1 - t) * ((1 - s) * Grey(image, x, y) + s * Grey(image, x + 1, y)) +
         t * ((1 - s) * Grey(image, x, y + 1) + s * Grey(image, x + 1, y + 1));
}

double Quantile(std::vector<double> values, double share) {
  const auto place = values.begin() + static_cast<ptrdiff_t>(share * static_cast<double>(values.size()));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

double Median(const std::vector<double>& values) {
  return Quantile(values, 0.5);
}

struct Medians {
  double through_depth = 0.0;  // grey levels
  double through_flow = 0.0;
  double flow_minus_depth = 0.0;  // pixels
  double moved = 0.0;             // pixels
  double unmoved = 0.0;           // grey levels between the frames as they are
  double ninth_decile_through_depth = 0.0;
  double ninth_decile_unmoved = 0.0;
};

// The first frame of the clip against the second, and so on.
Medians CompareFrames(const std::filesystem::path& folder) {
  const FileCamera camera(folder / "camera.json");
  const Trajectory truth = ReadTrajectory(folder / "groundtruth.txt", TrajectoryFormat::kTum);
  std::vector<double> through_depth, through_flow, differences, moved, unmoved;
  for (int i = 0; i + 1 < kFrames; ++i) {
    const auto name = [](int k) { return "00000" + std::to_string(k); };
    const PngFile here = ReadPngFile(folder / "rgb" / (name(i) + ".png"));
    const PngFile next = ReadPngFile(folder / "rgb" / (name(i + 1) + ".png"));
    const PngFile depth = ReadPngFile(folder / "depth" / (name(i) + ".png"));
    const PngFile next_depth = ReadPngFile(folder / "depth" / (name(i + 1) + ".png"));
    const FloFile flow = ReadFloFile(folder / "flow" / (name(i) + ".flo"));
    const Rigid3 next_from_here = truth.world_from_camera[i + 1].Inverse() * truth.world_from_camera[i];
    for (int y = 0; y < camera.height; ++y) {
      for (int x = 0; x < camera.width; ++x) {
        const size_t at = static_cast<size_t>(y) * camera.width + x;
        const Eigen::Vector2d shift(flow.values[2 * at], flow.values[2 * at + 1]);
        if (shift.norm() < 1e9) {
          const auto grey = GreyAt(next, Eigen::Vector2d(x, y) + shift);
          if (grey) through_flow.push_back(std::abs(*grey - Grey(here, x, y)));
          moved.push_back(shift.norm());
          unmoved.push_back(std::abs(Grey(next, x, y) - Grey(here, x, y)));
        }
        if (depth.values[at] == 0) continue;
        const double metres = depth.values[at] / camera.depth_units_per_metre;
        const Eigen::Vector3d there = next_from_here * (camera.Direction(x, y) * metres).eval();
        if (there.z() < 0.01) continue;
        const Eigen::Vector2d pixel = camera.Project(there);
        const auto grey = GreyAt(next, pixel);
        if (!grey) continue;
        // Hidden in the next frame by something nearer?
        const size_t nearest = static_cast<size_t>(std::lround(pixel.y())) * camera.width +
                               static_cast<size_t>(std::lround(pixel.x()));
        const double seen = next_depth.values[nearest] / camera.depth_units_per_metre;
        if (std::abs(seen - there.z()) > 0.03 * there.z()) continue;
        through_depth.push_back(std::abs(*grey - Grey(here, x, y)));
        if (shift.norm() < 1e9) differences.push_back((pixel - Eigen::Vector2d(x, y) - shift).norm());
      }
    }
  }
  return {Median(through_depth), Median(through_flow),         Median(differences),   Median(moved),
          Median(unmoved),       Quantile(through_depth, 0.9), Quantile(unmoved, 0.9)};
}

class SynthGeometryOf : public testing::TestWithParam<const char*> {};

TEST_P(SynthGeometryOf, FilesPredictTheNextFrame) {
  const TempFolder folder;
  const std::string kind = GetParam();
  const Outcome outcome = RunCalfvo(
      folder.path(),
      "synth " + kind +
          " -o clip --seed 6 --frames 4 --fps 8 --size 200x150 --samples 4 --depth --flow --no-video");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Medians medians = CompareFrames(folder.path() / "clip");
  EXPECT_LE(medians.through_depth, 2.0);
  EXPECT_LE(medians.through_flow, 2.0);
  EXPECT_LE(medians.flow_minus_depth, 0.02);
  std::printf(
      "%-14s depth %.2f, flow %.2f, unmoved %.2f grey levels; moved %.1f pixels; 90%%: %.1f of %.1f\n",
      kind.c_str(), medians.through_depth, medians.through_flow, medians.unmoved, medians.moved,
      medians.ninth_decile_through_depth, medians.ninth_decile_unmoved);
  // A camera that stands still would prove nothing.
  EXPECT_GT(medians.moved, 2.0);
  EXPECT_GT(medians.ninth_decile_unmoved, 2.0 * medians.ninth_decile_through_depth);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SynthGeometryOf,
                         testing::Values("room", "corridor", "warehouse", "hall", "street", "terrain",
                                         "aerial-city", "aerial-fields"),
                         [](const auto& kind) {
                           std::string name = kind.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(SynthGeometry, HoldsForDistortedAndSqueezedCameras) {
  const TempFolder folder;
  WriteFileAtomically(folder.path() / "bent.toml",
                      "[camera]\ndistortion_probability = 1.0\nmax_barrel = 0.3\nmax_pincushion = 0.0\n"
                      "max_center_offset = 0.1\ncrop_probability = 1.0\nsquare_pixels = false\n");
  const Outcome outcome =
      RunCalfvo(folder.path(),
                "synth room -o clip --preset bent.toml --seed 4 --frames 4 --size 200x150 "
                "--samples 4 --depth --flow --no-video");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_LT(FileCamera(folder.path() / "clip" / "camera.json").k1, -0.01);
  const Medians medians = CompareFrames(folder.path() / "clip");
  EXPECT_LE(medians.through_depth, 2.0);
  EXPECT_LE(medians.through_flow, 2.0);
  EXPECT_LE(medians.flow_minus_depth, 0.02);
}

}  // namespace
}  // namespace calfvo
