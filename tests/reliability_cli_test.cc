// SPDX-License-Identifier: Apache-2.0
// Nothing lost, nothing wrong: `calfvo` among files that are not its own, and in limits.
#include "reliability_cli.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "core/base/sha256.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST_F(ReliabilityCli, FilesOfOthersSurviveInOutputFolders) {
  MakeClip("clip", 12);
  ASSERT_EQ(RunVideo("clip -o proj --export colmap --gt clip/groundtruth.txt").exit_code, 0);
  for (const char* name :
       {"proj/colmap/database.db", "proj/colmap/images/0.png", "proj/colmap/sparse/0/project.ini",
        "proj/report/notes.txt", "proj/.poses.csv.1-0.part"}) {
    Write(name);
  }
  fs::copy_file(At("clip/groundtruth.txt"), At("proj/report/truth.txt"));
  const Outcome again = RunVideo("clip -o proj --gt proj/report/truth.txt");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  for (const char* name :
       {"proj/colmap/database.db", "proj/colmap/images/0.png", "proj/colmap/sparse/0/project.ini",
        "proj/report/notes.txt", "proj/.poses.csv.1-0.part"}) {
    EXPECT_TRUE(IsMine(name)) << name;
  }
  EXPECT_FALSE(fs::exists(At("proj/colmap/sparse/0/images.bin")));  // of the run before
  EXPECT_EQ(ReadWholeFile(At("proj/report/truth.txt")), ReadWholeFile(At("clip/groundtruth.txt")));
}

// One command that writes single files into a folder: its own are replaced, those of others never.
class SingleFilesCli : public ReliabilityCli,
                       public testing::WithParamInterface<std::pair<const char*, const char*>> {
 protected:
  SingleFilesCli() {
    MakeClip("data/clip", 9);
    fs::copy(At("data/clip/groundtruth.txt"), At("truth.txt"));
    EXPECT_EQ(Calfvo("suite --model tiny.safetensors --quiet --data data -o suite").exit_code, 0);
  }
  Outcome CalfvoInto(const std::string& folder) const { return Calfvo(GetParam().first + folder); }
  void ExpectRefusal(const std::string& message) const {
    const Outcome outcome = CalfvoInto("out");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
};

TEST_P(SingleFilesCli, FilesOfOthersAreNotReplaced) {
  const std::string file = GetParam().second;
  Write("out/" + file);
  ExpectRefusal("out/" + file + ": already exists, and calfvo-files.json does not list it");
  EXPECT_TRUE(IsMine("out/" + file));
  EXPECT_EQ(std::distance(fs::directory_iterator(At("out")), fs::directory_iterator()), 1);

  fs::remove(At("out/" + file));
  Write("out/notes.txt");
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = CalfvoInto("out");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  EXPECT_TRUE(IsMine("out/notes.txt"));
  const auto list = nlohmann::json::parse(ReadWholeFile(At("out/calfvo-files.json")));
  EXPECT_EQ(list["files"][file]["sha256"], Sha256OfFile(At("out/" + file)));

  Write("out/" + file);
  ExpectRefusal("out/" + file + ": has changed since calfvo wrote it; move it away");
  EXPECT_TRUE(IsMine("out/" + file));
  Write("out/calfvo-files.json");
  ExpectRefusal("out/calfvo-files.json: is not a valid list");
  EXPECT_TRUE(IsMine("out/calfvo-files.json"));
}

INSTANTIATE_TEST_SUITE_P(
    Commands, SingleFilesCli,
    testing::Values(std::pair("eval --ref truth.txt --est truth.txt --plot ", "errors.svg"),
                    std::pair("eval --ref truth.txt --est truth.txt --plot ", "report.html"),
                    std::pair("attention data/clip --model tiny.safetensors --frames 1 -o ", "attention.png"),
                    std::pair("suite --model tiny.safetensors --quiet --data data -o ", "tables.txt"),
                    std::pair("suite --model tiny.safetensors --quiet --data data -o ", "calibration.png"),
                    std::pair("suite --compare suite -o ", "comparison.txt")));

TEST_F(ReliabilityCli, SingleOutputsAreReplacedOnlyOnRequest) {
  for (const char* command : {"convert tiny.safetensors -o ",
                              "bench --model tiny.safetensors --backend ref --seconds 0 --quiet --dump "}) {
    Write("out");
    const Outcome refused = Calfvo(command + std::string("out"));
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_EQ(refused.err, "error: out: already exists; --overwrite replaces it\n");
    EXPECT_EQ(refused.out, "");
    EXPECT_TRUE(IsMine("out"));
    const Outcome replaced = Calfvo(command + std::string("out --overwrite"));
    EXPECT_EQ(replaced.exit_code, 0) << replaced.err;
    EXPECT_FALSE(IsMine("out"));
    EXPECT_EQ(Calfvo(command + std::string("/dev/null")).exit_code, 0);
  }
}

TEST_F(ReliabilityCli, ARunNeverRemovesItsInput) {
  MakeClip("clip", 12);
  ASSERT_EQ(RunVideo("clip -o proj --export colmap").exit_code, 0);
  fs::copy(At("clip/rgb"), At("proj/colmap/images"));
  const Outcome outcome = RunVideo("proj/colmap/images -o proj --overwrite");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(At("proj/colmap/images/000011.png")));
  const Outcome truth = RunVideo("clip -o proj --overwrite --gt proj/trajectory.tum");
  EXPECT_EQ(truth.exit_code, 1);
  EXPECT_THAT(truth.err, HasSubstr("proj/trajectory.tum: the run would replace its own ground truth"));
}

