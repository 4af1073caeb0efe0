// SPDX-License-Identifier: Apache-2.0
#include "calfvo/evaluation.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "calfvo/error.h"
#include "core/geometry/so3.h"
#include "core/geometry/umeyama.h"
#include "core/trajectory/pose_checks.h"
#include "eval/metrics/association.h"
#include "eval/metrics/baselines.h"
#include "eval/metrics/kitti_segments.h"
#include "eval/metrics/statistics.h"

namespace calfvo {
namespace {

constexpr double kDegPerRad = 180.0 / std::numbers::pi;

constexpr std::array<std::pair<Alignment, std::string_view>, 4> kAlignments = {{
    {Alignment::kNone, "none"},
    {Alignment::kOrigin, "origin"},
    {Alignment::kSe3, "se3"},
    {Alignment::kSim3, "sim3"},
}};

// The poses of a trajectory's pairs after an alignment, computed when asked for rather than stored.
struct AlignedPoses {
  const Trajectory& trajectory;
  const std::vector<PosePair>& pairs;
  uint32_t PosePair::*index;
  Similarity3 alignment;

  size_t size() const { return pairs.size(); }
  Rigid3 operator[](size_t i) const {
    const Rigid3& pose = trajectory.world_from_camera[pairs[i].*index];
    return {alignment.rotation * pose.rotation, alignment * pose.translation};
  }
};

Similarity3 MoveTo(const Rigid3& target, const Rigid3& source) {
  const Rigid3 target_from_source = target * source.Inverse();
  return {1.0, target_from_source.rotation, target_from_source.translation};
}

// evo's APE: the pose difference reference⁻¹ · estimate, its translation in metres and its angle in degrees.
void AbsoluteErrors(const AlignedPoses& reference, const AlignedPoses& estimate, std::vector<double>* trans_m,
                    std::vector<double>* rot_deg) {
  trans_m->clear();
  rot_deg->clear();
  for (size_t i = 0; i < reference.size(); ++i) {
    trans_m->push_back((reference[i].translation - estimate[i].translation).norm());
    rot_deg->push_back(kDegPerRad * AngleBetween(reference[i].rotation, estimate[i].rotation));
  }
}

// evo's RPE over one frame, whose means are the paper's t_rel and r_rel.
void RelativeErrors(const AlignedPoses& reference, const AlignedPoses& estimate, std::vector<double>* trans_m,
                    std::vector<double>* rot_deg) {
  for (size_t i = 0; i + 1 < reference.size(); ++i) {
    const Rigid3 reference_motion = reference[i].Inverse() * reference[i + 1];
    const Rigid3 estimate_motion = estimate[i].Inverse() * estimate[i + 1];
    trans_m->push_back((reference_motion.translation - estimate_motion.translation).norm());
    rot_deg->push_back(kDegPerRad * AngleBetween(reference_motion.rotation, estimate_motion.rotation));
  }
}

void AddBaselines(const AlignedPoses& reference, Evaluation* result) {
  EdgeMotions edges;
  for (size_t i = 0; i + 1 < reference.size(); ++i) edges.Add(reference[i].Inverse() * reference[i + 1]);
  result->zero_motion = ErrorOfGuess(edges, Rigid3());
  result->constant_motion =
      reference.size() > 1 ? ErrorOfGuess(edges, BestConstantMotion(edges)) : result->zero_motion;
}

double TimeCovered(const Trajectory& reference, const std::vector<PosePair>& pairs) {
  const std::vector<int64_t>& times = reference.timestamps_ns;
  const auto span = static_cast<double>(times.back()) - static_cast<double>(times.front());
  if (span <= 0.0) return 1.0;
  return (static_cast<double>(times[pairs.back().reference]) -
          static_cast<double>(times[pairs.front().reference])) /
         span;
}

}  // namespace

Alignment AlignmentFromName(std::string_view name) {
  for (const auto& [alignment, known_name] : kAlignments) {
    if (known_name == name) return alignment;
  }
  throw Error(fmt::format("unknown alignment '{}'; expected none, origin, se3 or sim3", name));
}

std::string_view AlignmentName(Alignment alignment) {
  for (const auto& [known, name] : kAlignments) {
    if (known == alignment) return name;
  }
  throw Error(fmt::format("unknown alignment {}", static_cast<int>(alignment)));
}

void EvaluationOptions::Validate() const {
  AlignmentName(alignment);  // throws where there is none
  constexpr double kMost = 9e9;
  if (!(max_time_difference_s >= 0.0 && max_time_difference_s <= kMost)) {
    throw Error(
        fmt::format("max_time_difference_s is {}; expected 0 to {} seconds", max_time_difference_s, kMost));
  }
}

Evaluation Evaluate(const Trajectory& reference, const Trajectory& estimate,
                    const EvaluationOptions& options) {
  options.Validate();
  CheckTrajectory(reference, "the reference");
  CheckTrajectory(estimate, "the estimate");
  Evaluation result{};
  result.alignment = options.alignment;
  result.reference_poses = reference.size();
  result.estimate_poses = estimate.size();
  result.pairs = Associate(reference, estimate, std::llround(options.max_time_difference_s * 1e9));
  result.time_covered = TimeCovered(reference, result.pairs);

  const AlignedPoses ref{reference, result.pairs, &PosePair::reference, {}};
  const AlignedPoses unaligned{estimate, result.pairs, &PosePair::estimate, {}};
  const auto fit = [&](bool with_scale) {
    return FitSimilarity(
        ref.size(), [&](size_t i) { return unaligned[i].translation; },
        [&](size_t i) { return ref[i].translation; }, with_scale);
  };
  const SimilarityFit sim3 = fit(/*with_scale=*/true);
  result.fitted_scale = sim3.transform.scale;

  AlignedPoses est = unaligned;
  est.alignment = MoveTo(ref[0], unaligned[0]);
  AbsoluteErrors(ref, est, &result.ape_trans_m, &result.ape_rot_deg);
  result.ate_as_is = Summarise(result.ape_trans_m);
  result.are_as_is_deg = Summarise(result.ape_rot_deg);

  result.alignment_is_unique = true;
  switch (options.alignment) {
    case Alignment::kNone:
      est.alignment = {};
      break;
    case Alignment::kOrigin:
      break;
    case Alignment::kSe3: {
      const SimilarityFit se3 = fit(/*with_scale=*/false);
      est.alignment = se3.transform;
      result.alignment_is_unique = se3.unique;
      break;
    }
    case Alignment::kSim3:
      est.alignment = sim3.transform;
      result.alignment_is_unique = sim3.unique;
      break;
  }
  result.reference_from_estimate = est.alignment;

  AbsoluteErrors(ref, est, &result.ape_trans_m, &result.ape_rot_deg);
  RelativeErrors(ref, est, &result.rpe_trans_m, &result.rpe_rot_deg);
  result.ape_trans = Summarise(result.ape_trans_m);
  result.ape_rot = Summarise(result.ape_rot_deg);
  result.rpe_trans = Summarise(result.rpe_trans_m);
  result.rpe_rot = Summarise(result.rpe_rot_deg);
  result.t_rel_m = result.rpe_trans.mean;
  result.r_rel_deg = result.rpe_rot.mean;
  AddBaselines(ref, &result);
  result.kitti = KittiSegments(
      ref.size(), [&](size_t i) { return ref[i]; }, [&](size_t i) { return est[i]; });
  return result;
}

}  // namespace calfvo
