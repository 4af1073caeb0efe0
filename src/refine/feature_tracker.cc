// SPDX-License-Identifier: Apache-2.0
#include "refine/feature_tracker.h"

#include <algorithm>
#include <cmath>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>
#include <utility>

namespace calfvo {
namespace {

constexpr int kLevels = 3;
const cv::Size kWindow(15, 15);
constexpr float kPixelCenter = 0.5F;  // OpenCV counts from pixel centres, calfvo from the corner

struct Corner {
  int64_t track = 0;
  int frames = 1;
  cv::Point2f point;
};

// Borrows the pixels.
cv::Mat View(const GrayImage& image) {
  return cv::Mat(image.height, image.width, CV_8UC1, const_cast<uint8_t*>(image.pixels.data()));
}

}  // namespace

class FeatureTracker::Impl {
 public:
  explicit Impl(const FeatureTrackerOptions& options) : options_(options) {}

  std::vector<Observation> Track(const GrayImage& image, const Quaternion& previous_from_current,
                                 double focal_px, const GrayImage* mask) {
    if (std::min(image.width, image.height) < kMinTrackedSide) return {};
    View(image).copyTo(image_);
    std::vector<cv::Mat> pyramid;
    cv::buildOpticalFlowPyramid(image_, pyramid, kWindow, kLevels);
    if (!pyramid_.empty() && size_ != image_.size()) corners_.clear();
    size_ = image_.size();
    if (!corners_.empty()) Follow(pyramid, previous_from_current, focal_px, mask);
    pyramid_ = std::move(pyramid);
    if (static_cast<double>(corners_.size()) < options_.refill_below * options_.max_corners) Refill(mask);

    std::vector<Observation> observations;
    observations.reserve(corners_.size());
    for (const Corner& corner : corners_) {
      const cv::Point nearest(std::clamp(cvRound(corner.point.x), 0, size_.width - 1),
                              std::clamp(cvRound(corner.point.y), 0, size_.height - 1));
      observations.push_back({corner.track,
                              {corner.point.x + kPixelCenter, corner.point.y + kPixelCenter},
                              image_.at<uint8_t>(nearest)});
    }
    std::sort(observations.begin(), observations.end(),
              [](const Observation& a, const Observation& b) { return a.track < b.track; });
    return observations;
  }

 private:
  bool IsMasked(const GrayImage* mask, const cv::Point2f& point) const {
    if (mask == nullptr) return false;
    const int x = std::clamp(static_cast<int>(std::lround(point.x)), 0, mask->width - 1);
    const int y = std::clamp(static_cast<int>(std::lround(point.y)), 0, mask->height - 1);
    return mask->pixels[static_cast<size_t>(y) * static_cast<size_t>(mask->width) + static_cast<size_t>(x)] ==
           0;
  }

