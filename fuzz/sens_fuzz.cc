// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to the reader of ScanNet's .sens files. What it accepts must lie within the file, and messages
// must name it. PNG and JPEG are not decoded: a few bytes of them may rightly take a gigabyte.
#include <cmath>

#include "core/image/image_decoder.h"
#include "io/datasets/sens_file.h"
#include "memory_file.h"

namespace {

using calfvo::Check;

void CheckPromises(const calfvo::SensFile& file, std::string_view bytes) {
  Check(!file.frames().empty(), "a file that was read has frames");
  for (size_t i = 0; i < file.frames().size(); ++i) {
    const calfvo::SensFile::FrameEntry& frame = file.frames()[i];
    Check(frame.color_bytes <= bytes.size() && frame.color_offset <= bytes.size() - frame.color_bytes,
          "colour within the file");
    if (frame.world_from_camera) {
      Check(std::abs(frame.world_from_camera->rotation.norm() - 1.0) < 1e-12, "unit quaternions");
      Check(frame.world_from_camera->translation.allFinite(), "finite positions");
    }
    const bool is_compressed = calfvo::LooksLikeImage(bytes.substr(frame.color_offset, frame.color_bytes));
    calfvo::Frame image;
    if (!is_compressed) file.ReadColor(i, image);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string path = calfvo::MemoryFile(bytes);
  calfvo::ExpectErrorsToName(path, [&] { CheckPromises(calfvo::SensFile(path), bytes); });
  return 0;
}
