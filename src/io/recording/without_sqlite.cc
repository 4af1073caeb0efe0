// SPDX-License-Identifier: Apache-2.0
// For builds without SQLite.
#include "calfvo/error.h"
#include "io/recording/recording.h"

namespace calfvo {

std::unique_ptr<Recording> OpenRosbag2(const std::filesystem::path& path) {
  throw Error(path.string() + ": this build has no SQLite and reads no rosbag2 .db3; convert it to MCAP");
}

}  // namespace calfvo
