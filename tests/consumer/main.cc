// SPDX-License-Identifier: Apache-2.0
// Calls every function of every public header of an installed calfvo.
#include <calfvo/async_odometry.h>
#include <calfvo/camera.h>
#include <calfvo/error.h>
#include <calfvo/evaluation.h>
#include <calfvo/frames.h>
#include <calfvo/geometry.h>
#include <calfvo/image.h>
#include <calfvo/log.h>
#include <calfvo/model.h>
#include <calfvo/odometry.h>
#include <calfvo/refine.h>
#include <calfvo/trajectory.h>
#include <calfvo/version.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

void Check(bool holds, const char* what) {
  if (!holds) throw calfvo::Error(std::string("does not hold: ") + what);
}
#define CHECK(condition) Check(condition, #condition)

template <typename Call>
std::string ErrorOf(const Call& call) {
  try {
    call();
  } catch (const calfvo::Error& error) {
    return error.what();
  }
  return "";
}

void UseVersion() {
  const std::string headers = std::to_string(CALFVO_VERSION_MAJOR) + '.' +
                              std::to_string(CALFVO_VERSION_MINOR) + '.' +
                              std::to_string(CALFVO_VERSION_PATCH);
  CHECK(headers == CALFVO_VERSION);
  CHECK(headers == calfvo::Version());
}

void UseNames() {
  CHECK(calfvo::AlignmentName(calfvo::AlignmentFromName("sim3")) == "sim3");
  CHECK(calfvo::TrajectoryFormatName(calfvo::TrajectoryFormatFromName("tum")) == "tum");
  CHECK(calfvo::PixelFormatName(calfvo::PixelFormatFromName("nv12")) == "nv12");
  CHECK(calfvo::BackendTypeName(calfvo::BackendTypeFromName("cpu")) == "cpu");
  CHECK(calfvo::PrecisionTypeName(calfvo::PrecisionTypeFromName("f32")) == "f32");
}

void UseTrajectories(const std::filesystem::path& path) {
  calfvo::Trajectory written;
  for (int i = 0; i < 5; ++i) {
    written.timestamps_ns.push_back(int64_t{1'000'000'000} * i);
    written.world_from_camera.push_back({calfvo::Quaternion::Identity(), {0.1 * i, 0.0, 1.0 * i}});
  }
  calfvo::WriteTrajectory(written, path, calfvo::TrajectoryFormat::kTum);
  std::ifstream stream(path);
  CHECK(calfvo::ReadTrajectory(stream, "stream").size() == 5);
  calfvo::EvaluationOptions{}.Validate();
  const calfvo::Evaluation evaluation = calfvo::Evaluate(written, calfvo::ReadTrajectory(path));
  CHECK(evaluation.pairs.size() == 5 && evaluation.t_rel_m == 0.0);
  calfvo::WriteColmap({.timestamps_ns = {0}, .world_from_camera = {{}}}, path.string() + "-colmap",
                      {.camera = {.width = 64, .height = 48}});
  CHECK(!ErrorOf([] { calfvo::ReadTrajectory("no-such-file"); }).empty());
}

void UseFrames(const std::filesystem::path& path) {
  std::ofstream(path, std::ios::binary) << "YUV4MPEG2 W2 H1 F10:1 Cmono\nFRAME\nabFRAME\ncd";
  calfvo::FrameOptions{.stride = 2}.Validate();
  calfvo::FrameReader opened(path.string());
  calfvo::FrameReader reader = std::move(opened);
  opened = std::move(reader);
  CHECK(!opened.description().empty());
  opened.frame_count();
  calfvo::Frame frame;
  CHECK(opened.Next(frame));
  CHECK(frame.view().width == 2 && frame.WidthOverHeight() == 2.0);
}

void UseLog() {
  std::string received;
  calfvo::SetLogLevel(calfvo::LogLevel::kInfo);
  calfvo::SetLogSink([&](calfvo::LogLevel, std::string_view message) { received = message; });
  calfvo::SetLogSink(nullptr);
}

// With the model that was installed beside the library.
void UseOdometry(const std::string& video) {
  calfvo::ModelOptions{}.Validate();
  const calfvo::Model model({.threads = 1});
  CHECK(model.name() == "calfvo-s" && !model.backend().empty());
  calfvo::OdometryOptions{.overlap = 7}.Validate(model.window_frames());
  const std::vector<uint8_t> grey(3 * 64 * 48, 128);
  // Options by name leave the rest at its defaults, without a warning.
  const calfvo::ImageView image{
      .width = 64, .height = 48, .format = calfvo::PixelFormat::kBgr8, .pixels = grey.data()};
  calfvo::Odometry made(model, {.overlap = 7});
  calfvo::Odometry odometry = std::move(made);
  made = std::move(odometry);
  size_t poses = 0;
  for (int i = 0; i < 3; ++i) poses += made.AddFrame(image, 1000 * i).size();
  CHECK(made.EstimateNewest()->is_provisional);
  poses += made.Flush().size();
  made.Reset();
  CHECK(poses == 3 && made.model().has_confidence() && made.latency_frames() == 6);
  CHECK(calfvo::Odometry().AddFrame(image, 0).size() == 1);

  calfvo::AsyncOptions{}.Validate();
  calfvo::AsyncOdometry async(model);
  calfvo::AsyncOdometry moved = std::move(async);
  async = std::move(moved);
  CHECK(async.AddFrame(image, 0));
  async.Reset();
  CHECK(async.AddFrame(image, 0));
  CHECK(async.Poll().size() + async.Flush().size() == 1);
  CHECK(async.statistics().accepted == 2);

  CHECK(calfvo::EstimateTrajectory(model, video).size() == 2);
  calfvo::RefineOptions{.fov_deg = 70.0}.Validate();
  if (calfvo::CanRefine()) {
    const calfvo::RefinedTrajectory refined = calfvo::EstimateRefinedTrajectory(model, video);
    CHECK(refined.trajectory.size() == 2 && refined.weights.size() == 2 && refined.camera.width == 2);
  }
  CHECK(!ErrorOf([] { calfvo::EstimateTrajectory("no-such-file", {.frames = {.stride = 2}}); }).empty());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const std::filesystem::path path = argv[1];
  UseVersion();
  UseNames();
  UseLog();
  UseTrajectories(path);
  UseFrames(path.string() + ".y4m");
  UseOdometry(path.string() + ".y4m");
  std::printf("every public function was called\n");
  return 0;
} catch (const calfvo::Error& error) {
  std::printf("%s\n", error.what());
  return 1;
}
