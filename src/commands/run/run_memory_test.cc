// SPDX-License-Identifier: Apache-2.0
// Hours of video in constant memory: the peak after 200,000 frames against the peak after 2,000, each in a
// process of its own.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/run/run_outputs.h"
#include "core/base/testing.h"
#include "vo/pipeline.h"

namespace calfvo {
namespace {

class EndlessSource : public FrameSource {
 public:
  explicit EndlessSource(int64_t frames) : frames_(frames) {}
  bool Advance(Frame& frame) override {
    if (next_ == frames_) return false;
    frame.index = next_;
    frame.timestamp_ns = 33'000'000 * next_++;
    frame.width = 64;
    frame.height = 48;
    frame.rgb.assign(size_t{64} * 48 * 3, static_cast<uint8_t>(next_));
    frame.damage = next_ % 100 == 0 ? "every hundredth" : "";
    return true;
  }
  void Read(Frame&) override {}
  const SourceInfo& info() const override { return info_; }

 private:
  const int64_t frames_;
  int64_t next_ = 0;
  const SourceInfo info_;
};

// Walks ahead, and keeps nothing.
class WalkingEstimator : public WindowEstimator {
 public:
  int window() const override { return 8; }
  EdgeCorrelation step_correlation() const override { return {}; }
  bool has_confidence() const override { return true; }
  size_t input_size() const override { return 16; }
  void Start(int) override {}
  void SetImageAspect(double) override {}
  float* ImageMemory(size_t count) override {
    images_.resize(count * input_size());
    return images_.data();
  }
  void PrepareImage(const ImageView&, float*) override {}
  void AddFrames(std::span<const float* const>) override {}
  void RepeatFrame() override {}
  void RemoveRepeats(int) override {}
  void BeginEstimate(std::span<const int64_t> first_frames) override { first_ = first_frames[0]; }
  void FinishEstimate(std::span<PairEstimate> estimates) override {
    for (PairEstimate& estimate : estimates) {
      estimate = {{Quaternion::Identity(), {0.001 * static_cast<double>(first_ % 7), 0.0, 0.1}}, -5, -4};
    }
  }

 private:
  int64_t first_ = 0;
  std::vector<float> images_;
};

long PeakKilobytes(int64_t frames) {
  int channel[2];
  if (pipe(channel) != 0) throw Error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    const TempFolder folder;
    {
      RunOutputs outputs(folder.path(), {});
      EndlessSource source(frames);
      WalkingEstimator estimator;
      RunPipeline(source, estimator, {},
                  [&](const FrameRecord& frame, const TrackedPose& pose) { outputs.Add(frame, pose); });
      RunReport report;
      outputs.Finish("walk", report);
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    if (write(channel[1], &usage.ru_maxrss, sizeof(usage.ru_maxrss)) < 0) _exit(1);
    std::filesystem::remove_all(folder.path());
    _exit(0);
  }
  close(channel[1]);
  long peak = 0;
  const bool received = read(channel[0], &peak, sizeof(peak)) == static_cast<ssize_t>(sizeof(peak));
  close(channel[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return received && status == 0 ? peak : -1;
}

TEST(RunMemory, DoesNotGrowWithTheVideo) {
  const long shorter = PeakKilobytes(2'000);
  const long longer = PeakKilobytes(200'000);
  ASSERT_GT(shorter, 0);
  ASSERT_GT(longer, 0);
  EXPECT_LT(static_cast<double>(longer), 1.05 * static_cast<double>(shorter))
      << shorter << " kB, " << longer << " kB";
}

}  // namespace
}  // namespace calfvo
