// SPDX-License-Identifier: Apache-2.0
// The files that refinement adds to a run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calfvo/trajectory.h"
#include "core/base/atomic_file.h"
#include "eval/plot/figure.h"
#include "refine/refiner.h"

namespace calfvo {

// network.tum (the network's own path), camera.json, points.ply, loops.csv; map.png (path, points and loops
// from above) and refine.png (over time: shares of the refined edges, tracks, residuals, focal length), both
// as SVG too.
class RefineOutputs {
 public:
  static std::vector<std::string> Files();

  // `folder` exists.
  explicit RefineOutputs(const std::filesystem::path& folder);

  void Add(const RefinedPose& pose);
  void Finish(const std::string& title, const RefineSummary& summary);

 private:
  Panel TracksPanel(const RefineSummary& summary) const;
  Panel ResidualPanel(const RefineSummary& summary) const;
  Panel FocalPanel(const RefineSummary& summary) const;

  const std::filesystem::path folder_;
  AtomicFile network_;
  std::string line_;
  int64_t first_timestamp_ns_ = 0;
  std::vector<double> time_s_;
  std::vector<double> rotation_weight_;
  std::vector<double> translation_weight_;
  std::vector<Eigen::Vector3d> refined_path_;
  std::vector<Eigen::Vector3d> network_path_;
};

}  // namespace calfvo
