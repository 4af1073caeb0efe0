// SPDX-License-Identifier: Apache-2.0
// Segments of recorded camera paths, sampled on host or GPU from one flat array that RealPaths packs.
#pragma once

#include <cmath>

#include "core/portable/host_device.h"
#include "core/portable/random.h"
#include "core/portable/vec3.h"
#include "synth/motion/rotation.h"

namespace calfvo::motion {

// One record per pose of a path, paths one after the other:
//   0–2  rotation vector of the motion to the next pose, radians
//   3–5  its translation, metres: together camera_prev_from_camera_next, camera axes
//   6–8  unit vector of gravity (downwards) in the camera at this pose
//   9    how many poses follow in this path
//   10   how many poses precede in this path
// The motion of a path's last record is zero and never used.
inline constexpr int kRealRecordFloats = 11;

// Borrows records: in host memory for host code, in device memory for kernels.
struct RealPathsView {
  const float* records = nullptr;
  int count = 0;
};

struct RealSegmentOptions {
  // Speed of play against the recording, drawn log-uniformly. 1 and 1 copies the source's frames exactly.
  float min_rate = 0.5F;
  float max_rate = 2.0F;
  float flip_probability = 0.5F;      // left and right swapped
  float reverse_probability = 0.25F;  // played backwards
};

// Properties of a whole segment.
struct RealSegment {
  // Gravity in the first camera: an attitude that agrees with it makes the segment plausible in a scene.
  Vec3 down_in_camera{0.0F, 1.0F, 0.0F};
  float rate = 1.0F;
};

namespace internal {

CALFVO_HD Vec3 RecordVector(const float* record, int offset) {
  return {record[offset], record[offset + 1], record[offset + 2]};
}

// The motion from one pose to the pose `amount` of an interval later, at most to the record's next pose.
CALFVO_HD Pose RecordMotion(const float* record, float amount) {
  return {ExpRotation(RecordVector(record, 0) * amount), RecordVector(record, 3) * amount};
}

// first_from_now for a moment `time` intervals after `first`, walking on from `*index` whole intervals.
struct PathWalk {
  const float* record = nullptr;
  Pose first_from_record;
  int index = 0;

  CALFVO_HD Pose At(float time, int last) {
    while (index + 1 <= static_cast<int>(time) && index < last) {
      first_from_record = first_from_record * RecordMotion(record, 1.0F);
      record += kRealRecordFloats;
      ++index;
    }
    const float part = time - static_cast<float>(index);
    return part > 0.0F && index < last ? first_from_record * RecordMotion(record, part) : first_from_record;
  }
};

CALFVO_HD Pose Flipped(const Pose& pose) {
  const Mat3& r = pose.rotation;
  return {Mat3{{r.x.x, -r.x.y, -r.x.z}, {-r.y.x, r.y.y, r.y.z}, {-r.z.x, r.z.y, r.z.z}},
          {-pose.translation.x, pose.translation.y, pose.translation.z}};
}

}  // namespace internal

// Draws `count` ≥ 1 frames of a random path, from a random frame on, into first_from_camera[0 … count − 1];
// the first is the identity. Paths are drawn in proportion to their length. Where a path is too short for the
// rate drawn, the rate is lowered so that the segment fits. `view` must not be empty.
CALFVO_HD RealSegment SampleRealSegment(const RealPathsView& view, const RealSegmentOptions& options,
                                        portable::Random& random, int count, Pose* first_from_camera) {
  const float* record = view.records + static_cast<long long>(random.Index(view.count)) * kRealRecordFloats;
  float rate = options.min_rate;
  if (options.max_rate > options.min_rate) {
    rate = options.min_rate * powf(options.max_rate / options.min_rate, random.Uniform());
  }
  const bool flip = random.Chance(options.flip_probability);
  const bool reverse = random.Chance(options.reverse_probability);

  // Step back from the end of the path as far as the segment needs.
  const int path_intervals = static_cast<int>(record[9] + record[10]);
  const int frames_after_first = count - 1;
  if (rate * static_cast<float>(frames_after_first) > static_cast<float>(path_intervals)) {
    rate = static_cast<float>(path_intervals) / static_cast<float>(frames_after_first);
  }
  const float length = rate * static_cast<float>(frames_after_first);
  int needed = static_cast<int>(ceilf(length));
  if (needed > path_intervals) needed = path_intervals;
  const int missing = needed - static_cast<int>(record[9]);
  if (missing > 0) record -= missing * kRealRecordFloats;

  internal::PathWalk walk{record, Pose{}, 0};
  for (int i = 0; i < count; ++i) {
    const int slot = reverse ? count - 1 - i : i;
    first_from_camera[slot] = walk.At(rate * static_cast<float>(i), needed);
  }
  RealSegment segment{internal::RecordVector(record, 6), rate};
  if (reverse) {
    // The recorded end is now the start.
    segment.down_in_camera = Transposed(first_from_camera[0].rotation) * segment.down_in_camera;
    const Pose new_first_from_old = Inverse(first_from_camera[0]);
    for (int i = 0; i < count; ++i) first_from_camera[i] = new_first_from_old * first_from_camera[i];
  }
  first_from_camera[0] = Pose{};
  if (flip) {
    segment.down_in_camera.x = -segment.down_in_camera.x;
    for (int i = 0; i < count; ++i) first_from_camera[i] = internal::Flipped(first_from_camera[i]);
  }
  return segment;
}

}  // namespace calfvo::motion
