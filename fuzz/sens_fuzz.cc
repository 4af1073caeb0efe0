// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to the reader of ScanNet's .sens files. What it accepts must lie within the file, and messages
// must name it. PNG and JPEG are not decoded: a few bytes of them may rightly take a gigabyte.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "calfvo/error.h"
#include "datasets/sens_file.h"
#include "frames/image_decoder.h"

namespace {

void Check(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

// The path of a file in memory with these bytes, the same file each time.
std::string PathOf(std::string_view bytes) {
  static const int file = ::memfd_create("sens", 0);
  Check(::ftruncate(file, 0) == 0 &&
            ::pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
        "a file in memory");
  return "/proc/self/fd/" + std::to_string(file);
}

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
    calfvo::Frame picture;
    if (!is_compressed) file.ReadColor(i, picture);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string path = PathOf(bytes);
  try {
    CheckPromises(calfvo::SensFile(path), bytes);
  } catch (const calfvo::Error& error) {
    Check(std::string_view(error.what()).starts_with(path + ": "), "a message that names the file");
  }
  return 0;
}
