// SPDX-License-Identifier: Apache-2.0
// Feeds bytes to the reader of y4m, as a file in memory. Frames must have their size, times must increase,
// and messages must be short lines that name the file.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "calfvo/error.h"
#include "io/video/source_kinds.h"

namespace {

void Check(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int descriptor = ::memfd_create("fuzz", MFD_CLOEXEC);
  Check(::write(descriptor, data, size) == static_cast<ssize_t>(size), "the file could be written");
  ::lseek(descriptor, 0, SEEK_SET);
  try {
    const auto source = calfvo::OpenY4m(descriptor, "fuzz", {});
    calfvo::Frame frame;
    int64_t last_ns = -1;
    while (source->Next(frame)) {
      Check(frame.timestamp_ns > last_ns, "times increase");
      last_ns = frame.timestamp_ns;
      Check(frame.width > 0 && frame.height > 0, "frames have a size");
      Check(calfvo::IsPixelAspect(frame.pixel_aspect), "pixels have a sane shape");
      Check(frame.rgb.size() ==
                size_t{3} * static_cast<size_t>(frame.width) * static_cast<size_t>(frame.height),
            "frames have all their pixels");
    }
  } catch (const calfvo::Error& error) {
    const std::string_view message = error.what();
    Check(message.starts_with("fuzz: ") && message.size() < 500, "a short message that names the file");
    Check(std::none_of(message.begin(), message.end(), [](char c) { return c >= 0 && c < ' '; }),
          "the message is one line without control codes");
  }
  return 0;
}
