// SPDX-License-Identifier: Apache-2.0
// Runs `calfvo` as users do. CALFVO_PROGRAM is its path.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/testing.h"

namespace calfvo {

struct Outcome {
  int exit_code;
  std::string out;
  std::string err;
};

// In `folder`, where it leaves stdout.txt and stderr.txt.
inline Outcome RunCalfvo(const std::filesystem::path& folder, const std::string& arguments) {
  const std::string command =
      "cd " + folder.string() + " && " + CALFVO_PROGRAM + " " + arguments + " >stdout.txt 2>stderr.txt";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadWholeFile(folder / "stdout.txt"),
          ReadWholeFile(folder / "stderr.txt")};
}

}  // namespace calfvo
