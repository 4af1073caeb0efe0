// SPDX-License-Identifier: Apache-2.0
#include "data/window_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "calfvo/error.h"
#include "core/portable/random.h"

namespace calfvo::train {
namespace {

using portable::Mix;
using portable::Random;

constexpr uint64_t kAttempts = 1000;

int64_t FrameCount(const std::vector<Rigid3>& poses) {
  return static_cast<int64_t>(poses.size());
}

// In [0, count), also where count is beyond int.
int64_t DrawIndex(int64_t count, Random& random) {
  const uint64_t bits = static_cast<uint64_t>(random.Bits()) << 32 | random.Bits();
  return static_cast<int64_t>(bits % static_cast<uint64_t>(count));
}

int DrawStream(const std::vector<StreamOptions>& streams, Random& random) {
  double left = 0.0;
  for (const StreamOptions& stream : streams) left += stream.share;
  left *= static_cast<double>(random.Uniform());
  int drawn = 0;
  for (int i = 0; i < static_cast<int>(streams.size()); ++i) {
    const double share = streams[static_cast<size_t>(i)].share;
    if (share <= 0.0) continue;
    drawn = i;
    left -= share;
    if (left < 0.0) break;
  }
  return drawn;
}

}  // namespace

void StreamOptions::Validate() const {
  const auto fail = [&](const char* field, auto value, const char* expected) {
    throw Error(fmt::format("stream '{}': {} is {}; expected {}", name, field, value, expected));
  };
  if (!(share >= 0.0 && share <= 1e9)) fail("share", share, "0 or more");
  if (min_stride < 1) fail("min_stride", min_stride, "1 or more");
  if (max_stride < min_stride || max_stride > 1000) fail("max_stride", max_stride, "min_stride to 1000");
  if (!(max_step_m > 0.0)) fail("max_step_m", max_step_m, "more than 0");
}

WindowSampler::WindowSampler(std::vector<StreamOptions> streams,
                             std::vector<std::vector<std::vector<Rigid3>>> poses, int frames)
    : streams_(std::move(streams)), poses_(std::move(poses)), long_enough_(streams_.size()), frames_(frames) {
  if (frames < 2) throw Error(fmt::format("windows of {} frames; expected 2 or more", frames));
  if (poses_.size() != streams_.size()) throw Error("as many streams as sets of sequences are needed");
  double shares = 0.0;
  for (size_t i = 0; i < streams_.size(); ++i) {
    streams_[i].Validate();
    shares += streams_[i].share;
    const int64_t needed = int64_t{frames - 1} * streams_[i].min_stride + 1;
    for (size_t j = 0; j < poses_[i].size(); ++j) {
      if (FrameCount(poses_[i][j]) >= needed) long_enough_[i].push_back(static_cast<int>(j));
    }
    if (!long_enough_[i].empty() || streams_[i].share == 0.0) continue;
    throw Error(fmt::format("stream '{}': none of its {} sequences has {} frames with poses in a row",
                            streams_[i].name, poses_[i].size(), needed));
  }
  if (!(shares > 0.0)) throw Error("the shares of all streams are zero; expected one above zero");
}

WindowChoice WindowSampler::Draw(uint64_t seed, int64_t step, int window) const {
  Random random(Mix(Mix(Mix(seed) + static_cast<uint64_t>(step)) + static_cast<uint64_t>(window)));
  WindowChoice choice;
  choice.stream = DrawStream(streams_, random);
  const auto stream = static_cast<size_t>(choice.stream);
  const StreamOptions& options = streams_[stream];
  for (uint64_t attempt = 0; attempt < kAttempts; ++attempt) {
    Random draw = random.Fork(attempt);
    const int sequences = static_cast<int>(long_enough_[stream].size());
    choice.sequence = long_enough_[stream][static_cast<size_t>(draw.Index(sequences))];
    const int64_t count = FrameCount(poses_[stream][static_cast<size_t>(choice.sequence)]);
    const int64_t fitting = std::min<int64_t>(options.max_stride, (count - 1) / (frames_ - 1));
    choice.stride = options.min_stride + draw.Index(static_cast<int>(fitting) - options.min_stride + 1);
    choice.start = DrawIndex(count - int64_t{choice.stride} * (frames_ - 1), draw);
    if (StepsAreSmall(choice)) return choice;
  }
  throw Error(fmt::format("stream '{}': of {} windows drawn none moves less than {} m from frame to frame",
                          options.name, kAttempts, options.max_step_m));
}

std::vector<Rigid3> WindowSampler::RelativePoses(const WindowChoice& choice) const {
  const auto& poses = poses_[static_cast<size_t>(choice.stream)][static_cast<size_t>(choice.sequence)];
  std::vector<Rigid3> relative;
  for (int i = 0; i + 1 < frames_; ++i) {
    const auto first = static_cast<size_t>(choice.start + int64_t{i} * choice.stride);
    relative.push_back(poses[first].Inverse() * poses[first + static_cast<size_t>(choice.stride)]);
  }
  return relative;
}

bool WindowSampler::StepsAreSmall(const WindowChoice& choice) const {
  const double limit_m = streams_[static_cast<size_t>(choice.stream)].max_step_m;
  const std::vector<Rigid3> steps = RelativePoses(choice);
  return std::all_of(steps.begin(), steps.end(),
                     [&](const Rigid3& step) { return step.translation.norm() <= limit_m; });
}

}  // namespace calfvo::train
