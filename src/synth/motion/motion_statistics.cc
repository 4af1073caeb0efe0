// SPDX-License-Identifier: Apache-2.0
#include "synth/motion/motion_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "synth/motion/rotation.h"

namespace calfvo::motion {
namespace {

std::array<double, 6> Quantiles(std::vector<double> values) {
  std::array<double, 6> quantiles{};
  if (values.empty()) return quantiles;
  std::sort(values.begin(), values.end());
  for (size_t i = 0; i < quantiles.size(); ++i) {
    const double position = kQuantileLevels[i] * static_cast<double>(values.size() - 1);
    const auto below = static_cast<size_t>(position);
    const size_t above = std::min(below + 1, values.size() - 1);
    const double part = position - static_cast<double>(below);
    quantiles[i] = values[below] + part * (values[above] - values[below]);
  }
  return quantiles;
}

double Autocorrelation(const std::vector<Vec3>& values) {
  Vec3 mean;
  for (const Vec3& value : values) mean += value / static_cast<float>(values.size());
  double product = 0.0;
  double power = 0.0;
  for (size_t i = 1; i < values.size(); ++i) {
    const Vec3 a = values[i - 1] - mean;
    const Vec3 b = values[i] - mean;
    product += Dot(a, b);
    power += 0.5 * (Dot(a, a) + Dot(b, b));
  }
  return power > 0.0 ? product / power : 0.0;
}

}  // namespace

std::vector<MotionClip> RecordedClips(const RealPathsView& view) {
  std::vector<MotionClip> clips;
  for (int i = 0; i < view.count; ++i) {
    const float* record = view.records + static_cast<ptrdiff_t>(i) * kRealRecordFloats;
    if (record[10] == 0.0F) clips.emplace_back();
    if (record[9] > 0.0F) clips.back().push_back(internal::RecordMotion(record, 1.0F));
  }
  return clips;
}

MotionStatistics MeasureMotion(const std::vector<MotionClip>& clips) {
  std::vector<double> translations_m;
  std::vector<double> rotations_deg;
  MotionStatistics statistics;
  int clip_count = 0;
  for (const MotionClip& clip : clips) {
    if (clip.size() < 2) continue;
    std::vector<Vec3> clip_translations;
    std::vector<Vec3> clip_rotations;
    for (const Pose& motion : clip) {
      const Vec3 t = motion.translation;
      clip_translations.push_back(t);
      clip_rotations.push_back(LogRotation(motion.rotation));
      translations_m.push_back(Norm(t));
      rotations_deg.push_back(Norm(clip_rotations.back()) * 180.0 / std::numbers::pi);
      statistics.mean_abs_translation_m[0] += std::abs(t.x);
      statistics.mean_abs_translation_m[1] += std::abs(t.y);
      statistics.mean_abs_translation_m[2] += std::abs(t.z);
    }
    statistics.translation_autocorrelation += Autocorrelation(clip_translations);
    statistics.rotation_autocorrelation += Autocorrelation(clip_rotations);
    ++clip_count;
  }
  if (clip_count == 0) return statistics;
  for (double& mean : statistics.mean_abs_translation_m) mean /= static_cast<double>(translations_m.size());
  statistics.translation_autocorrelation /= clip_count;
  statistics.rotation_autocorrelation /= clip_count;
  statistics.translation_m = Quantiles(std::move(translations_m));
  statistics.rotation_deg = Quantiles(std::move(rotations_deg));
  return statistics;
}

std::string FormatStatistics(const MotionStatistics& statistics) {
  const auto& t = statistics.translation_m;
  const auto& r = statistics.rotation_deg;
  return fmt::format(
      "t {:.4f} {:.4f} {:.4f} {:.4f} {:.4f} {:.4f}  r {:.3f} {:.3f} {:.3f} {:.3f} {:.3f} {:.3f}  ac {:.2f} / "
      "{:.2f}",
      t[0], t[1], t[2], t[3], t[4], t[5], r[0], r[1], r[2], r[3], r[4], r[5],
      statistics.translation_autocorrelation, statistics.rotation_autocorrelation);
}

}  // namespace calfvo::motion
