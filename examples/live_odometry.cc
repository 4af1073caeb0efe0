// SPDX-License-Identifier: Apache-2.0
// The live way: pictures one by one, poses as they become final. The pictures are binary PPM (P6) files, to
// keep the example free of other libraries; a robot would take them from its camera.
//   live_odometry MODEL frame0.ppm frame1.ppm …
#include <calfvo/odometry.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct PpmFile {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgb;
};

PpmFile ReadPpm(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string magic;
  int maximum = 0;
  PpmFile file;
  stream >> magic >> file.width >> file.height >> maximum;
  stream.get();
  if (!stream || magic != "P6" || maximum != 255 || file.width < 1 || file.height < 1 || file.width > 16384 ||
      file.height > 16384) {
    throw calfvo::Error(path + ": no binary PPM file");
  }
  file.rgb.resize(size_t{3} * static_cast<size_t>(file.width) * static_cast<size_t>(file.height));
  if (!stream.read(reinterpret_cast<char*>(file.rgb.data()), static_cast<std::streamsize>(file.rgb.size()))) {
    throw calfvo::Error(path + ": ends too early");
  }
  return file;
}

void Print(const std::vector<calfvo::PoseEstimate>& poses) {
  for (const calfvo::PoseEstimate& pose : poses) {
    const Eigen::Vector3d& p = pose.world_from_camera.translation;
    std::printf("%.3f s: %.3f %.3f %.3f m, last step +- %.3f m\n",
                1e-9 * static_cast<double>(pose.timestamp_ns), p.x(), p.y(), p.z(), pose.sigma_translation_m);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: live_odometry MODEL FRAME.ppm...\n");
    return 2;
  }
  try {
    calfvo::Odometry odometry({.model = argv[1]});
    for (int i = 2; i < argc; ++i) {
      const PpmFile file = ReadPpm(argv[i]);
      Print(odometry.Push({file.rgb.data(), file.width, file.height}, int64_t{33'333'333} * (i - 2)));
    }
    Print(odometry.Flush());
  } catch (const calfvo::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
