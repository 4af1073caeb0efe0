// SPDX-License-Identifier: Apache-2.0
// The simple way: a whole video at once.
//   estimate_trajectory holiday.mp4 trajectory.tum [model]
#include <calfvo/odometry.h>
#include <calfvo/trajectory.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: estimate_trajectory VIDEO TRAJECTORY [MODEL]\n");
    return 2;
  }
  calfvo::EstimateOptions options;
  if (argc > 3) options.odometry.model = argv[3];
  try {
    const calfvo::Trajectory path = calfvo::EstimateTrajectory(argv[1], options);
    calfvo::WriteTrajectory(path, argv[2], calfvo::TrajectoryFormat::kTum);
    const Eigen::Vector3d end = path.world_from_camera.back().translation;
    std::printf("%zu poses; the camera ends %.2f m from where it began\n", path.size(), end.norm());
  } catch (const calfvo::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
