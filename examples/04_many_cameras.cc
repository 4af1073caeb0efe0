// SPDX-License-Identifier: Apache-2.0
// Several cameras, one model: each camera has a thread and an Odometry of its own; the weights are in memory
// once. Prints the resident memory after each object is made.
//   04_many_cameras MODEL VIDEO VIDEO...
#include <calfvo/odometry.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

namespace {

double ResidentMegabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0.0;
}

// Runs in the camera's thread.
std::string Follow(calfvo::Odometry& odometry, const std::string& video) try {
  calfvo::FrameReader camera(video);
  calfvo::Frame frame;
  calfvo::PoseEstimate last;
  while (camera.Next(frame)) {
    for (const calfvo::PoseEstimate& pose : odometry.AddFrame(frame.view(), frame.timestamp_ns)) last = pose;
  }
  for (const calfvo::PoseEstimate& pose : odometry.Flush()) last = pose;
  const Eigen::Vector3d& p = last.world_from_camera.translation;
  char text[128];
  std::snprintf(text, sizeof text, "ends at %.6f %.6f %.6f m", p.x(), p.y(), p.z());
  return text;
} catch (const calfvo::Error& error) {
  return std::string("error: ") + error.what();
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: 04_many_cameras MODEL VIDEO...\n");
    return 2;
  }
  const calfvo::Model model({.name = argv[1]});
  std::printf("%s on %s: %.1f MB\n", model.name().c_str(), model.backend().c_str(), ResidentMegabytes());
  const std::vector<std::string> videos(argv + 2, argv + argc);
  std::vector<calfvo::Odometry> cameras;
  std::vector<std::string> results(videos.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < videos.size(); ++i) {
    cameras.emplace_back(model);
    std::printf("with %zu cameras: %.1f MB\n", i + 1, ResidentMegabytes());
  }
  for (size_t i = 0; i < videos.size(); ++i) {
    threads.emplace_back([&, i] { results[i] = Follow(cameras[i], videos[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  bool failed = false;
  for (size_t i = 0; i < videos.size(); ++i) {
    std::printf("%s %s\n", videos[i].c_str(), results[i].c_str());
    failed |= results[i].starts_with("error");
  }
  std::printf("at the end: %.1f MB\n", ResidentMegabytes());
  return failed ? 1 : 0;
} catch (const calfvo::Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
