// SPDX-License-Identifier: Apache-2.0
// Live use through the public API.
//   bench_live latency [SECONDS]        a camera thread at 30 Hz, 640x480 BGR: how long
//   AsyncOdometry::AddFrame takes bench_live provisional FOLDER...    sequences in TUM layout: errors and
//   cost of provisional poses bench_live formats                  time to resize 640x480 images of each pixel
//   format, in Odometry's terms
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "calfvo/async_odometry.h"
#include "calfvo/evaluation.h"
#include "calfvo/frames.h"
#include "core/image/image_view.h"
#include "nn/architecture/preprocessor.h"

namespace calfvo {
namespace {

using Clock = std::chrono::steady_clock;

double Milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

double Quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<size_t>(part * static_cast<double>(values.size())))];
}

std::vector<uint8_t> Noise(size_t bytes) {
  std::vector<uint8_t> noise(bytes);
  uint32_t state = 1;
  for (uint8_t& value : noise) value = static_cast<uint8_t>((state = state * 1664525U + 1013904223U) >> 24U);
  return noise;
}

void MeasureLatency(int seconds) {
  AsyncOdometry odometry{Model({.threads = 1})};
  const std::vector<uint8_t> pixels = Noise(size_t{640} * 480 * 3);
  const ImageView image{640, 480, PixelFormat::kBgr8, pixels.data()};
  std::vector<double> calls, copies;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < 30 * seconds; ++i) {
    std::this_thread::sleep_until(start + std::chrono::nanoseconds(33'333'333LL * i));
    const Clock::time_point before = Clock::now();
    const bool accepted = odometry.AddFrame(image, i);
    calls.push_back(Milliseconds(Clock::now() - before));
    if (accepted) copies.push_back(calls.back());
    odometry.Poll();
  }
  const AsyncStatistics statistics = odometry.statistics();
  std::printf(
      "AddFrame, ms: median of accepted calls %.3f; of all calls 99 %% %.3f, most %.3f; %zu frames, %lld "
      "dropped\n",
      Quantile(copies, 0.5), Quantile(calls, 0.99), Quantile(calls, 1.0), calls.size(),
      static_cast<long long>(statistics.dropped));
}

// rgb.txt: time and file of each image.
std::vector<std::pair<int64_t, std::string>> ListImages(const std::string& folder) {
  std::ifstream list(folder + "/rgb.txt");
  std::vector<std::pair<int64_t, std::string>> images;
  for (std::string line; std::getline(list, line);) {
    std::istringstream fields(line);
    double time_s = 0.0;
    std::string name;
    if (line.starts_with("#") || !(fields >> time_s >> name)) continue;
    images.emplace_back(std::llround(time_s * 1e9), folder + "/" + name);
  }
  if (images.empty()) throw Error(folder + "/rgb.txt: no images");
  return images;
}

void MeasureProvisional(const Model& model, const std::string& folder) {
  Odometry odometry(model);
  Trajectory final_poses, provisional;
  double distance_m = 0.0, add_s = 0.0, newest_s = 0.0;
  std::vector<PoseEstimate> newest;
  const auto keep = [&](const std::vector<PoseEstimate>& poses) {
    for (const PoseEstimate& pose : poses) {
      const PoseEstimate& guess = newest[final_poses.size()];
      distance_m += (guess.world_from_camera.translation - pose.world_from_camera.translation).norm();
      final_poses.timestamps_ns.push_back(pose.timestamp_ns);
      final_poses.world_from_camera.push_back(pose.world_from_camera);
      // Relative poses alone: errors per frame do not depend on what they are chained to.
      const Rigid3 last =
          provisional.empty() ? Rigid3{} : provisional.world_from_camera.back() * guess.previous_from_current;
      provisional.timestamps_ns.push_back(pose.timestamp_ns);
      provisional.world_from_camera.push_back(last);
    }
  };
  Frame frame;
  for (const auto& [time_ns, name] : ListImages(folder)) {
    FrameReader(name).Next(frame);
    const Clock::time_point start = Clock::now();
    const std::vector<PoseEstimate> poses = odometry.AddFrame(frame.view(), time_ns);
    const Clock::time_point added = Clock::now();
    newest.push_back(odometry.EstimateNewest().value());
    newest_s += std::chrono::duration<double>(Clock::now() - added).count();
    add_s += std::chrono::duration<double>(added - start).count();
    keep(poses);
  }
  keep(odometry.Flush());
  const Trajectory truth = ReadTrajectory(folder + "/groundtruth.txt");
  const EvaluationOptions options{.max_time_difference_s = 0.02};
  const Evaluation a = Evaluate(truth, final_poses, options);
  const Evaluation b = Evaluate(truth, provisional, options);
  const auto frames = static_cast<double>(final_poses.size());
  std::printf("| %s | %zu | %.5f / %.4f | %.5f / %.4f | %.2f / %.2f | %.4f | %.1f | %.1f |\n",
              folder.substr(folder.rfind('/') + 1).c_str(), final_poses.size(), a.t_rel_m, a.r_rel_deg,
              b.t_rel_m, b.r_rel_deg, b.t_rel_m / a.t_rel_m, b.r_rel_deg / a.r_rel_deg, distance_m / frames,
              1e3 * add_s / frames, 1e3 * newest_s / frames);
}

void MeasureFormats() {
  const std::vector<uint8_t> pixels = Noise(size_t{640} * 480 * 4);
  InputConfig config;
  Preprocessor preprocessor(config);
  std::vector<float> out(static_cast<size_t>(3 * config.size * config.size));
  for (const char* name : {"rgb8", "bgr8", "rgba8", "bgra8", "gray8", "gray16", "yuyv", "nv12"}) {
    const ImageView view = CheckedImage({640, 480, PixelFormatFromName(name), pixels.data()});
    std::vector<double> times;
    for (int i = 0; i < 50; ++i) {
      const Clock::time_point start = Clock::now();
      preprocessor.Run(view, out);
      times.push_back(Milliseconds(Clock::now() - start));
    }
    std::printf("| %s | %.2f |\n", name, Quantile(times, 0.5));
  }
}

int Main(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "latency") {
    MeasureLatency(arguments.size() > 1 ? std::max(1, std::atoi(arguments[1].c_str())) : 20);
  } else if (arguments.size() > 1 && arguments[0] == "provisional") {
    const Model model;
    std::printf("%s on %s\n", model.name().c_str(), model.backend().c_str());
    std::printf(
        "| sequence | frames | final t_rel / r_rel | provisional t_rel / r_rel | ratio | "
        "provisional to final position, m | AddFrame, ms | EstimateNewest, ms |\n");
    for (size_t i = 1; i < arguments.size(); ++i) MeasureProvisional(model, arguments[i]);
  } else if (!arguments.empty() && arguments[0] == "formats") {
    MeasureFormats();
  } else {
    std::fprintf(stderr, "usage: bench_live latency [SECONDS] | provisional FOLDER... | formats\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace calfvo

int main(int argc, char** argv) {
  try {
    return calfvo::Main({argv + 1, argv + argc});
  } catch (const calfvo::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
