// SPDX-License-Identifier: Apache-2.0
// Feeds text to the reader of manifests. Every input must get a folder of its own, below the output folder.
#include <set>

#include "commands/run/manifest.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path = calfvo::MemoryFile({reinterpret_cast<const char*>(data), size});
  calfvo::ExpectErrorsToName(path, [&] {
    std::set<std::string> names;
    for (const calfvo::ManifestEntry& entry : calfvo::ReadManifest(path)) {
      calfvo::Check(!entry.input.empty(), "no empty input");
      calfvo::Check(names.insert(entry.name).second, "one folder per input");
      calfvo::Check(!entry.name.empty() && entry.name[0] != '.', "a visible folder");
      calfvo::Check(entry.name.find('/') == std::string::npos, "a folder directly below the output");
    }
    calfvo::Check(!names.empty(), "a manifest has inputs");
  });
  return 0;
}