  void Follow(const std::vector<cv::Mat>& pyramid, const Quaternion& previous_from_current, double focal_px,
              const GrayImage* mask) {
    std::vector<cv::Point2f> from;
    std::vector<cv::Point2f> to;
    const Eigen::Matrix3d rotation = previous_from_current.conjugate().toRotationMatrix();
    const double cx = 0.5 * size_.width - kPixelCenter;
    const double cy = 0.5 * size_.height - kPixelCenter;
    for (const Corner& corner : corners_) {
      from.push_back(corner.point);
      const Eigen::Vector3d ray =
          rotation * Eigen::Vector3d((corner.point.x - cx) / focal_px, (corner.point.y - cy) / focal_px, 1.0);
      to.emplace_back(static_cast<float>(focal_px * ray.x() / ray.z() + cx),
                      static_cast<float>(focal_px * ray.y() / ray.z() + cy));
    }
    std::vector<uchar> found;
    std::vector<uchar> found_back;
    std::vector<float> error;
    const cv::TermCriteria stop(cv::TermCriteria::COUNT | cv::TermCriteria::EPS, 20, 0.02);
    cv::calcOpticalFlowPyrLK(pyramid_, pyramid, from, to, found, error, kWindow, kLevels, stop,
                             cv::OPTFLOW_USE_INITIAL_FLOW);
    std::vector<cv::Point2f> back = from;
    cv::calcOpticalFlowPyrLK(pyramid, pyramid_, to, back, found_back, error, kWindow, kLevels, stop,
                             cv::OPTFLOW_USE_INITIAL_FLOW);
    std::vector<Corner> kept;
    std::vector<cv::Point2f> kept_from;
    std::vector<cv::Point2f> kept_to;
    const cv::Rect2f inside(1.0F, 1.0F, static_cast<float>(size_.width - 3),
                            static_cast<float>(size_.height - 3));
    for (size_t i = 0; i < corners_.size(); ++i) {
      const cv::Point2f miss = back[i] - from[i];
      if (found[i] == 0 || found_back[i] == 0 || !inside.contains(to[i]) ||
          !(miss.dot(miss) <= options_.forward_backward_px * options_.forward_backward_px) ||
          IsMasked(mask, to[i])) {
        continue;
      }
      kept.push_back({corners_[i].track, corners_[i].frames + 1, to[i]});
      kept_from.push_back(from[i]);
      kept_to.push_back(to[i]);
    }
    if (kept.size() >= 16) {
      const cv::Mat inliers = EpipolarInliers(kept_from, kept_to);
      size_t next = 0;
      for (size_t i = 0; i < kept.size() && !inliers.empty(); ++i) {
        if (inliers.at<uchar>(static_cast<int>(i)) != 0) kept[next++] = kept[i];
      }
      if (!inliers.empty()) kept.resize(next);
    }
    for (Corner& corner : kept) {
      if (corner.frames > options_.max_track_frames) corner = {next_track_++, 1, corner.point};
    }
    corners_ = std::move(kept);
  }

  cv::Mat EpipolarInliers(const std::vector<cv::Point2f>& from, const std::vector<cv::Point2f>& to) const {
    cv::Mat inliers;
    const cv::Mat fundamental =
        cv::findFundamentalMat(from, to, cv::FM_RANSAC, options_.epipolar_px, 0.99, 300, inliers);
    return fundamental.empty() ? cv::Mat() : inliers;
  }

  void Refill(const GrayImage* mask) {
    const double distance = options_.min_distance * std::max(size_.width, size_.height);
    cv::Mat allowed(size_, CV_8UC1, cv::Scalar(255));
    if (mask != nullptr) View(*mask).copyTo(allowed);
    for (const Corner& corner : corners_) {
      cv::circle(allowed, corner.point, static_cast<int>(std::lround(distance)), cv::Scalar(0), cv::FILLED);
    }
    std::vector<cv::Point2f> fresh;
    const int wanted = options_.max_corners - static_cast<int>(corners_.size());
    cv::goodFeaturesToTrack(image_, fresh, wanted, 0.005, distance, allowed, 5);
    for (const cv::Point2f& point : fresh) corners_.push_back({next_track_++, 1, point});
  }

  const FeatureTrackerOptions options_;
  cv::Mat image_;
  cv::Size size_;
  std::vector<cv::Mat> pyramid_;
  std::vector<Corner> corners_;
  int64_t next_track_ = 0;
};

FeatureTracker::FeatureTracker(const FeatureTrackerOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}
FeatureTracker::~FeatureTracker() = default;
FeatureTracker::FeatureTracker(FeatureTracker&&) noexcept = default;
FeatureTracker& FeatureTracker::operator=(FeatureTracker&&) noexcept = default;

std::vector<Observation> FeatureTracker::Track(const GrayImage& image,
                                               const Quaternion& previous_from_current, double focal_px,
                                               const GrayImage* mask) {
  return impl_->Track(image, previous_from_current, focal_px, mask);
}

}  // namespace calfvo
