// SPDX-License-Identifier: Apache-2.0
// A folder with a tiny model, in which tests run `calfvo` on short clips. Included by tests only.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "nn/architecture/model_file.h"
#include "run_program.h"
#include "vo/tiny_model.h"

namespace calfvo {

class ReliabilityCli : public testing::Test {
 protected:
  ReliabilityCli() {
    const ModelFile model = RandomModel(TinyConfig(), 1);
    SaveModelFile(model.config, *model.weights, DType::kF32, At("tiny.safetensors"));
  }

  std::filesystem::path At(const std::string& name) const { return folder_.path() / name; }
  Outcome Calfvo(const std::string& arguments) const { return RunCalfvo(folder_.path(), arguments); }
  Outcome RunVideo(const std::string& arguments) const {
    return Calfvo("run --model tiny.safetensors --quiet " + arguments);
  }
  void MakeClip(const std::string& name, int frames, int seed = 1, const std::string& size = "64x48") const {
    const Outcome outcome =
        Calfvo("synth room --size " + size + " --quiet --no-video --frames " + std::to_string(frames) +
               " --seed " + std::to_string(seed) + " -o " + name);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  void Write(const std::string& name, const std::string& text = "mine") const {
    std::filesystem::create_directories(At(name).parent_path());
    std::ofstream(At(name)) << text;
  }
  bool IsMine(const std::string& name) const { return ReadWholeFile(At(name)) == "mine"; }

  pid_t Start(const std::string& arguments) const {
    const std::string command =
        "cd " + folder_.path().string() + " && exec " + CALFVO_PROGRAM + " " + arguments + " >/dev/null 2>&1";
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    return child;
  }
  static int Wait(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  const TempFolder folder_;
};

}  // namespace calfvo
