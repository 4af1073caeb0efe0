// SPDX-License-Identifier: Apache-2.0
// Feeds text to the readers of rgb.txt and times.txt, and its lines, as names, to the order of images. Times
// must increase, messages name the line, and the order must not depend on where a name stood before.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "calfvo/error.h"
#include "io/video/image_list.h"

namespace {

void Check(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

void CheckTimes(const std::vector<int64_t>& times) {
  for (size_t i = 1; i < times.size(); ++i) Check(times[i] > times[i - 1], "times increase");
}

template <typename Function>
void Read(Function&& function) {
  try {
    function();
  } catch (const calfvo::Error& error) {
    Check(std::string(error.what()).starts_with("fuzz:"), "the message names file and line");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Read([&] {
    std::istringstream stream(text);
    const calfvo::ImageList list = calfvo::ParseTumList(stream, "fuzz", "folder");
    Check(list.files.size() == list.timestamps_ns.size(), "one time per image");
    CheckTimes(list.timestamps_ns);
  });
  Read([&] {
    std::istringstream stream(text);
    CheckTimes(calfvo::ParseTimes(stream, "fuzz"));
  });
  std::vector<std::filesystem::path> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) names.emplace_back(line);
  const calfvo::ImageList list = calfvo::ListByName(names);
  Check(list.files.size() == names.size(), "no image is lost");
  CheckTimes(list.timestamps_ns);
  std::reverse(names.begin(), names.end());
  Check(calfvo::ListByName(names).files == list.files, "one order, whatever it was before");
  return 0;
}
