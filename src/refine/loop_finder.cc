// SPDX-License-Identifier: Apache-2.0
#include "refine/loop_finder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <opencv2/calib3d.hpp>
#include <opencv2/features2d.hpp>
#include <optional>
#include <span>

#include "core/geometry/so3.h"
#include "refine/hamming.h"
#include "refine/place_index.h"

namespace calfvo {
namespace {

constexpr int kMaxHamming = 64;
constexpr double kRatio = 0.8;
constexpr double kEpipolarPx = 4.0;
constexpr double kMinParallaxRad = 0.012;
constexpr double kPnpPx = 5.0;
constexpr double kGuidedPx[] = {12.0, 6.0};
constexpr int kMapNeighbours = 3;  // described keyframes on either side whose points join a candidate's
constexpr int kMinScaleMatches = 8;

struct DescribedKeyframe {
  int keyframe = 0;
  std::vector<Eigen::Vector2f> pixels;
  std::vector<Descriptor> descriptors;
};

// A described keyframe with what follows from its pose.
struct Place {
  std::vector<Eigen::Vector2d> rays;         // normalised, at the middle of the frame
  std::vector<double> inverse_depth;         // 0: not triangulated
  std::vector<std::pair<int, int>> partner;  // place and feature that it was triangulated with
};

// A map point seen from the candidate: where it came from and where it is.
struct MapCandidate {
  int place = 0;
  int feature = 0;
  Eigen::Vector3d x_in_first = Eigen::Vector3d::Zero();
};

struct PointMatch {
  size_t point = 0;
  int feature = 0;  // of the query
};

}  // namespace

class LoopFinder::Impl {
 public:
  explicit Impl(const LoopOptions& options) : options_(options), orb_(cv::ORB::create(options.features)) {}

  void AddKeyframe(const GrayImage& image, const GrayImage* mask) {
    const int keyframe = keyframes_++;
    longer_side_ = std::max(image.width, image.height);
    if (keyframe % options_.keyframe_stride != 0 || std::min(image.width, image.height) < kMinTrackedSide)
      return;
    const auto view_of = [](const GrayImage& gray) {
      return cv::Mat(gray.height, gray.width, CV_8UC1, const_cast<uint8_t*>(gray.pixels.data()));
    };
    const cv::Mat view = view_of(image);
    std::vector<cv::KeyPoint> points;
    DescribedKeyframe& described = described_.emplace_back();
    described.keyframe = keyframe;
    cv::Mat descriptors;
    orb_->detectAndCompute(view, mask == nullptr ? cv::Mat() : view_of(*mask), points, descriptors);
    std::vector<int> order(points.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return points[static_cast<size_t>(a)].response > points[static_cast<size_t>(b)].response;
    });
    for (const int i : order) {
      std::memcpy(described.descriptors.emplace_back().data(), descriptors.ptr(i), sizeof(Descriptor));
      const cv::Point2f& point = points[static_cast<size_t>(i)].pt;
      described.pixels.emplace_back(point.x + 0.5F, point.y + 0.5F);
    }
  }

  std::vector<Loop> Find(const std::vector<Keyframe>& keyframes, const CameraParams& camera,
                         double image_height) const {
    const size_t count = described_.size();
    if (count < 4) return {};
    std::vector<Place> places = MakePlaces(keyframes, camera, image_height);
    TriangulatePlaces(keyframes, std::exp(camera[kLogFocal]), places);
    std::vector<std::span<const Descriptor>> images;
    for (const DescribedKeyframe& described : described_) images.emplace_back(described.descriptors);
    const PlaceIndex index(images);

    std::vector<Loop> loops;
    for (size_t query = 0; query < count; ++query) {
      for (const size_t candidate : Candidates(index, keyframes, query)) {
        std::optional<Loop> loop = Verify(keyframes, std::exp(camera[kLogFocal]), places, candidate, query);
        if (loop) loops.push_back(std::move(*loop));
      }
    }
    return Agreeing(keyframes, std::move(loops));
  }

