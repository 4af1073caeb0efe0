// SPDX-License-Identifier: Apache-2.0
// Runs `calfvo` and other programs as users do. CALFVO_PROGRAM is its path.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/base/testing.h"

namespace calfvo {

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

// In `folder`, where it leaves stdout.txt and stderr.txt.
inline Outcome RunProgram(const std::filesystem::path& folder, const std::string& command) {
  const std::string line = "cd " + folder.string() + " && " + command + " >stdout.txt 2>stderr.txt";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadWholeFile(folder / "stdout.txt"),
          ReadWholeFile(folder / "stderr.txt")};
}

inline Outcome RunCalfvo(const std::filesystem::path& folder, const std::string& arguments) {
  return RunProgram(folder, std::string(CALFVO_PROGRAM) + " " + arguments);
}

}  // namespace calfvo
