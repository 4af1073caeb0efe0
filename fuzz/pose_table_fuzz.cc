// SPDX-License-Identifier: Apache-2.0
// poses.csv of a run folder, and loops.csv.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "calfvo/error.h"
#include "commands/page/pose_table.h"
#include "commands/page/run_document.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    std::istringstream stream(text);
    calfvo::ReadPoseTable(stream, "fuzz", /*max_poses=*/16).ColumnsJson(1);
  } catch (const calfvo::Error&) {
  }
  try {
    std::istringstream stream(text);
    calfvo::ReadLoops(stream, "fuzz");
  } catch (const calfvo::Error&) {
  }
  return 0;
}
