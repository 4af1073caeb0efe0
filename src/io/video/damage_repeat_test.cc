// SPDX-License-Identifier: Apache-2.0
// A damaged video gives the same frames, times and damage marks for any number of cores and any load.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <random>
#include <thread>

#include "io/video/test_media.h"

namespace calfvo {
namespace {

struct Codec {
  const char* file;  // its extension chooses the container
  const char* encoder;
};

std::ostream& operator<<(std::ostream& out, const Codec& codec) {
  return out << codec.file;
}

// The cores of this thread and of the threads it starts, until destroyed.
class LimitCores {
 public:
  explicit LimitCores(int count) {
    sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&wanted) < count; ++i) {
      if (CPU_ISSET(i, &before_)) CPU_SET(i, &wanted);
    }
    sched_setaffinity(0, sizeof(wanted), &wanted);
  }
  ~LimitCores() { sched_setaffinity(0, sizeof(before_), &before_); }
  LimitCores(const LimitCores&) = delete;
  LimitCores& operator=(const LimitCores&) = delete;

 private:
  cpu_set_t before_;
};

// Threads that keep the cores busy, until destroyed.
class BusyThreads {
 public:
  explicit BusyThreads(int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        while (!stop_) {
        }
      });
    }
  }
  ~BusyThreads() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  BusyThreads(const BusyThreads&) = delete;
  BusyThreads& operator=(const BusyThreads&) = delete;

 private:
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

// One line per frame, or the error.
std::vector<std::string> Digest(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  const std::string error = ErrorFrom([&] {
    const auto source = OpenFrames(path.string());
    for (Frame frame; source->Next(frame);) {
      const std::string_view pixels(reinterpret_cast<const char*>(frame.rgb.data()), frame.rgb.size());
      lines.push_back(std::to_string(frame.index) + " " + std::to_string(frame.timestamp_ns) + " " +
                      std::to_string(std::hash<std::string_view>{}(pixels)) + " " + frame.damage);
    }
  });
  lines.push_back(error);
  return lines;
}

class DamageRepeat : public testing::TestWithParam<Codec> {};

TEST_P(DamageRepeat, GivesTheSameFramesForAnyCoresAndLoad) {
  if (!HasFfmpegProgram()) GTEST_SKIP() << "needs ffmpeg";
  const TempFolder folder;
  const auto path = folder.path() / GetParam().file;
  RunFfmpeg(folder.path(), std::string("-f lavfi -i testsrc2=s=192x144:r=30,noise=alls=8 -frames:v 36 ") +
                               "-threads 1 -pix_fmt yuv420p -c:v " + GetParam().encoder + " " +
                               GetParam().file);
  const std::string whole = ReadWholeFile(path);
  std::mt19937 random(17);
  const std::vector<std::string> intact = Digest(path);
  for (int damage = 0; damage < 12; ++damage) {
    std::string bytes = whole;
    const size_t first = bytes.size() / 5;  // after the headers
    for (int i = 0; i < 1 + damage * 2; ++i) {
      bytes[first + random() % (bytes.size() - first)] = static_cast<char>(random());
    }
    WriteBytes(path, bytes);
    std::vector<std::string> expected;
    {
      const LimitCores one_core(1);
      expected = Digest(path);
    }
    EXPECT_NE(expected, intact) << damage;
    EXPECT_EQ(Digest(path), expected) << damage;
    const LimitCores two_cores(2);
    EXPECT_EQ(Digest(path), expected) << damage;
    const BusyThreads load(3);
    EXPECT_EQ(Digest(path), expected) << damage;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Codecs, DamageRepeat,
    testing::Values(Codec{"h264.mkv", "libx264 -g 12 -bf 2"}, Codec{"h264.mp4", "libx264 -g 250 -bf 0"},
                    Codec{"hevc.mkv", "libx265 -g 12 -x265-params log-level=none:pools=1"},
                    Codec{"mpeg4.avi", "mpeg4 -q:v 4 -g 12"},
                    Codec{"vp9.webm", "libvpx-vp9 -deadline realtime -cpu-used 8 -g 12"},
                    Codec{"mjpeg.avi", "mjpeg -q:v 4"}),
    [](const auto& test) {
      std::string name = test.param.file;
      name[name.find('.')] = '_';
      return name;
    });

}  // namespace
}  // namespace calfvo
