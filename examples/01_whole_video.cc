// SPDX-License-Identifier: Apache-2.0
// The simple way: a whole video at once.
//   01_whole_video holiday.mp4 trajectory.tum [MODEL]
#include <calfvo/odometry.h>
#include <calfvo/trajectory.h>

#include <cstdio>

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: 01_whole_video VIDEO TRAJECTORY [MODEL]\n");
    return 2;
  }
  const calfvo::Model model({.name = argc > 3 ? argv[3] : "calfvo-s"});
  const calfvo::Trajectory path = calfvo::EstimateTrajectory(model, argv[1]);
  calfvo::WriteTrajectory(path, argv[2], calfvo::TrajectoryFormat::kTum);
  const Eigen::Vector3d end = path.world_from_camera.back().translation;
  std::printf("%zu poses; the camera ends %.2f m from where it began\n", path.size(), end.norm());
  return 0;
} catch (const calfvo::Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
