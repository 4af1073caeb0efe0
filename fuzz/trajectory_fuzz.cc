// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to the reader of CALFVO_FUZZ_FORMAT ("auto" detects). Whatever it accepts must have the
// promised properties and survive being written and read again.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "calfvo/error.h"
#include "calfvo/trajectory.h"
#include "core/base/testing.h"

namespace {

using calfvo::Trajectory;
using calfvo::TrajectoryFormat;

void Check(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

void CheckPromises(const Trajectory& trajectory) {
  Check(!trajectory.empty(), "a trajectory that was read has poses");
  Check(trajectory.timestamps_ns.size() == trajectory.size(), "one timestamp per pose");
  Check(trajectory.covariances.empty() || trajectory.covariances.size() == trajectory.size(),
        "all covariances or none");
  for (size_t i = 0; i < trajectory.size(); ++i) {
    const calfvo::Rigid3& pose = trajectory.world_from_camera[i];
    Check(std::abs(pose.rotation.norm() - 1.0) < 1e-12, "unit quaternions");
    Check(pose.translation.allFinite(), "finite positions");
    Check(i == 0 || trajectory.timestamps_ns[i] > trajectory.timestamps_ns[i - 1], "increasing time");
  }
}

// A file of this process, removed at its end.
std::filesystem::path ScratchPath() {
  static const calfvo::TempFolder folder;
  return folder.path() / "trajectory";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr std::string_view kFormat = CALFVO_FUZZ_FORMAT;
  std::optional<TrajectoryFormat> format;
  if (kFormat != "auto") format = calfvo::TrajectoryFormatFromName(kFormat);
  std::istringstream stream(std::string(reinterpret_cast<const char*>(data), size));
  Trajectory trajectory;
  try {
    trajectory = calfvo::ReadTrajectory(stream, "fuzz", format);
  } catch (const calfvo::Error&) {
    return 0;
  }
  CheckPromises(trajectory);
  const TrajectoryFormat written = format.value_or(TrajectoryFormat::kCsv);
  calfvo::WriteTrajectory(trajectory, ScratchPath(), written);
  const Trajectory again = calfvo::ReadTrajectory(ScratchPath(), written);
  CheckPromises(again);
  Check(again.size() == trajectory.size(), "as many poses after a round trip");
  Check(again.timestamps_ns == trajectory.timestamps_ns, "the same times after a round trip");
  return 0;
}
