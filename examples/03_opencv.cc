// SPDX-License-Identifier: Apache-2.0
// Images of OpenCV, without a conversion: a cv::Mat lends its pixels, and poses become cv::Affine3d.
//   03_opencv IMAGE_PATTERN [MODEL]
// IMAGE_PATTERN as cv::glob takes it: 'frames/*.png'.
#include <calfvo/odometry.h>

#include <cstdio>
#include <opencv2/core.hpp>
#include <opencv2/core/affine.hpp>
#include <opencv2/imgcodecs.hpp>

namespace {

calfvo::ImageView ViewOf(const cv::Mat& mat) {
  calfvo::PixelFormat format{};
  switch (mat.type()) {
    case CV_8UC3:
      format = calfvo::PixelFormat::kBgr8;
      break;
    case CV_8UC4:
      format = calfvo::PixelFormat::kBgra8;
      break;
    case CV_8UC1:
      format = calfvo::PixelFormat::kGray8;
      break;
    case CV_16UC1:
      format = calfvo::PixelFormat::kGray16;
      break;
    default:
      throw calfvo::Error("a cv::Mat of type " + cv::typeToString(mat.type()) + " is not an image");
  }
  return {mat.cols, mat.rows, format, mat.data, static_cast<ptrdiff_t>(mat.step)};
}

cv::Affine3d ToOpenCv(const calfvo::Rigid3& pose) {
  const Eigen::Matrix3d rotation = pose.rotation.toRotationMatrix();
  cv::Matx33d r;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) r(row, column) = rotation(row, column);
  }
  return {r, cv::Vec3d(pose.translation.x(), pose.translation.y(), pose.translation.z())};
}

void Print(const std::vector<calfvo::PoseEstimate>& poses) {
  for (const calfvo::PoseEstimate& pose : poses) {
    const cv::Affine3d world_from_camera = ToOpenCv(pose.world_from_camera);
    const cv::Vec3d p = world_from_camera.translation();
    const cv::Vec3d r = world_from_camera.rvec();
    std::printf("%.3f s: t = (%.3f, %.3f, %.3f) m, rvec = (%.3f, %.3f, %.3f)\n",
                1e-9 * static_cast<double>(pose.timestamp_ns), p[0], p[1], p[2], r[0], r[1], r[2]);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: 03_opencv IMAGE_PATTERN [MODEL]\n");
    return 2;
  }
  calfvo::Odometry odometry{calfvo::Model({.name = argc > 2 ? argv[2] : "calfvo-s"})};
  std::vector<cv::String> names;
  cv::glob(argv[1], names);
  int64_t time_ns = 0;
  for (const cv::String& name : names) {
    const cv::Mat image = cv::imread(name, cv::IMREAD_UNCHANGED);
    Print(odometry.AddFrame(ViewOf(image), time_ns += 33'333'333));
  }
  Print(odometry.Flush());
  return 0;
} catch (const std::exception& error) {  // calfvo::Error or cv::Exception
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
