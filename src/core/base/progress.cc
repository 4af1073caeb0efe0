// SPDX-License-Identifier: Apache-2.0
#include "core/base/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/quoted.h"

namespace calfvo {
namespace {

std::string FormatDuration(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(std::clamp(seconds, 0.0, 359999.0)));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

int TerminalColumns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

std::string FormatProgress(const ProgressState& state, int columns) {
  const double rate = state.elapsed_s > 0.0 ? static_cast<double>(state.done) / state.elapsed_s : 0.0;
  const std::string rate_text =
      fmt::format("{:.{}f} {}/s", rate, rate < 10 ? 2 : (rate < 1000 ? 1 : 0), state.unit);
  std::string line;
  if (state.total.has_value() && *state.total > 0) {
    const double fraction =
        std::clamp(static_cast<double>(state.done) / static_cast<double>(*state.total), 0.0, 1.0);
    const std::string left =
        rate > 0.0 ? FormatDuration(static_cast<double>(*state.total - state.done) / rate) : "-:--";
    const std::string counts =
        fmt::format("  {}/{} {}  {}  {} left", state.done, *state.total, state.unit, rate_text, left);
    const int room = columns - static_cast<int>(state.title.size() + counts.size()) - 5;
    std::string bar;
    if (room >= 5) {
      const int width = std::min(room, 30);
      const int filled = static_cast<int>(fraction * width);
      bar = fmt::format("  [{:=<{}}{: <{}}]", "", filled, filled < width ? ">" : "", width - filled);
    }
    line = fmt::format("{}{}{}", state.title, bar, counts);
  } else {
    line = fmt::format("{}  {} {}  {}  {}", state.title, state.done, state.unit, rate_text,
                       FormatDuration(state.elapsed_s));
  }
  return line.substr(0, static_cast<size_t>(std::max(columns - 1, 0)));
}

Progress::Progress(std::string_view title, std::string unit, std::optional<int64_t> total, bool quiet)
    : title_(Printable(title)),
      unit_(std::move(unit)),
      total_(total),
      quiet_(quiet),
      visible_(!quiet && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (visible_) std::fputs("\r\033[K", stderr);
}

void Progress::Advance(int64_t count) {
  const std::lock_guard lock(mutex_);
  done_ += count;
  if (!visible_) return;
  const auto now = Clock::now();
  if (now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  const std::chrono::duration<double> elapsed = now - start_;
  const std::string line = FormatProgress({title_, unit_, done_, total_, elapsed.count()}, TerminalColumns());
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
}

void Progress::Print(std::string_view line) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  fmt::print(stderr, "{}{}\n", visible_ ? "\r\033[K" : "", Printable(line));
}

}  // namespace calfvo
