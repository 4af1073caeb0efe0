// SPDX-License-Identifier: Apache-2.0
// A live loop: the capture thread hands images to AsyncOdometry and never waits for the network. Final poses
// arrive a few frames late and in order; the provisional pose of the newest image arrives at once.
//   02_live_camera /dev/video0 [MODEL]
// A video file works as well: its frames are then read as fast as they are estimated.
#include <calfvo/async_odometry.h>
#include <calfvo/frames.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace {

void Print(const char* kind, const calfvo::PoseEstimate& pose) {
  const Eigen::Vector3d& p = pose.world_from_camera.translation;
  std::printf("%s %.3f s: %.3f %.3f %.3f m, %d dropped before%s\n", kind,
              1e-9 * static_cast<double>(pose.timestamp_ns), p.x(), p.y(), p.z(), pose.frames_dropped_before,
              pose.is_static ? ", static" : "");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: 02_live_camera INPUT [MODEL]\n");
    return 2;
  }
  const calfvo::Model model({.name = argc > 2 ? argv[2] : "calfvo-s"});
  calfvo::AsyncOptions options;
  options.on_pose = [](const calfvo::PoseEstimate& pose) { Print("final", pose); };
  options.on_newest = [](const calfvo::PoseEstimate& pose) { Print("newest", pose); };
  calfvo::AsyncOdometry odometry(model, {}, options);

  // A robot would take images from its camera's driver here.
  calfvo::FrameReader camera(argv[1]);
  const bool is_file = camera.frame_count().has_value();
  calfvo::Frame frame;
  while (camera.Next(frame)) {
    while (is_file && odometry.statistics().accepted > odometry.statistics().estimated) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    odometry.AddFrame(frame.view(), frame.timestamp_ns);
    odometry.Poll();  // throws what went wrong in the odometry's thread
  }
  odometry.Flush();
  return 0;
} catch (const calfvo::Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
