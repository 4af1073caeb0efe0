// SPDX-License-Identifier: Apache-2.0
// A folder whose run.json, unfinished.json and calfvo-files.json come from anyone: a run keeps every file
// that it does not record.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "calfvo/error.h"
#include "commands/run/run_folder.h"
#include "core/base/owned_files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace fs = std::filesystem;
  static const fs::path root = [] {
    char name[] = "/tmp/calfvo-fuzz-XXXXXX";
    return fs::path(::mkdtemp(name));
  }();
  const fs::path folder = root / "out";
  fs::create_directories(folder / "report");
  for (const char* name : {"notes.txt", "report/mine.txt", "../outside"})
    std::ofstream(folder / name) << "mine";
  for (const char* name : {"run.json", "unfinished.json", "calfvo-files.json"}) {
    std::ofstream(folder / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  }
  try {
    const calfvo::RunFolder run(
        {.folder = folder, .input = "video.mp4", .files = {"poses.csv"}, .overwrite = true});
  } catch (const calfvo::Error&) {
  }
  try {
    const calfvo::OwnedFiles files(folder, {"path.png"});
    files.Finish();
  } catch (const calfvo::Error&) {
  }
  for (const char* name : {"notes.txt", "report/mine.txt", "../outside"}) {
    if (fs::exists(folder / name)) continue;
    std::fprintf(stderr, "broken promise: %s was not written by calfvo\n", name);
    std::abort();
  }
  return 0;
}
