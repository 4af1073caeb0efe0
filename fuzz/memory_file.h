// SPDX-License-Identifier: Apache-2.0
// Input of fuzz targets for readers that take a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "calfvo/error.h"

namespace calfvo {

inline void Check(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

// The path of a file in memory with these bytes, the same file each time.
inline std::string MemoryFile(std::string_view bytes) {
  static const int file = ::memfd_create("fuzz", 0);
  Check(::ftruncate(file, 0) == 0 &&
            ::pwrite(file, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
        "a file in memory");
  return "/proc/self/fd/" + std::to_string(file);
}

// Runs a reader of `path`; what it throws must name the file.
template <typename Function>
void ExpectErrorsToName(const std::string& path, Function&& read) {
  try {
    read();
  } catch (const Error& error) {
    Check(std::string_view(error.what()).starts_with(path + ":"), "a message that names the file");
  }
}

}  // namespace calfvo
