// SPDX-License-Identifier: Apache-2.0
#include "commands/run/input_state.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "calfvo/error.h"
#include "commands/run/run_input.h"
#include "core/base/sha256.h"
#include "io/datasets/sequence.h"
#include "io/video/frame_source.h"

namespace calfvo {
namespace {

// Names may hold line breaks, so their lengths come first.
void AddText(const std::string& text, Sha256& hash) {
  hash.Add(fmt::format("{} {}\n", text.size(), text));
}

std::string FileText(const std::filesystem::path& path) {
  struct stat status {};
  const std::string name = path.filename().string();
  if (::stat(path.c_str(), &status) != 0) return name + " is missing";
  return fmt::format("{} {} {}.{:09}", name, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string SequenceState(const Sequence& sequence) {
  Sha256 hash;
  for (const SequenceFrame& frame : sequence.frames()) {
    AddText(frame.image.substr(frame.image.rfind('/') + 1), hash);
    AddText(fmt::format("{}", frame.timestamp_ns), hash);
  }
  return hash.Finish();
}

std::string FilesState(const ImageList& list) {
  if (list.files.empty()) return "";
  Sha256 hash;
  for (const std::filesystem::path& file : list.files) AddText(FileText(file), hash);
  for (const int64_t time : list.timestamps_ns) AddText(fmt::format("{}", time), hash);
  return hash.Finish();
}

}  // namespace

std::string InputState(const std::string& input) {
  try {
    if (!input.starts_with(kDatasetPrefix)) return FilesState(InputFiles(input));
    return SequenceState(*OpenSequence(std::filesystem::path(InputPath(input))));
  } catch (const Error&) {  // opening the input says why
    return "";
  }
}

}  // namespace calfvo
