// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics/attribution.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "eval/metrics/table.h"

namespace calfvo {
namespace {

struct Edge {
  Rigid3 truth;
  Rigid3 estimate;
};

std::vector<Edge> EdgesOf(const Trajectory& reference, const Trajectory& estimate,
                          std::span<const PosePair> pairs) {
  std::vector<Edge> edges;
  for (size_t i = 0; i + 1 < pairs.size(); ++i) {
    const auto relative = [&](const Trajectory& path, uint32_t PosePair::*index) {
      return path.world_from_camera[pairs[i].*index].Inverse() * path.world_from_camera[pairs[i + 1].*index];
    };
    edges.push_back({relative(reference, &PosePair::reference), relative(estimate, &PosePair::estimate)});
  }
  return edges;
}

// A vector of the length of one and the direction of another, which may be zero.
Eigen::Vector3d Resized(const Eigen::Vector3d& direction, double length) {
  const double norm = direction.norm();
  return norm > 0.0 ? Eigen::Vector3d(direction * (length / norm)) : direction;
}

Rigid3 Nothing(const Edge& edge) {
  return edge.estimate;
}
Rigid3 Length(const Edge& edge) {
  return {edge.estimate.rotation, Resized(edge.estimate.translation, edge.truth.translation.norm())};
}
Rigid3 Direction(const Edge& edge) {
  if (edge.truth.translation.norm() == 0.0) return edge.estimate;
  return {edge.estimate.rotation, Resized(edge.truth.translation, edge.estimate.translation.norm())};
}
Rigid3 Translation(const Edge& edge) {
  return {edge.estimate.rotation, edge.truth.translation};
}
Rigid3 Rotation(const Edge& edge) {
  return {edge.truth.rotation, edge.estimate.translation};
}
Rigid3 Everything(const Edge& edge) {
  return edge.truth;
}

// Positions of the path that begins at the identity.
std::vector<Eigen::Vector3d> PathOf(const std::vector<Edge>& edges, Rigid3 (*motion)(const Edge&)) {
  std::vector<Eigen::Vector3d> path = {Eigen::Vector3d::Zero()};
  Rigid3 pose;
  for (const Edge& edge : edges) {
    pose = pose * motion(edge);
    path.push_back(pose.translation);
  }
  return path;
}

double RootMeanSquare(const std::vector<Eigen::Vector3d>& truth, const std::vector<Eigen::Vector3d>& path,
                      double scale = 1.0) {
  double sum = 0.0;
  for (size_t i = 0; i < truth.size(); ++i) sum += (truth[i] - scale * path[i]).squaredNorm();
  return std::sqrt(sum / static_cast<double>(truth.size()));
}

// With rotations as they are, positions are proportional to the factor.
double BestScale(const std::vector<Eigen::Vector3d>& truth, const std::vector<Eigen::Vector3d>& path) {
  double products = 0.0;
  double squares = 0.0;
  for (size_t i = 0; i < truth.size(); ++i) {
    products += truth[i].dot(path[i]);
    squares += path[i].squaredNorm();
  }
  return squares > 0.0 ? products / squares : 1.0;
}

// In the order in which one of two equal ones is named.
std::array<std::pair<const char*, double>, 4> Parts(const Attribution& a) {
  return {{{"scale", a.scale_m},
           {"length", a.length_m},
           {"direction", a.direction_m},
           {"rotation", a.rotation_m}}};
}

}  // namespace

Attribution Attribute(const Trajectory& reference, const Trajectory& estimate,
                      std::span<const PosePair> pairs) {
  const std::vector<Edge> edges = EdgesOf(reference, estimate, pairs);
  const std::vector<Eigen::Vector3d> truth = PathOf(edges, Everything);
  const std::vector<Eigen::Vector3d> path = PathOf(edges, Nothing);
  const auto ate_with = [&](Rigid3 (*motion)(const Edge&)) {
    return RootMeanSquare(truth, PathOf(edges, motion));
  };
  const double scale = BestScale(truth, path);
  return {.nothing_m = RootMeanSquare(truth, path),
          .scale = scale,
          .scale_m = RootMeanSquare(truth, path, scale),
          .length_m = ate_with(Length),
          .direction_m = ate_with(Direction),
          .translation_m = ate_with(Translation),
          .rotation_m = ate_with(Rotation)};
}

std::string LimitingPart(const Attribution& attribution) {
  constexpr double kAsMuch = 0.95;  // of the gain, that a factor needs to stand for lengths
  const auto gain = [&](double ate_m) { return attribution.nothing_m - ate_m; };
  std::string name = "nothing";
  double largest = 0.0;
  for (const auto& [part, ate_m] : Parts(attribution)) {
    if (!(gain(ate_m) > largest)) continue;
    const bool scale_does =
        std::string_view(part) == "length" && gain(attribution.scale_m) > kAsMuch * gain(ate_m);
    name = scale_does ? "scale" : part;
    largest = gain(ate_m);
  }
  return name;
}

std::string AttributionText(const Attribution& attribution) {
  const auto row = [&](std::string name, double ate_m) {
    const double change = 100.0 * (ate_m / attribution.nothing_m - 1.0);
    return std::vector<std::string>{std::move(name), FormatValue(ate_m),
                                    std::isfinite(change) ? fmt::format("{:+.0f} %", change) : "-"};
  };
  std::vector<std::vector<std::string>> rows = {{"perfect", "ATE as is, m", "change"}};
  rows.push_back({"nothing", FormatValue(attribution.nothing_m), ""});
  rows.push_back(row(fmt::format("scale (factor {})", FormatValue(attribution.scale)), attribution.scale_m));
  rows.push_back(row("length of each edge", attribution.length_m));
  rows.push_back(row("direction of each edge", attribution.direction_m));
  rows.push_back(row("translation of each edge", attribution.translation_m));
  rows.push_back(row("rotation of each edge", attribution.rotation_m));
  const std::string part = LimitingPart(attribution);
  return FormatTable(rows) + (part == "nothing" ? "No part alone would lower the error.\n"
                                                : fmt::format("What limits this estimate: {}.\n", part));
}

}  // namespace calfvo
