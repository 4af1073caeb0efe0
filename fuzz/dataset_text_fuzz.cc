// SPDX-License-Identifier: Apache-2.0
// Feeds text to the readers of split lists and of pose matrices. Poses must be rigid motions.
#include <cmath>

#include "io/datasets/pose_text.h"
#include "io/datasets/split.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path = calfvo::MemoryFile({reinterpret_cast<const char*>(data), size});
  calfvo::ExpectErrorsToName(path, [&] { calfvo::Split{path}.Missing({}); });
  calfvo::ExpectErrorsToName(path, [&] {
    const auto pose = calfvo::ReadMatrixPose(path);
    if (!pose) return;
    calfvo::Check(std::abs(pose->rotation.norm() - 1.0) < 1e-12, "unit quaternions");
    calfvo::Check(pose->translation.allFinite(), "finite positions");
  });
  return 0;
}
