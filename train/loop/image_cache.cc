// SPDX-License-Identifier: Apache-2.0
#include "loop/image_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>

#include "calfvo/error.h"
#include "core/base/log.h"
#include "core/base/progress.h"
#include "core/base/thread_pool.h"
#include "data/image_store.h"
#include "data/posed_frames.h"

namespace calfvo::train {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Processes that wait are asked this often whether all is well. Less than the time after which communication
// gives up, by far: a round ends with the sequence under way.
constexpr std::chrono::seconds kRound{20};
constexpr std::chrono::minutes kLogEvery{10};

class Filling {
 public:
  Filling(const std::vector<Dataset>& datasets, const ImageCache& cache, bool fills)
      : cache_(cache), fills_(fills), threads_(fills ? cache.threads : 1) {
    for (const Dataset& dataset : datasets) {
      for (const auto& sequence : dataset.sequences) {
        const auto count = static_cast<int64_t>(PosesUntilInvalid(*sequence).size());
        missing_.push_back({sequence.get(), count, PackedPath(*sequence, count, cache.input, cache.folder)});
      }
    }
    sequences_ = missing_.size();
    DropPresent();
  }

  size_t sequences() const { return sequences_; }
  size_t missing() const { return missing_.size(); }
  int64_t MissingFrames() const {
    return std::accumulate(missing_.begin(), missing_.end(), int64_t{0},
                           [](int64_t sum, const Item& item) { return sum + item.count; });
  }
  int64_t MissingBytes() const {
    return std::accumulate(missing_.begin(), missing_.end(), int64_t{0}, [&](int64_t sum, const Item& item) {
      return sum + PackedBytes(item.count, cache_.input);
    });
  }

  // Machines that share a folder begin at different places of it.
  void BeginAt(size_t part, size_t parts) {
    std::rotate(missing_.begin(), missing_.begin() + static_cast<ptrdiff_t>(missing_.size() * part / parts),
                missing_.end());
  }

  void CheckSpace() const {
    if (!fills_ || missing_.empty()) return;
    std::error_code error;
    fs::path folder = fs::absolute(cache_.folder);
    while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
    const fs::space_info space = fs::space(folder, error);
    const int64_t needed = MissingBytes();
    if (error || static_cast<int64_t>(space.available) >= needed) return;
    throw Error(
        fmt::format("data.cache: {} needs {:.3g} GB for the images that are missing, but its disk has "
                    "{:.3g} GB left; free some, choose another folder, or leave data.cache out",
                    cache_.folder.string(), 1e-9 * static_cast<double>(needed),
                    1e-9 * static_cast<double>(space.available)));
  }

  // Packs for about a round. Without work that is not locked by others, it waits a moment.
  void Work(const std::function<bool()>& should_stop) {
    const Clock::time_point end = Clock::now() + kRound;
    bool packed = false;
    for (const Item& item : missing_) {
      std::error_code ignored;
      if (Clock::now() >= end || should_stop()) break;
      if (fs::exists(item.path, ignored)) continue;
      packed |= PackUnlessLocked(*item.sequence, item.count, cache_.input, cache_.folder, threads_);
    }
    DropPresent();
    if (!packed && !missing_.empty() && !should_stop()) std::this_thread::sleep_for(std::chrono::seconds(1));
  }

 private:
  struct Item {
    const Sequence* sequence;
    int64_t count;
    fs::path path;
  };

  void DropPresent() {
    std::erase_if(missing_, [](const Item& item) {
      std::error_code ignored;  // what is in the way shows when the file is made
      return fs::exists(item.path, ignored);
    });
  }

  const ImageCache& cache_;
  const bool fills_;
  ThreadPool threads_;
  size_t sequences_ = 0;
  std::vector<Item> missing_;
};

// The number of machines before this process's, and of all: a process per machine fills.
std::pair<size_t, size_t> PlaceAmongMachines(Processes& processes) {
  std::vector<double> firsts(static_cast<size_t>(processes.size()));
  firsts[static_cast<size_t>(processes.rank())] = processes.first_of_machine() ? 1.0 : 0.0;
  firsts = processes.Sum(firsts);
  const auto before = std::accumulate(firsts.begin(), firsts.begin() + processes.rank(), 0.0);
  const auto all = std::accumulate(firsts.begin(), firsts.end(), 0.0);
  return {static_cast<size_t>(before), std::max(size_t{1}, static_cast<size_t>(all))};
}

}  // namespace

bool FillImageCache(const std::vector<Dataset>& datasets, const ImageCache& cache, Processes& processes,
                    const std::function<bool()>& should_stop, bool quiet) {
  if (cache.folder.empty()) return true;
  const bool fills = processes.first_of_machine();
  const auto [machine, machines] = PlaceAmongMachines(processes);
  Filling filling(datasets, cache, fills);
  filling.BeginAt(fills ? machine : 0, machines);
  const int64_t frames = filling.MissingFrames();
  const bool logs = processes.first() && filling.missing() > 0;
  if (logs) {
    LogInfo("{}: caching {} of {} sequences, {} frames, {:.3g} GB", cache.folder.string(), filling.missing(),
            filling.sequences(), frames, 1e-9 * static_cast<double>(filling.MissingBytes()));
  }
  Progress progress("caching", "frames", frames, quiet || !processes.first());
  Clock::time_point logged = Clock::now();
  for (bool is_first_round = true;; is_first_round = false) {
    const int64_t before = filling.MissingFrames();
    std::string failure;
    try {
      if (is_first_round) filling.CheckSpace();
      if (fills) filling.Work(should_stop);
    } catch (const Error& error) {
      failure = error.what();
    }
    progress.Advance(before - filling.MissingFrames());
    const auto missing = fills ? static_cast<double>(filling.missing()) : 0.0;
    const std::vector<double> sums =
        processes.Sum({missing, failure.empty() ? 0.0 : 1.0, should_stop() ? 1.0 : 0.0});
    if (!failure.empty()) throw Error(failure);
    if (sums[1] > 0.0) {
      throw Error(fmt::format("{}: another process could not fill this cache; its message has the reason",
                              cache.folder.string()));
    }
    if (sums[0] == 0.0) return true;
    if (sums[2] > 0.0) return false;
    if (logs && Clock::now() - logged >= kLogEvery) {
      logged = Clock::now();
      LogInfo("{}: {} of {} sequences are cached", cache.folder.string(),
              filling.sequences() - filling.missing(), filling.sequences());
    }
  }
}

}  // namespace calfvo::train