TEST_F(ReliabilityCli, AForeignMarkerIsNotReplaced) {
  MakeClip("clip", 9);
  Write("out/unfinished.json");
  const Outcome outcome = RunVideo("clip -o out --overwrite");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err,
              HasSubstr("out/unfinished.json: already exists and was not created by `calfvo run`"));
  EXPECT_TRUE(IsMine("out/unfinished.json"));
}

TEST_F(ReliabilityCli, LiveOutputsFollowNoLink) {
  MakeClip("clip", 9);
  Write("precious");
  fs::create_directories(At("out"));
  fs::create_symlink(At("precious"), At("out/trajectory.tum"));
  for (const char* arguments : {"clip -o out --live", "clip -o out --live --overwrite"}) {
    EXPECT_EQ(RunVideo(arguments).exit_code, 1);
    EXPECT_TRUE(IsMine("precious"));
  }
}

TEST_F(ReliabilityCli, APipeInThePlaceOfAnOutputDoesNotHang) {
  MakeClip("clip", 9);
  fs::create_directories(At("out"));
  ASSERT_EQ(::mkfifo(At("out/poses.csv").c_str(), 0600), 0);
  for (const char* option : {"", " --overwrite"}) {
    EXPECT_EQ(RunProgram(folder_.path(), std::string("timeout 60 ") + CALFVO_PROGRAM +
                                             " run --model tiny.safetensors clip -o out" + option)
                  .exit_code,
              1);
  }
}

// One gets the folder, and what it leaves is whole.
TEST_F(ReliabilityCli, TwoRunsIntoOneFolder) {
  MakeClip("clip", 40);
  for (const char* live : {"", " --live"}) {
    for (int trial = 0; trial < 5; ++trial) {
      const std::string arguments = std::string("run --model tiny.safetensors clip -o out") + live;
      const pid_t first = Start(arguments);
      const pid_t second = Start(arguments);
      const int exit_codes[] = {Wait(first), Wait(second)};
      EXPECT_TRUE(exit_codes[0] == 0 || exit_codes[1] == 0) << exit_codes[0] << ' ' << exit_codes[1];
      const auto json = nlohmann::json::parse(ReadWholeFile(At("out/run.json")));
      for (const auto& [file, content] : json["files"].items()) {
        EXPECT_EQ(Sha256OfFile(At("out") / file), content["sha256"]) << file;
      }
      EXPECT_TRUE(json["files"].contains("trajectory.tum"));
    }
  }
}

TEST_F(ReliabilityCli, AManifestRunsAgainWhatHasLostAFile) {
  MakeClip("clip", 9);
  Write("list.txt", "clip\n");
  ASSERT_EQ(RunVideo("--manifest list.txt -o out").exit_code, 0);
  fs::remove(At("out/clip/trajectory.tum"));
  ASSERT_EQ(RunVideo("--manifest list.txt -o out").exit_code, 0);
  EXPECT_TRUE(fs::exists(At("out/clip/trajectory.tum")));
}

TEST_F(ReliabilityCli, AManifestRunsAgainWhatHasChanged) {
  MakeClip("one", 9);
  MakeClip("two", 9);
  Write("list.txt", "one\ntwo\n");
  const std::string command = "run --model tiny.safetensors --manifest list.txt -o out";
  ASSERT_EQ(Calfvo(command).exit_code, 0);
  fs::copy_file(At("one/rgb/000003.png"), At("one/rgb/000004.png"), fs::copy_options::overwrite_existing);
  const Outcome again = Calfvo(command);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("one: 9 frames"));
  EXPECT_THAT(again.out, HasSubstr("two: already done"));
  EXPECT_THAT(Calfvo(command).out, HasSubstr("one: already done"));
}

// A pipe whose end the test decides on.
class SlowVideo {
 public:
  explicit SlowVideo(const fs::path& path) {
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    pipe_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  }
  ~SlowVideo() { End(); }
  SlowVideo(const SlowVideo&) = delete;
  SlowVideo& operator=(const SlowVideo&) = delete;

  void Begin() const {
    std::string frames = "YUV4MPEG2 W64 H48 F30:1 C420\n";
    for (int i = 0; i < 5; ++i) frames += "FRAME\n" + std::string(64 * 48 * 3 / 2, static_cast<char>(i));
    EXPECT_EQ(::write(pipe_, frames.data(), frames.size()), static_cast<ssize_t>(frames.size()));
  }
  void End() {
    if (pipe_ >= 0) ::close(std::exchange(pipe_, -1));
  }

 private:
  int pipe_ = -1;
};

