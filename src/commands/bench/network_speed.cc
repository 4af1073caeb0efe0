// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/network_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "calfvo/error.h"
#include "commands/bench/noise_images.h"
#include "core/base/progress.h"
#include "nn/backend/backends.h"
#include "vo/tracker.h"

namespace calfvo {
namespace {

// Images come round again after these, which no cache of a processor holds.
constexpr size_t kImages = 32;

// Steps to warm up, or fewer if they take a second: on a device the first chooses algorithms, the second is
// recorded, and a deferred one ends in the next.
constexpr int kWarmUp = 4;

// A video without end and the windows on it.
class EndlessVideo {
 public:
  EndlessVideo(NetworkEstimator& estimator, int advance, int windows, bool defer)
      : estimator_(estimator),
        window_(estimator.window()),
        advance_(advance),
        defer_(defer),
        images_(estimator.AllocateHostImages(kImages)),
        first_frames_(static_cast<size_t>(windows)),
        estimates_(static_cast<size_t>(windows) * static_cast<size_t>(window_ - 1)) {
    const std::vector<float> noise = NoiseImages(kImages, estimator.input_size(), 1);
    std::copy(noise.begin(), noise.end(), ImageAt(0));
    estimator_.Start(window_ + (defer ? 2 : 1) * advance_ * windows);
    AddFrames(window_ - advance_);  // the next windows need no more than what a step adds
  }

  int frames_per_step() const { return advance_ * static_cast<int>(first_frames_.size()); }

  void Step() {
    const int64_t first = frames_ + advance_ - window_;
    for (size_t w = 0; w < first_frames_.size(); ++w) {
      first_frames_[w] = first + static_cast<int64_t>(w) * advance_;
    }
    AddFrames(frames_per_step());
    Finish();
    estimator_.BeginEstimate(first_frames_);
    begun_ = true;
    if (!defer_) Finish();
  }

  // Waits for what the last step has begun.
  void Finish() {
    if (begun_) estimator_.FinishEstimate(estimates_);
    begun_ = false;
  }

 private:
  float* ImageAt(size_t i) { return reinterpret_cast<float*>(images_->data()) + i * estimator_.input_size(); }
  void AddFrames(int count) {
    views_.clear();
    for (int i = 0; i < count; ++i, ++frames_) {
      views_.push_back(ImageAt(static_cast<size_t>(frames_) % kImages));
    }
    estimator_.AddFrames(views_);
  }

  NetworkEstimator& estimator_;
  const int window_;
  const int advance_;
  const bool defer_;
  bool begun_ = false;
  const std::unique_ptr<Buffer> images_;
  int64_t frames_ = 0;
  std::vector<const float*> views_;
  std::vector<int64_t> first_frames_;
  std::vector<PairEstimate> estimates_;
};

ScheduleSpeed MeasureSchedule(const std::string& name, NetworkEstimator& estimator, int windows, bool defer,
                              const SpeedOptions& options) {
  using Clock = std::chrono::steady_clock;
  EndlessVideo video(estimator, estimator.window() - options.overlap, windows, defer);
  Progress progress(name, "frames", std::nullopt, options.quiet);
  const auto begin = Clock::now();
  for (int i = 0; i < kWarmUp && Clock::now() - begin < std::chrono::seconds(1); ++i) video.Step();
  std::vector<double> seconds;
  double total_s = 0.0;
  do {
    const auto start = Clock::now();
    video.Step();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    total_s += seconds.back();
    progress.Advance(video.frames_per_step());
  } while (total_s < options.seconds);
  video.Finish();
  return {name,
          windows,
          video.frames_per_step(),
          static_cast<int>(seconds.size()),
          Quantile(seconds, 0.5),
          Quantile(seconds, 0.95)};
}

}  // namespace

void SpeedOptions::Validate(int window) const {
  TrackerOptions{.overlap = overlap}.Validate(window);
  if (windows < 1 || windows > 1024) {
    throw Error(fmt::format("windows is {}; expected 1 to 1024", windows));
  }
  if (!(seconds >= 0.0 && seconds <= 3600.0)) {
    throw Error(fmt::format("seconds is {}; expected 0 to 3600", seconds));
  }
}

std::vector<ScheduleSpeed> MeasureSpeed(NetworkEstimator& estimator, const SpeedOptions& options) {
  options.Validate(estimator.window());
  return {MeasureSchedule("live", estimator, 1, /*defer=*/false, options),
          MeasureSchedule("stream", estimator, 1, /*defer=*/true, options),
          MeasureSchedule("offline", estimator, options.windows, /*defer=*/true, options)};
}

std::vector<PrecisionSpeed> MeasurePrecisions(const ModelFile& model, int threads,
                                              const SpeedOptions& options) {
  constexpr double kPeakSeconds = 0.2;
  std::vector<PrecisionSpeed> speeds;
  for (const BackendKind& kind : AvailableBackends()) {
    if (kind.name != "cpu") continue;
    NetworkEstimator estimator(model, kind, threads);
    options.Validate(estimator.window());
    const std::string precision(PrecisionName(kind.precision));
    // The peak before and after, so that other load on the machine slows down both alike.
    const double before = MeasurePeak(kind, threads, kPeakSeconds);
    ScheduleSpeed live = MeasureSchedule("live, " + precision, estimator, 1, /*defer=*/false, options);
    const double after = MeasurePeak(kind, threads, kPeakSeconds);
    speeds.push_back({precision, estimator.backend().Description(), std::move(live), 0.5 * (before + after)});
  }
  return speeds;
}

double Quantile(std::vector<double> values, double share) {
  const auto count = static_cast<double>(values.size());
  const auto rank = static_cast<std::ptrdiff_t>(std::clamp(std::ceil(share * count), 1.0, count)) - 1;
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<size_t>(rank)];
}

}  // namespace calfvo
