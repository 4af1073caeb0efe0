// SPDX-License-Identifier: Apache-2.0
// The readers and writers, one pair per file beside this one; trajectory.cc holds the table that chooses
// among them. To add a format: write its file, declare it here, add its row there and its page in
// docs/formats.md.
//
// The Append… functions write one pose, for trajectories that are written while they grow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "calfvo/trajectory.h"
#include "core/base/atomic_file.h"
#include "core/base/line_reader.h"

namespace calfvo {

// What stands for the time from one pose to the next where a format has none.
inline constexpr int64_t kFrameNs = 1'000'000'000;

// `timestamp tx ty tz qx qy qz qw`, seconds and metres.
bool LooksLikeTum(std::string_view line);
Trajectory ReadTum(LineReader& reader);
void WriteTum(const Trajectory& trajectory, AtomicFile& file);
inline constexpr std::string_view kTumHeader = "# timestamp tx ty tz qx qy qz qw\n";
void AppendTumLine(int64_t timestamp_ns, const Rigid3& pose, std::string* text);

// Twelve numbers: the rows of the 3×4 matrix world_from_camera. No timestamps.
bool LooksLikeKitti(std::string_view line);
Trajectory ReadKitti(LineReader& reader);
void WriteKitti(const Trajectory& trajectory, AtomicFile& file);
void AppendKittiLine(const Rigid3& pose, std::string* text);

// `timestamp,px,py,pz,qw,qx,qy,qz[,…]`, nanoseconds and metres. Columns past the eighth (velocities, biases)
// are checked to be numbers and dropped.
bool LooksLikeEuroc(std::string_view line);
Trajectory ReadEuroc(LineReader& reader);
void WriteEuroc(const Trajectory& trajectory, AtomicFile& file);

// calfvo's own: a header row, then pose and, where known, the upper triangle of its covariance. Columns after
// those are not read.
bool LooksLikeCsv(std::string_view line);
Trajectory ReadCsv(LineReader& reader);
void WriteCsv(const Trajectory& trajectory, AtomicFile& file);
// Header and row without line endings, so that a writer may add columns. `covariance` may be null. `time` is
// in nanoseconds, or the frame's number where the trajectory has no clock.
std::string CsvHeader(bool has_time, bool has_covariance);
void AppendCsvRow(int64_t time, const Rigid3& pose, const Matrix6* covariance, std::string* text);

// NumPy's np.load: timestamps_ns [N], positions [N,3], quaternions_xyzw [N,4] and, where known, covariances
// [N,6,6].
void WriteNpz(const Trajectory& trajectory, AtomicFile& file);

}  // namespace calfvo