ino_t InodeOf(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

template <typename Condition>
void WaitUntil(const Condition& condition) {
  for (int i = 0; i < 3000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(condition());
}

TEST_F(ReliabilityCli, ProcessesShareAManifest) {
  MakeClip("one", 9);
  MakeClip("two", 9);
  SlowVideo slow(At("slow"));
  Write("list.txt", "slow\none\ntwo\n");
  const std::string command =
      "run --model tiny.safetensors --threads 1 --overwrite --manifest list.txt -o out";
  const fs::path marker = At("out/slow/unfinished.json");
  slow.Begin();
  const pid_t first = Start(command);
  WaitUntil([&] { return fs::exists(marker); });

  // The others are done; the slow one is left to its process.
  const Outcome second = Calfvo(command + " --no-wait");
  EXPECT_EQ(second.exit_code, 75);
  EXPECT_THAT(second.out, HasSubstr("[2/3] one: 9 frames"));
  EXPECT_THAT(second.out, HasSubstr("[3/3] two: 9 frames"));
  EXPECT_THAT(second.err, HasSubstr("1 of 3 inputs are not done; repeat the command"));
  const Outcome single = RunVideo("one -o out/slow");
  EXPECT_EQ(single.exit_code, 75);
  EXPECT_THAT(single.err, HasSubstr("out/slow: another calfvo process is writing to this folder"));

  // Whoever waits for a process that is killed runs its video.
  const std::string done = ReadWholeFile(At("out/one/run.json"));
  const pid_t third = Start(command);
  kill(first, SIGKILL);
  EXPECT_EQ(Wait(first), -SIGKILL);
  const ino_t abandoned = InodeOf(marker);
  slow.Begin();
  WaitUntil([&] { return fs::exists(marker) && InodeOf(marker) != abandoned; });
  slow.End();
  EXPECT_EQ(Wait(third), 0);
  EXPECT_TRUE(fs::exists(At("out/slow/run.json")));
  EXPECT_EQ(ReadWholeFile(At("out/one/run.json")), done);
}

TEST_F(ReliabilityCli, NamesThatAreNotUtf8AreDifferentInputs) {
  MakeClip("a", 9, 1);
  MakeClip("b", 9, 2);
  fs::rename(At("a"), At("n\xff"));
  fs::rename(At("b"), At("n\xfe"));
  Write("one.txt", "n\xff\tn\n");
  Write("two.txt", "n\xfe\tn\n");
  ASSERT_EQ(RunVideo("--manifest one.txt -o out").exit_code, 0);
  const Outcome other = RunVideo("--manifest two.txt -o out");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("/n\\xff; use another folder"));
}

TEST_F(ReliabilityCli, LimitsAreReportedAsErrors) {
  MakeClip("clip", 200);
  const Outcome outcome =
      RunProgram(folder_.path(), std::string("sh -c 'ulimit -f 8; exec ") + CALFVO_PROGRAM +
                                     " run --model tiny.safetensors --quiet clip -o out'");
  EXPECT_EQ(outcome.exit_code, 75);
  EXPECT_THAT(outcome.err, HasSubstr("File too large"));
  EXPECT_FALSE(fs::exists(At("out/run.json")));
}

#ifndef CALFVO_SANITIZED  // whose shadow memory needs terabytes of addresses
TEST_F(ReliabilityCli, LeavesAtOnceWhereThreadsCannotStart) {
  for (const int megabytes : {200, 400, 800}) {
    const Outcome outcome =
        RunProgram(folder_.path(), "timeout 60 sh -c 'ulimit -v " + std::to_string(1024 * megabytes) +
                                       "; exec " + CALFVO_PROGRAM + " info'");
    EXPECT_NE(outcome.exit_code, 124) << megabytes;  // that of timeout
  }
}

TEST_F(ReliabilityCli, AnInputTooLargeForMemoryDoesNotEndTheBatch) {
  MakeClip("clip", 9);
  Write("large/0.ppm", "P6\n16384 16384\n255\n");
  fs::resize_file(At("large/0.ppm"), 16384 * 16384 * 3 + 19);  // 805 MB, all a hole
  Write("list.txt", "large\nclip\n");
  const Outcome outcome =
      RunProgram(folder_.path(), std::string("sh -c 'ulimit -v 1500000; exec ") + CALFVO_PROGRAM +
                                     " run --model tiny.safetensors --threads 1 --manifest list.txt -o out'");
  EXPECT_EQ(outcome.exit_code, 75);
  EXPECT_THAT(outcome.err, HasSubstr("large: out of memory"));
  EXPECT_THAT(outcome.err, HasSubstr("1 of 2 inputs are not done; repeat the command"));
  EXPECT_TRUE(fs::exists(At("out/clip/trajectory.tum")));
}
#endif

TEST_F(ReliabilityCli, HangupStopsARunLikeTermination) {
  MakeClip("clip", 300);
  const pid_t child = Start("run --model tiny.safetensors clip -o out --live");
  for (int i = 0; i < 500 && !fs::exists(At("out/poses.csv")); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  kill(child, SIGHUP);
  EXPECT_EQ(Wait(child), 0);
  EXPECT_TRUE(fs::exists(At("out/run.json")));
}

}  // namespace
}  // namespace calfvo