 private:
  std::vector<Place> MakePlaces(const std::vector<Keyframe>& keyframes, const CameraParams& camera,
                                double image_height) const {
    std::vector<Place> places;
    for (const DescribedKeyframe& described : described_) {
      const Keyframe& keyframe = keyframes[static_cast<size_t>(described.keyframe)];
      Place& place = places.emplace_back();
      for (const Eigen::Vector2f& pixel : described.pixels) {
        const double time = camera[kReadout] * (pixel.y() / image_height - 0.5);
        const Eigen::Vector3d ray =
            ExpSO3(keyframe.angular_velocity * time) * Unproject(camera, pixel.cast<double>()).homogeneous();
        place.rays.push_back(ray.hnormalized());
      }
      place.inverse_depth.assign(place.rays.size(), 0.0);
      place.partner.assign(place.rays.size(), {0, 0});
    }
    return places;
  }

  // Features matched to the next two described keyframes, along epipolar lines.
  void TriangulatePlaces(const std::vector<Keyframe>& keyframes, double focal,
                         std::vector<Place>& places) const {
    for (size_t a = 0; a < places.size(); ++a) {
      for (size_t b = a + 1; b < std::min(a + 3, places.size()); ++b) {
        const Rigid3 b_from_a = PoseOf(keyframes, b).Inverse() * PoseOf(keyframes, a);
        const Eigen::Matrix3d essential =
            Hat(b_from_a.translation.normalized()) * b_from_a.rotation.toRotationMatrix();
        for (const auto& [i, j] : Matches(a, b)) {
          const Eigen::Vector3d ray_a = places[a].rays[static_cast<size_t>(i)].homogeneous();
          const Eigen::Vector3d ray_b = places[b].rays[static_cast<size_t>(j)].homogeneous();
          const Eigen::Vector3d line = essential * ray_a;
          if (std::abs(ray_b.dot(line)) * focal > kEpipolarPx * line.head<2>().norm()) continue;
          const Eigen::Vector3d turned = b_from_a.rotation * ray_a;
          const double parallax = std::atan2(turned.cross(ray_b).norm(), turned.dot(ray_b));
          if (parallax < kMinParallaxRad) continue;
          // ray_b × (turned + ρ t) = 0
          const Eigen::Vector2d constant = ray_b.head<2>() * turned.z() - turned.head<2>();
          const Eigen::Vector2d slope =
              ray_b.head<2>() * b_from_a.translation.z() - b_from_a.translation.head<2>();
          const double inverse_depth = -slope.dot(constant) / std::max(slope.squaredNorm(), 1e-12);
          if (!(inverse_depth > 0.01 && inverse_depth < 20.0)) continue;
          if (double& kept = places[a].inverse_depth[static_cast<size_t>(i)]; kept == 0.0) {
            kept = inverse_depth;
            places[a].partner[static_cast<size_t>(i)] = {static_cast<int>(b), j};
          }
          const double depth_b = (turned / inverse_depth + b_from_a.translation).z();
          if (double& kept = places[b].inverse_depth[static_cast<size_t>(j)]; kept == 0.0 && depth_b > 0.05) {
            kept = 1.0 / depth_b;
            places[b].partner[static_cast<size_t>(j)] = {static_cast<int>(a), i};
          }
        }
      }
    }
  }

  // Best matches by ratio test: features of both.
  std::vector<std::pair<int, int>> Matches(size_t a, size_t b) const {
    const std::vector<Descriptor>& from = described_[a].descriptors;
    std::vector<std::pair<int, int>> matches;
    if (described_[b].descriptors.size() < 2) return matches;
    for (size_t i = 0; i < from.size(); ++i) {
      const NearestDescriptor nearest = FindNearest(from[i], described_[b].descriptors);
      if (nearest.distance <= kMaxHamming && nearest.distance < kRatio * nearest.second_distance) {
        matches.emplace_back(static_cast<int>(i), nearest.index);
      }
    }
    return matches;
  }

  // Earlier places that look like `query`, best first.
  std::vector<size_t> Candidates(const PlaceIndex& index, const std::vector<Keyframe>& keyframes,
                                 size_t query) const {
    std::vector<std::pair<double, size_t>> scored;
    const int64_t frame = keyframes[static_cast<size_t>(described_[query].keyframe)].frame;
    for (size_t c = 0; c < query; ++c) {
      if (frame - keyframes[static_cast<size_t>(described_[c].keyframe)].frame < options_.min_frames_apart)
        break;
      scored.emplace_back(-index.Similarity(query, c), c);
    }
    std::sort(scored.begin(), scored.end());
    std::vector<size_t> best;
    for (const auto& [score, c] : scored) {
      if (static_cast<int>(best.size()) == options_.candidates) break;
      const bool is_near = std::any_of(best.begin(), best.end(), [c = c](size_t other) {
        return (c > other ? c - other : other - c) <= static_cast<size_t>(kMapNeighbours);
      });
      if (!is_near) best.push_back(c);
    }
    return best;
  }

