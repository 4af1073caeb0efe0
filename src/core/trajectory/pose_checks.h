// SPDX-License-Identifier: Apache-2.0
// Checks of poses: of each pose read from a file, and of a whole trajectory.
#pragma once

#include <cstdint>
#include <string_view>

#include "calfvo/trajectory.h"
#include "core/base/line_reader.h"

namespace calfvo {

// The quaternion with these coefficients, normalised. Files carry rounded digits, so a norm within 1 % of one
// is accepted; zero and anything else fails (most often the columns are in another order). A quaternion that
// has unit norm to the last bits is kept as it is, so that reading what was written changes nothing.
Quaternion CheckedQuaternion(const LineReader& reader, double x, double y, double z, double w);

// Appends a pose. Its timestamp must be later than the last one's and at most 292 years after the first, its
// coordinates within ±1e12 m.
void AppendChecked(const LineReader& reader, int64_t timestamp_ns, const Rigid3& world_from_camera,
                   Trajectory* trajectory);

// Throws Error, beginning with `name`, if the lengths differ; if times do not increase, span over 292 years
// or, without a clock, are not whole numbers of frames; if a number is not finite or a coordinate is beyond
// ±1e12 m; or if a quaternion's norm is not within 1e-6 of one, which single precision satisfies. One pass,
// without allocation.
void CheckTrajectory(const Trajectory& trajectory, std::string_view name);

}  // namespace calfvo
