// SPDX-License-Identifier: Apache-2.0
// The readers and writers, one pair per file beside this one; trajectory.cc holds the table that chooses
// among them. To add a format: write its file, declare it here, add its row there and its page in
// docs/formats.md.
#pragma once

#include <string_view>

#include "base/atomic_file.h"
#include "calfvo/trajectory.h"
#include "trajectory/line_reader.h"

namespace calfvo {

// `timestamp tx ty tz qx qy qz qw`, seconds and metres.
bool LooksLikeTum(std::string_view line);
Trajectory ReadTum(LineReader& reader);
void WriteTum(const Trajectory& trajectory, AtomicFile& file);

// Twelve numbers: the rows of the 3×4 matrix world_from_camera. No timestamps.
bool LooksLikeKitti(std::string_view line);
Trajectory ReadKitti(LineReader& reader);
void WriteKitti(const Trajectory& trajectory, AtomicFile& file);

// `timestamp,px,py,pz,qw,qx,qy,qz[,…]`, nanoseconds and metres. Columns past the eighth (velocities, biases)
// are checked to be numbers and dropped.
bool LooksLikeEuroc(std::string_view line);
Trajectory ReadEuroc(LineReader& reader);
void WriteEuroc(const Trajectory& trajectory, AtomicFile& file);

// calfvo's own: a header row, then pose and, where known, the upper triangle of its covariance.
bool LooksLikeCsv(std::string_view line);
Trajectory ReadCsv(LineReader& reader);
void WriteCsv(const Trajectory& trajectory, AtomicFile& file);

// NumPy's np.load: timestamps_ns [N], positions [N,3], quaternions_xyzw [N,4] and, where known, covariances
// [N,6,6].
void WriteNpz(const Trajectory& trajectory, AtomicFile& file);

}  // namespace calfvo