  std::optional<Loop> Verify(const std::vector<Keyframe>& keyframes, double focal,
                             const std::vector<Place>& places, size_t first, size_t second) const {
    std::vector<cv::Point3d> points;
    std::vector<cv::Point2d> pixels;
    for (const auto& [j, i] : Matches(second, first)) {
      const double inverse_depth = places[first].inverse_depth[static_cast<size_t>(i)];
      if (inverse_depth == 0.0) continue;
      const Eigen::Vector3d x = places[first].rays[static_cast<size_t>(i)].homogeneous() / inverse_depth;
      const Eigen::Vector2d ray = places[second].rays[static_cast<size_t>(j)];
      points.emplace_back(x.x(), x.y(), x.z());
      pixels.emplace_back(focal * ray.x(), focal * ray.y());
    }
    if (static_cast<int>(points.size()) < options_.min_pnp_inliers) return {};
    const cv::Matx33d intrinsics(focal, 0.0, 0.0, 0.0, focal, 0.0, 0.0, 0.0, 1.0);
    cv::Vec3d turn;
    cv::Vec3d shift;
    cv::Mat inliers;
    bool found = false;
    try {
      found = cv::solvePnPRansac(points, pixels, intrinsics, cv::noArray(), turn, shift, false, 200, kPnpPx,
                                 0.999, inliers, cv::SOLVEPNP_AP3P);
    } catch (const cv::Exception&) {  // degenerate points
    }
    if (!found || inliers.rows < options_.min_pnp_inliers ||
        inliers.rows < options_.min_pnp_share * static_cast<double>(points.size())) {
      return {};
    }
    Rigid3 second_from_first = {ExpSO3({turn[0], turn[1], turn[2]}), {shift[0], shift[1], shift[2]}};

    const std::vector<MapCandidate> map = MapAround(keyframes, places, first);
    std::vector<PointMatch> matches;
    double in_view = 0.0;
    for (const double radius : kGuidedPx) {
      matches = GuidedMatches(map, places, focal, second, second_from_first, radius, in_view);
      if (static_cast<int>(matches.size()) < options_.min_guided_inliers) return {};
      if (!RefinePose(map, matches, places[second], focal, second_from_first)) return {};
    }
    std::erase_if(matches, [&](const PointMatch& match) {
      const Eigen::Vector3d h = second_from_first * map[match.point].x_in_first;
      return h.z() <= 0.0 ||
             focal * (h.hnormalized() - places[second].rays[static_cast<size_t>(match.feature)]).norm() > 3.0;
    });
    if (static_cast<int>(matches.size()) < options_.min_guided_inliers ||
        static_cast<double>(matches.size()) <
            options_.min_guided_share * std::min(in_view, static_cast<double>(places[second].rays.size())) ||
        Spread(matches, places[second], focal) < options_.min_spread * longer_side_) {
      return {};
    }
    const std::optional<double> scale = RelativeScale(map, matches, places[second], second_from_first);
    if (!scale || std::abs(std::log(*scale)) > options_.max_log_scale) return {};
    return MakeLoop(map, matches, second_from_first, *scale, first, second, places);
  }

  // Points of the places around `first`, in its camera.
  std::vector<MapCandidate> MapAround(const std::vector<Keyframe>& keyframes,
                                      const std::vector<Place>& places, size_t first) const {
    std::vector<MapCandidate> map;
    const size_t begin = first - std::min<size_t>(first, kMapNeighbours);
    const size_t end = std::min(first + kMapNeighbours + 1, places.size());
    for (size_t p = begin; p < end; ++p) {
      const Rigid3 first_from_p = PoseOf(keyframes, first).Inverse() * PoseOf(keyframes, p);
      for (size_t i = 0; i < places[p].rays.size(); ++i) {
        if (places[p].inverse_depth[i] == 0.0) continue;
        map.push_back(
            {static_cast<int>(p), static_cast<int>(i),
             first_from_p * Eigen::Vector3d(places[p].rays[i].homogeneous() / places[p].inverse_depth[i])});
      }
    }
    return map;
  }

