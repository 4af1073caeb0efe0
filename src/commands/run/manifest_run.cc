// SPDX-License-Identifier: Apache-2.0
#include "commands/run/manifest_run.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

#include "core/base/log.h"
#include "core/base/quoted.h"
#include "core/base/temporary_error.h"

namespace calfvo {
namespace {

constexpr std::chrono::milliseconds kPause{500};  // between visits to folders in use
constexpr std::chrono::milliseconds kStopCheck{50};

class ManifestRun {
 public:
  ManifestRun(VideoRunner& runner, const std::vector<ManifestEntry>& entries,
              const ManifestRunOptions& options, const std::atomic<bool>& stop)
      : runner_(runner), entries_(entries), options_(options), stop_(stop) {
    for (const ManifestEntry& entry : entries) runner.IsDone(entry.input, Folder(entry));
  }

  ManifestResult Go() {
    std::vector<size_t> rest(entries_.size());
    std::iota(rest.begin(), rest.end(), size_t{0});
    while (!rest.empty() && !result_.stopped) {
      const std::vector<size_t> in_use = Visit(rest);
      const bool has_progress = in_use.size() < rest.size();
      rest = in_use;
      if (rest.empty() || result_.stopped || has_progress) continue;
      if (!options_.wait) break;
      if (!std::exchange(has_waited_, true) && !options_.quiet) {
        LogInfo("waiting for {} inputs of other processes", rest.size());
      }
      Pause();
    }
    if (!result_.stopped) result_.unfinished += static_cast<int>(rest.size());
    return result_;
  }

 private:
  std::filesystem::path Folder(const ManifestEntry& entry) const { return options_.output / entry.name; }

  // Returns those that other processes are running.
  std::vector<size_t> Visit(const std::vector<size_t>& indices) {
    std::vector<size_t> in_use;
    for (const size_t i : indices) {
      result_.stopped = result_.stopped || stop_;
      if (result_.stopped) break;
      try {
        Run(i);
      } catch (const FolderInUse&) {
        in_use.push_back(i);
      } catch (const TemporaryError& error) {
        Log(LogLevel::kError, error.what());
        ++result_.unfinished;
      } catch (const Error& error) {
        Log(LogLevel::kError, error.what());
        ++result_.failed;
      } catch (const std::bad_alloc&) {
        Log(LogLevel::kError, fmt::format("{}: out of memory", entries_[i].input));
        ++result_.unfinished;
      }
    }
    return in_use;
  }

  void Run(size_t i) {
    const ManifestEntry& entry = entries_[i];
    const auto run = runner_.RunUnlessDone(entry.input, Folder(entry), stop_);
    if (!run) return PrintLine(i, "already done");
    const RunReport& report = run->report;
    result_.stopped = report.interrupted;
    PrintLine(i, fmt::format("{}{} frames, {:.1f} frames/s", report.interrupted ? "stopped after " : "",
                             report.frames, report.fps()));
  }

  void PrintLine(size_t i, const std::string& what) const {
    if (options_.quiet) return;
    fmt::print("[{}/{}] {}: {}\n", i + 1, entries_.size(), Printable(entries_[i].name), what);
    std::fflush(stdout);
  }

  void Pause() {
    const auto end = std::chrono::steady_clock::now() + kPause;
    while (!stop_ && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kStopCheck);
  }

  VideoRunner& runner_;
  const std::vector<ManifestEntry>& entries_;
  const ManifestRunOptions& options_;
  const std::atomic<bool>& stop_;
  ManifestResult result_;
  bool has_waited_ = false;
};

}  // namespace

int ManifestResult::ExitCode() const {
  if (unfinished > 0 || stopped) return kTryAgain;
  return failed > 0 ? 1 : 0;
}

ManifestResult RunManifest(VideoRunner& runner, const std::vector<ManifestEntry>& entries,
                           const ManifestRunOptions& options, const std::atomic<bool>& stop) {
  return ManifestRun(runner, entries, options, stop).Go();
}

}  // namespace calfvo
