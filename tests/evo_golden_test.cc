// SPDX-License-Identifier: Apache-2.0
// Metrics equal evo's to 1e-6 relative: on the synthetic pairs in tests/golden/evo, and on real pairs where
// CALFVO_TEST_DATA has them.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "calfvo/evaluation.h"

namespace calfvo {
namespace {

using nlohmann::json;

struct Pair {
  const char* key;
  const char* folder;
  const char* reference;
  const char* estimate;
  bool shipped = false;
};

constexpr std::array kPairs = {
    Pair{"handheld", CALFVO_EVO_GOLDEN, "handheld_reference.tum", "handheld_estimate.tum", true},
    Pair{"drive", CALFVO_EVO_GOLDEN, "drive_reference.kitti", "drive_estimate.kitti", true},
    Pair{"kitti00_orb", CALFVO_EVO_REAL, "KITTI_00_gt.txt", "KITTI_00_ORB.txt"},
    Pair{"fr1xyz_rgbdslam_drift", CALFVO_EVO_REAL, "freiburg1_xyz-groundtruth.txt",
         "freiburg1_xyz-rgbdslam_drift.txt"},
};

class EvoGolden : public testing::TestWithParam<Pair> {};

void ExpectClose(double ours, double evo, const std::string& what) {
  EXPECT_LE(std::abs(ours - evo), 1e-6 * std::abs(evo)) << what << ": ours " << ours << ", evo " << evo;
}

void ExpectStatistics(const Statistics& ours, const json& evo, const std::string& what) {
  ExpectClose(ours.rmse, evo.at("rmse"), what + " rmse");
  ExpectClose(ours.mean, evo.at("mean"), what + " mean");
  ExpectClose(ours.median, evo.at("median"), what + " median");
  ExpectClose(ours.max, evo.at("max"), what + " max");
}

TEST_P(EvoGolden, Reproduced) {
  const std::filesystem::path folder = GetParam().folder;
  if (!GetParam().shipped && !std::filesystem::exists(folder / "evo_golden.json"))
    GTEST_SKIP() << "no evo_golden.json in " << folder;
  const json golden = json::parse(std::ifstream(folder / "evo_golden.json")).at(GetParam().key);
  const Trajectory reference = ReadTrajectory(folder / GetParam().reference);
  const Trajectory estimate = ReadTrajectory(folder / GetParam().estimate);
  for (const char* align : {"none", "se3", "sim3"}) {
    const Evaluation ours = Evaluate(reference, estimate, {.alignment = AlignmentFromName(align)});
    const json& evo = golden.at(align);
    EXPECT_EQ(ours.pairs.size(), golden.at("pairs").get<size_t>());
    ExpectClose(ours.reference_from_estimate.scale, evo.at("scale"), "scale");
    ExpectStatistics(ours.ape_trans, evo.at("ape_trans"), std::string(align) + " ape_trans");
    ExpectStatistics(ours.ape_rot, evo.at("ape_rot_deg"), std::string(align) + " ape_rot_deg");
    ExpectStatistics(ours.rpe_trans, evo.at("rpe_trans_1f"), std::string(align) + " rpe_trans_1f");
    ExpectStatistics(ours.rpe_rot, evo.at("rpe_rot_deg_1f"), std::string(align) + " rpe_rot_deg_1f");
    ExpectClose(ours.t_rel_m, evo.at("rpe_trans_1f").at("mean"), std::string(align) + " t_rel");
    ExpectClose(ours.r_rel_deg, evo.at("rpe_rot_deg_1f").at("mean"), std::string(align) + " r_rel");
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, EvoGolden, testing::ValuesIn(kPairs),
                         [](const auto& instance) { return std::string(instance.param.key); });

}  // namespace
}  // namespace calfvo
