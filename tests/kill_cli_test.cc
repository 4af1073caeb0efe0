// SPDX-License-Identifier: Apache-2.0
// `calfvo` killed at any moment: what it leaves is whole, and the same command completes it.
#include <signal.h>

#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "core/base/sha256.h"
#include "refine/refiner.h"
#include "reliability_cli.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

// Kills commands at random moments until each has been killed `kKills` times, then lets it end: its files are
// those of a run that was never killed.
class KillCli : public ReliabilityCli {
 protected:
  static constexpr int kKills = 13;

  // The files below `folder` but those that hold times.
  std::map<std::string, std::string> Results(const std::string& folder) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(At(folder))) {
      const std::string name = entry.path().lexically_relative(At(folder)).string();
      const bool holds_times =
          name.ends_with(".json") || name.ends_with(".html") || name.starts_with("tables.");
      if (entry.is_regular_file() && !holds_times) files[name] = ReadWholeFile(entry.path());
    }
    return files;
  }
  // As run.json has it: of a file, or of the names and hashes of a series of images.
  static std::string Hash(const fs::path& file) {
    if (file.filename() != "*") return Sha256OfFile(file);
    std::map<std::string, std::string> images;
    for (const auto& entry : fs::directory_iterator(file.parent_path())) {
      images[entry.path().filename()] = Sha256OfFile(entry.path());
    }
    Sha256 hash;
    for (const auto& [name, content] : images) hash.Add(name + ' ' + content + '\n');
    return hash.Finish();
  }
  // JSON files are whole, and every run.json belongs to files that are all there, but for those that
  // unfinished.json names.
  void ExpectWholeOrAbsent(const std::string& folder) const {
    if (!fs::exists(At(folder))) return;
    for (const auto& entry : fs::recursive_directory_iterator(At(folder))) {
      if (entry.path().extension() != ".json") continue;
      const auto json = nlohmann::json::parse(ReadWholeFile(entry.path()));
      if (entry.path().filename() != "run.json") continue;
      const fs::path run = entry.path().parent_path();
      nlohmann::json unfinished;
      if (fs::exists(run / "unfinished.json")) {
        unfinished = nlohmann::json::parse(ReadWholeFile(run / "unfinished.json"))["files"];
      }
      for (const auto& [file, content] : json["files"].items()) {
        if (unfinished.contains(file)) continue;
        EXPECT_EQ(Hash(run / file), content["sha256"]) << file;
      }
    }
  }
  // `command` has FOLDER where the folder goes that it writes to, which `prepare` makes.
  void KillAndResume(
      const std::string& command,
      const std::function<void(const std::string& folder)>& prepare = [](auto&) {}) const {
    const auto into = [&](const std::string& folder) {
      std::string result = command;
      return result.replace(result.find("FOLDER"), 6, folder);
    };
    prepare("whole");
    prepare("out");
    const auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(Wait(Start(into("whole"))), 0);
    const auto duration = std::chrono::steady_clock::now() - start;
    std::mt19937 random(7);
    int killed = 0;
    for (int i = 0; i < 4 * kKills && killed < kKills; ++i) {
      const pid_t child = Start(into("out"));
      std::this_thread::sleep_for(duration * std::uniform_real_distribution(0.0, 0.9)(random));
      kill(child, SIGKILL);
      const bool was_killed = Wait(child) == -SIGKILL;
      killed += was_killed ? 1 : 0;
      ExpectWholeOrAbsent("out");
      if (was_killed) continue;
      EXPECT_EQ(Results("out"), Results("whole"));  // it had come to its end
      fs::remove_all(At("out"));
      prepare("out");
    }
    EXPECT_EQ(killed, kKills);
    ASSERT_EQ(Wait(Start(into("out"))), 0);
    EXPECT_EQ(Results("out"), Results("whole"));
  }
};

TEST_F(KillCli, Offline) {
  MakeClip("clip", 60);
  KillAndResume("run --model tiny.safetensors --threads 1 clip --gt clip/groundtruth.txt -o FOLDER");
}

TEST_F(KillCli, Live) {
  MakeClip("clip", 60);
  KillAndResume("run --model tiny.safetensors --threads 1 clip --live -o FOLDER");
}

TEST_F(KillCli, Manifest) {
  for (int i = 1; i <= 4; ++i) MakeClip("clip" + std::to_string(i), 20, i);
  Write("list.txt", "clip1\nclip2\nclip3\nclip4\n");
  KillAndResume("run --model tiny.safetensors --threads 1 --manifest list.txt --overwrite -o FOLDER");
}

TEST_F(KillCli, Suite) {
  for (int i = 1; i <= 4; ++i) MakeClip("data/clip" + std::to_string(i), 20, i);
  KillAndResume("suite --model tiny.safetensors --threads 1 --data data -o FOLDER");
}

TEST_F(KillCli, RefinedWithExports) {
  if (!CanRefine()) GTEST_SKIP() << "built without refinement";
  MakeClip("clip", 60, 1, "160x120");
  KillAndResume(
      "run --model tiny.safetensors --threads 1 clip --refine --export colmap,blender,mcap --images -o "
      "FOLDER");
}

TEST_F(KillCli, Export) {
  MakeClip("clip", 60);
  KillAndResume("export FOLDER colmap,nerfstudio,mcap,npz --images", [&](const std::string& folder) {
    ASSERT_EQ(RunVideo("--threads 1 clip -o " + folder).exit_code, 0);
  });
}

}  // namespace
}  // namespace calfvo
