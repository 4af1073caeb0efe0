// SPDX-License-Identifier: Apache-2.0
// Estimates a video and compares it with a reference trajectory in any format that calfvo reads.
//   06_evaluation VIDEO REFERENCE [MODEL]
#include <calfvo/evaluation.h>
#include <calfvo/odometry.h>

#include <cstdio>

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: 06_evaluation VIDEO REFERENCE [MODEL]\n");
    return 2;
  }
  const calfvo::Trajectory reference = calfvo::ReadTrajectory(argv[2]);
  const calfvo::Model model({.name = argc > 3 ? argv[3] : "calfvo-s"});
  const calfvo::Trajectory estimate = calfvo::EstimateTrajectory(model, argv[1]);
  for (const calfvo::Alignment alignment :
       {calfvo::Alignment::kOrigin, calfvo::Alignment::kSe3, calfvo::Alignment::kSim3}) {
    const calfvo::Evaluation result =
        calfvo::Evaluate(reference, estimate, {.alignment = alignment, .max_time_difference_s = 0.02});
    std::printf("%s: %zu pairs, t_rel %.5f m, r_rel %.4f deg, APE %.4f m rmse, fitted scale %.3f\n",
                calfvo::AlignmentName(alignment).data(), result.pairs.size(), result.t_rel_m,
                result.r_rel_deg, result.ape_trans.rmse, result.fitted_scale);
  }
  return 0;
} catch (const calfvo::Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
