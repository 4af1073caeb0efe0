// SPDX-License-Identifier: Apache-2.0
// A progress bar with rate and time left.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace calfvo {

// What a bar shows at one moment.
struct ProgressState {
  std::string_view title;
  std::string_view unit;  // "frames", "poses"
  int64_t done = 0;
  std::optional<int64_t> total;  // unknown for a camera or a pipe
  double elapsed_s = 0.0;
};

// One line of at most `columns` characters, without line ending:
//   running  [=======>      ]  512/1024 frames  85.3 frames/s  0:06 left
std::string FormatProgress(const ProgressState& state, int columns);

// Draws on stderr, at most ten times a second, and only when stderr is a terminal: nothing is printed to
// pipes and log files, nor when `quiet`. The line is erased on destruction, so that a closing summary stands
// alone. Control characters in the title and in printed lines are escaped (Printable). Thread-safe.
class Progress {
 public:
  Progress(std::string_view title, std::string unit, std::optional<int64_t> total, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Advance(int64_t count = 1);

  // Prints a line on stderr, terminal or not, unless `quiet`; the bar continues below it.
  void Print(std::string_view line);

 private:
  using Clock = std::chrono::steady_clock;

  const std::string title_;
  const std::string unit_;
  const std::optional<int64_t> total_;
  const bool quiet_;
  const bool visible_;
  const Clock::time_point start_ = Clock::now();

  std::mutex mutex_;
  int64_t done_ = 0;
  Clock::time_point drawn_ = start_;
};

}  // namespace calfvo
