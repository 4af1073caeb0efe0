// SPDX-License-Identifier: Apache-2.0
// The accuracy of the shipped model: bounds a few percent above what it has. The synthetic clips were not
// used for training; the real sequences are measured where they are available.
#include <gtest/gtest.h>

#include "calfvo/evaluation.h"
#include "calfvo/trajectory.h"
#include "run_program.h"

namespace calfvo {
namespace {

struct Case {
  const char* name;
  const char* synth;  // arguments of `calfvo synth`; null for a real sequence
  double t_rel_m;
  double r_rel_deg;
};

std::string CaseName(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

class AccuracyGate : public testing::TestWithParam<Case> {
 protected:
  void ExpectWithinBounds(const std::string& sequence) const {
    const Outcome run = RunCalfvo(folder_.path(), "run " + sequence + " -o out --quiet");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Evaluation evaluation = Evaluate(ReadTrajectory(sequence + "/groundtruth.txt"),
                                           ReadTrajectory(folder_.path() / "out/trajectory.tum"));
    constexpr double kMargin = 1.04;
    EXPECT_LT(evaluation.t_rel_m, kMargin * GetParam().t_rel_m);
    EXPECT_LT(evaluation.r_rel_deg, kMargin * GetParam().r_rel_deg);
  }

  const TempFolder folder_;
};

TEST_P(AccuracyGate, StaysWhereItIs) {
  if (GetParam().synth == nullptr) {
    const std::string sequence = std::string(CALFVO_REAL_SEQUENCES) + "/" + GetParam().name;
    if (!std::filesystem::exists(sequence)) GTEST_SKIP() << sequence << " is not available";
    ExpectWithinBounds(sequence);
  } else {
    const std::string clip = folder_.path() / "clip";
    const Outcome synth =
        RunCalfvo(folder_.path(), std::string("synth ") + GetParam().synth +
                                      " --frames 100 --seed 951 --no-video --quiet -o " + clip);
    ASSERT_EQ(synth.exit_code, 0) << synth.err;
    ExpectWithinBounds(clip);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Synthetic, AccuracyGate,
    testing::Values(Case{"room", "room --preset phone --size 320x240", 0.001958, 0.09076},
                    Case{"corridor", "corridor --preset phone --size 320x240", 0.01128, 0.15863},
                    Case{"street", "street --preset driving --size 496x152", 0.09749, 0.02232}),
    CaseName);
INSTANTIATE_TEST_SUITE_P(Real, AccuracyGate,
                         testing::Values(Case{"kitti06", nullptr, 0.03814, 0.04292},
                                         Case{"redkitchen01", nullptr, 0.003454, 0.14715},
                                         Case{"hololens000", nullptr, 0.02384, 0.45710},
                                         Case{"apc_shelf", nullptr, 0.005163, 0.32606},
                                         Case{"fr1_desk", nullptr, 0.004753, 0.25307}),
                         CaseName);

}  // namespace
}  // namespace calfvo
