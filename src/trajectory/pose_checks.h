// SPDX-License-Identifier: Apache-2.0
// What is demanded of poses: of one that is read, whatever its format, and of a trajectory that somebody
// made.
#pragma once

#include <cstdint>
#include <string_view>

#include "calfvo/trajectory.h"
#include "trajectory/line_reader.h"

namespace calfvo {

// The quaternion with these coefficients, normalised. Files carry rounded digits, so a norm within 1 % of one
// is accepted; zero and anything else fails (most often the columns are in another order). A quaternion that
// has unit norm to the last bits is kept as it is, so that reading what was written changes nothing.
Quaternion CheckedQuaternion(const LineReader& reader, double x, double y, double z, double w);

// Appends a pose; its timestamp must be later than the last one's, and at most 292 years after the first.
void AppendChecked(const LineReader& reader, int64_t timestamp_ns, const Rigid3& world_from_camera,
                   Trajectory* trajectory);

// What a reader would not have given: throws Error, beginning with `name`, where lengths do not go together,
// times do not increase, span over 292 years or, without a clock, are no numbers of frames, where numbers are
// not finite or a quaternion's norm is not within 1e-6 of one. (That is single precision and some; what is
// computed with it is wrong by twice as much.) One pass, no memory.
void CheckTrajectory(const Trajectory& trajectory, std::string_view name);

}  // namespace calfvo