  std::vector<PointMatch> GuidedMatches(const std::vector<MapCandidate>& map,
                                        const std::vector<Place>& places, double focal, size_t second,
                                        const Rigid3& second_from_first, double radius,
                                        double& in_view) const {
    const Place& place = places[second];
    const double limit = radius / focal;
    const double edge = 0.5 * longer_side_ / focal;
    // Each feature of the query serves its best point only.
    std::vector<std::pair<int, size_t>> best_of_feature(place.rays.size(), {kMaxHamming + 1, 0});
    in_view = 0.0;
    for (size_t m = 0; m < map.size(); ++m) {
      const Eigen::Vector3d h = second_from_first * map[m].x_in_first;
      if (h.z() <= 0.0) continue;
      const Eigen::Vector2d expected = h.hnormalized();
      if (expected.cwiseAbs().maxCoeff() > edge) continue;
      ++in_view;
      const Descriptor& descriptor =
          described_[static_cast<size_t>(map[m].place)].descriptors[static_cast<size_t>(map[m].feature)];
      int best = kMaxHamming + 1;
      size_t feature = 0;
      for (size_t j = 0; j < place.rays.size(); ++j) {
        if ((place.rays[j] - expected).cwiseAbs().maxCoeff() > limit) continue;
        const int distance = HammingDistance(descriptor, described_[second].descriptors[j]);
        if (distance < best) {
          best = distance;
          feature = j;
        }
      }
      if (best < best_of_feature[feature].first) best_of_feature[feature] = {best, m};
    }
    std::vector<PointMatch> matches;
    for (size_t j = 0; j < best_of_feature.size(); ++j) {
      if (best_of_feature[j].first <= kMaxHamming)
        matches.push_back({best_of_feature[j].second, static_cast<int>(j)});
    }
    return matches;
  }

  // Robust Gauss–Newton on the pose.
  static bool RefinePose(const std::vector<MapCandidate>& map, const std::vector<PointMatch>& matches,
                         const Place& place, double focal, Rigid3& second_from_first) {
    for (int round = 0; round < 10; ++round) {
      Eigen::Matrix<double, 6, 6> information = 1e-6 * Eigen::Matrix<double, 6, 6>::Identity();
      Eigen::Matrix<double, 6, 1> gradient = Eigen::Matrix<double, 6, 1>::Zero();
      for (const PointMatch& match : matches) {
        const Eigen::Vector3d h = second_from_first * map[match.point].x_in_first;
        if (h.z() <= 1e-3) continue;
        const Eigen::Vector2d error =
            focal * (h.hnormalized() - place.rays[static_cast<size_t>(match.feature)]);
        Eigen::Matrix<double, 2, 3> by_h;
        by_h << focal / h.z(), 0.0, -focal * h.x() / (h.z() * h.z()), 0.0, focal / h.z(),
            -focal * h.y() / (h.z() * h.z());
        Eigen::Matrix<double, 2, 6> jacobian;
        jacobian.leftCols<3>() = -by_h * Hat(h);
        jacobian.rightCols<3>() = by_h;
        const double weight = 1.0 / (1.0 + error.squaredNorm() / 4.0);
        information += weight * jacobian.transpose() * jacobian;
        gradient += weight * jacobian.transpose() * error;
      }
      const Eigen::Matrix<double, 6, 1> step = -information.ldlt().solve(gradient);
      if (!step.allFinite()) return false;
      second_from_first = Rigid3{ExpSO3(step.head<3>()), step.tail<3>()} * second_from_first;
      if (step.norm() < 1e-7) break;
    }
    return true;
  }

  static double Spread(const std::vector<PointMatch>& matches, const Place& place, double focal) {
    Eigen::Vector2d mean = Eigen::Vector2d::Zero();
    for (const PointMatch& match : matches) mean += place.rays[static_cast<size_t>(match.feature)];
    mean /= static_cast<double>(matches.size());
    double square = 0.0;
    for (const PointMatch& match : matches) {
      square += (place.rays[static_cast<size_t>(match.feature)] - mean).squaredNorm();
    }
    return focal * std::sqrt(square / static_cast<double>(matches.size()));
  }

