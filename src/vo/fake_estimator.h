// SPDX-License-Identifier: Apache-2.0
// A WindowEstimator that knows the truth and spoils it. Included by tests only.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "calfvo/error.h"
#include "core/geometry/so3.h"
#include "vo/window_estimator.h"

namespace calfvo {

// The motion from frame `edge` to the next: slow, never the same twice.
inline Rigid3 TrueMotion(int64_t edge) {
  const double phase = 0.37 * static_cast<double>(edge);
  return {Quaternion(ExpSO3({0.02 * std::sin(phase), 0.03 * std::cos(2 * phase), 0.01})),
          {0.1 * std::cos(phase), 0.02, 0.3 + 0.1 * std::sin(phase)}};
}

// Estimates TrueMotion, changed by `spoil`, which gets the window's first frame and the edge. An image is one
// float, the number of its frame; a repeated frame, which has its predecessor's number, must not be moved.
class FakeEstimator : public WindowEstimator {
 public:
  using Spoil = std::function<void(int64_t window, int64_t edge, PairEstimate& estimate)>;
  explicit FakeEstimator(int window, Spoil spoil = nullptr) : window_(window), spoil_(std::move(spoil)) {}

  int window() const override { return window_; }
  bool has_confidence() const override { return true; }
  size_t input_size() const override { return 1; }
  EdgeCorrelation step_correlation() const override { return correlation; }
  void Start(int frames_kept) override {
    frames_kept_ = frames_kept;
    images_.clear();
    windows.clear();
    aspect = 0.0;
  }
  void SetImageAspect(double width_over_height) override { aspect = width_over_height; }
  float* ImageMemory(size_t count) override {
    memory_.resize(count);
    return memory_.data();
  }
  void PrepareImage(const ImageView& image, float* out) override {
    if (prepared_++ == fail_at_image) throw Error("the device is gone");
    *out = image.pixels[0];
  }
  void AddFrames(std::span<const float* const> images) override {
    for (const float* image : images) images_.push_back(*image);
  }
  void RepeatFrame() override { images_.push_back(images_.back()); }
  void RemoveRepeats(int count) override { images_.resize(images_.size() - static_cast<size_t>(count)); }
  void BeginEstimate(std::span<const int64_t> first_frames) override {
    if (windows.empty()) aspect_of_first_window = aspect;
    begun_.assign(first_frames.begin(), first_frames.end());
  }
  void FinishEstimate(std::span<PairEstimate> estimates) override {
    size_t next = 0;
    for (const int64_t first : begun_) {
      windows.push_back(first);
      if (first < std::ssize(images_) - frames_kept_ || first + window_ > std::ssize(images_))
        throw Error("a window outside of what is kept");
      for (int64_t edge = first; edge < first + window_ - 1; ++edge) {
        const auto i = static_cast<size_t>(edge);
        PairEstimate& estimate = estimates[next++];
        estimate = {};
        if (images_[i + 1] != images_[i]) estimate.first_from_second = TrueMotion(edge);
        if (spoil_) spoil_(first, edge, estimate);
      }
    }
  }

  std::vector<int64_t> windows;         // first frames, in the order of asking
  int64_t fail_at_image = -1;           // the image whose preparation fails
  EdgeCorrelation correlation;          // of its errors
  double aspect = 0.0;                  // of the video's images, as set; 0 if it was not
  double aspect_of_first_window = 0.0;  // what was set when the first window was begun

 private:
  const int window_;
  const Spoil spoil_;
  int frames_kept_ = 0;
  int64_t prepared_ = 0;
  std::vector<float> memory_;
  std::vector<float> images_;
  std::vector<int64_t> begun_;
};

// Normal noise per axis that depends on nothing but the window and the edge, with the u of its size.
inline FakeEstimator::Spoil NormalNoise(double sigma_rotation, double sigma_translation) {
  return [=](int64_t window, int64_t edge, PairEstimate& estimate) {
    std::mt19937_64 engine(static_cast<uint64_t>(window * 1000003 + edge));
    std::normal_distribution<double> normal;
    const auto vector = [&](double sigma) {
      const double x = normal(engine), y = normal(engine), z = normal(engine);
      return Eigen::Vector3d(sigma * x, sigma * y, sigma * z);
    };
    Rigid3& motion = estimate.first_from_second;
    motion.rotation = motion.rotation * Quaternion(ExpSO3(vector(sigma_rotation)));
    motion.translation += vector(sigma_translation);
    estimate.u_rotation = std::log(sigma_rotation * std::sqrt(8.0 / M_PI));
    estimate.u_translation = std::log(sigma_translation * 3.0 * std::sqrt(2.0 / M_PI));
  };
}

}  // namespace calfvo
