// SPDX-License-Identifier: Apache-2.0
// Uses every public header of an installed calfvo.
#include <calfvo/error.h>
#include <calfvo/evaluation.h>
#include <calfvo/geometry.h>
#include <calfvo/odometry.h>
#include <calfvo/trajectory.h>
#include <calfvo/version.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string headers = std::to_string(CALFVO_VERSION_MAJOR) + '.' +
                              std::to_string(CALFVO_VERSION_MINOR) + '.' +
                              std::to_string(CALFVO_VERSION_PATCH);
  if (headers != CALFVO_VERSION || headers != calfvo::Version()) return 1;
  calfvo::Trajectory written;
  for (int i = 0; i < 5; ++i) {
    written.timestamps_ns.push_back(int64_t{1'000'000'000} * i);
    written.world_from_camera.push_back({calfvo::Quaternion::Identity(), {0.1 * i, 0.0, 1.0 * i}});
  }
  const std::filesystem::path path = argv[1];
  calfvo::WriteTrajectory(written, path, calfvo::TrajectoryFormat::kTum);
  const calfvo::Evaluation evaluation = calfvo::Evaluate(written, calfvo::ReadTrajectory(path));
  // With the model that was installed beside the library.
  calfvo::Odometry odometry;
  const std::vector<uint8_t> grey(3 * 64 * 48, 128);
  size_t poses = 0;
  for (int i = 0; i < 3; ++i) poses += odometry.Push({grey.data(), 64, 48}, 1000 * i).size();
  poses += odometry.Flush().size();
  if (poses != 3 || !odometry.has_confidence() || odometry.latency_frames() < 1) return 1;
  // Options by name leave the rest at its defaults, without a warning.
  const calfvo::Picture picture{.rgb = grey.data(), .width = 64, .height = 48};
  if (calfvo::Odometry({.overlap = 7}).Push(picture, 0).size() != 1) return 1;
  calfvo::WriteColmap({.timestamps_ns = {0}, .world_from_camera = {{}}}, path.string() + "-colmap",
                      {.width = 64, .height = 48});
  try {
    calfvo::EstimateTrajectory("no-such-file", {.odometry = {.threads = 1}});
    return 1;
  } catch (const calfvo::Error&) {
  }
  try {
    calfvo::ReadTrajectory("no-such-file");
    return 1;
  } catch (const calfvo::Error& error) {
    std::printf("%zu pairs, t_rel %g; %s\n", evaluation.pairs.size(), evaluation.t_rel_m, error.what());
  }
  return evaluation.pairs.size() == 5 && evaluation.t_rel_m == 0.0 ? 0 : 1;
}