  // First's metres per second's: the same points by the two maps.
  static std::optional<double> RelativeScale(const std::vector<MapCandidate>& map,
                                             const std::vector<PointMatch>& matches, const Place& place,
                                             const Rigid3& second_from_first) {
    std::vector<double> ratios;
    for (const PointMatch& match : matches) {
      const double inverse_depth = place.inverse_depth[static_cast<size_t>(match.feature)];
      if (inverse_depth > 0.0)
        ratios.push_back((second_from_first * map[match.point].x_in_first).z() * inverse_depth);
    }
    if (static_cast<int>(ratios.size()) < kMinScaleMatches) return {};
    const auto middle = ratios.begin() + static_cast<ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    return *middle;
  }

  Loop MakeLoop(const std::vector<MapCandidate>& map, const std::vector<PointMatch>& matches,
                const Rigid3& second_from_first, double scale, size_t first, size_t second,
                const std::vector<Place>& places) const {
    Loop loop;
    loop.first = described_[first].keyframe;
    loop.second = described_[second].keyframe;
    const Rigid3 first_from_second = second_from_first.Inverse();
    loop.first_from_second = {scale, first_from_second.rotation, first_from_second.translation};
    for (const PointMatch& match : matches) {
      const MapCandidate& point = map[match.point];
      const auto place = static_cast<size_t>(point.place);
      const auto feature = static_cast<size_t>(point.feature);
      const auto& [partner, partner_feature] = places[place].partner[feature];
      const DescribedKeyframe& with = described_[static_cast<size_t>(partner)];
      loop.matches.push_back({described_[place].pixels[feature].cast<double>(),
                              with.pixels[static_cast<size_t>(partner_feature)].cast<double>(),
                              described_[second].pixels[static_cast<size_t>(match.feature)].cast<double>(),
                              places[place].inverse_depth[feature], described_[place].keyframe,
                              with.keyframe});
    }
    return loop;
  }

  // Loops that at least one other loop nearby agrees with: the drift between both ends must be the same.
  std::vector<Loop> Agreeing(const std::vector<Keyframe>& keyframes, std::vector<Loop> loops) const {
    const auto pose = [&](int k) { return keyframes[static_cast<size_t>(k)].world_from_camera; };
    std::vector<Loop> kept;
    for (const Loop& loop : loops) {
      const bool agrees = std::any_of(loops.begin(), loops.end(), [&](const Loop& other) {
        if (&other == &loop || std::abs(other.first - loop.first) > options_.agreement_keyframes ||
            std::abs(other.second - loop.second) > options_.agreement_keyframes) {
          return false;
        }
        // first → second by this loop, or over the other loop and the paths between.
        const Rigid3 to_other_first = pose(loop.first).Inverse() * pose(other.first);
        const Rigid3 from_other_second = pose(other.second).Inverse() * pose(loop.second);
        const Similarity3 around =
            Similarity3{1.0, to_other_first.rotation, to_other_first.translation} * other.first_from_second *
            Similarity3{1.0, from_other_second.rotation, from_other_second.translation};
        const double depth = MedianDepth(loop);
        return (around.translation - loop.first_from_second.translation).norm() <
                   options_.agreement_m * std::max(1.0, depth / 4.0) &&
               AngleBetween(around.rotation, loop.first_from_second.rotation) < options_.agreement_rad;
      });
      if (agrees) kept.push_back(loop);
    }
    return kept;
  }

  const Rigid3& PoseOf(const std::vector<Keyframe>& keyframes, size_t place) const {
    return keyframes[static_cast<size_t>(described_[place].keyframe)].world_from_camera;
  }

  const LoopOptions options_;
  const cv::Ptr<cv::ORB> orb_;
  std::vector<DescribedKeyframe> described_;
  int keyframes_ = 0;
  double longer_side_ = 0.0;
};

double MedianDepth(const Loop& loop) {
  std::vector<double> depths;
  for (const Loop::Match& match : loop.matches) depths.push_back(1.0 / match.inverse_depth);
  const auto middle = depths.begin() + static_cast<ptrdiff_t>(depths.size() / 2);
  std::nth_element(depths.begin(), middle, depths.end());
  return *middle;
}

LoopFinder::LoopFinder(const LoopOptions& options) : impl_(std::make_unique<Impl>(options)) {}
LoopFinder::~LoopFinder() = default;

void LoopFinder::AddKeyframe(const GrayImage& image, const GrayImage* mask) {
  impl_->AddKeyframe(image, mask);
}

std::vector<Loop> LoopFinder::Find(const std::vector<Keyframe>& keyframes, const CameraParams& camera,
                                   double image_height) const {
  return impl_->Find(keyframes, camera, image_height);
}

}  // namespace calfvo
