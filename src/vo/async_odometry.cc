// SPDX-License-Identifier: Apache-2.0
#include "calfvo/async_odometry.h"

#include <fmt/format.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <iterator>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "core/image/image_view.h"

namespace calfvo {
namespace {

// A copy of an image. Its memory is reused.
struct WaitingFrame {
  ImageView image;
  int64_t timestamp_ns = 0;
  int dropped_before = 0;
  std::vector<uint8_t> bytes = {};

  void CopyOf(const ImageView& view) {
    const ptrdiff_t row = RowBytes(view.format, view.width);
    const bool has_chroma = view.format == PixelFormat::kNv12;
    const ptrdiff_t chroma_row = has_chroma ? (row + 1) / 2 * 2 : 0;
    const int chroma_rows = has_chroma ? (view.height + 1) / 2 : 0;
    bytes.resize(static_cast<size_t>(row * view.height + chroma_row * chroma_rows));
    image = view;
    image.pixels = bytes.data();
    image.stride = row;
    CopyRows(view.pixels, view.stride, row, view.height, bytes.data());
    if (!has_chroma) return;
    uint8_t* chroma = bytes.data() + row * view.height;
    image.chroma = chroma;
    image.chroma_stride = chroma_row;
    CopyRows(view.chroma, view.chroma_stride, chroma_row, chroma_rows, chroma);
  }

 private:
  static void CopyRows(const uint8_t* from, ptrdiff_t stride, ptrdiff_t row, int rows, uint8_t* to) {
    for (int y = 0; y < rows; ++y) std::memcpy(to + y * row, from + y * stride, static_cast<size_t>(row));
  }
};

}  // namespace

void AsyncOptions::Validate() const {
  if (queue < 1 || queue > 1024) throw Error(fmt::format("queue is {}; expected 1 to 1024", queue));
}

// Slots of the queue are filled by the thread that adds frames, under `adding_`, and read by the thread while
// `estimating_`, both outside `mutex_`: a copy never waits for the network, nor the network for a copy.
class AsyncOdometry::Impl {
 public:
  Impl(const Model& model, const OdometryOptions& odometry, const AsyncOptions& options)
      : odometry_(model, odometry), options_(options), slots_(Capacity(options)) {
    try {
      thread_ = std::thread([this] { Run(); });
    } catch (const std::system_error& error) {
      throw Error(fmt::format("cannot start the thread of the odometry: {}", error.code().message()));
    }
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  bool AddFrame(const ImageView& image, int64_t timestamp_ns) {
    const ImageView view = CheckedImage(image);
    const std::lock_guard adding(adding_);
    WaitingFrame* slot = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (last_time_ns_ && timestamp_ns <= *last_time_ns_) {
        throw Error(fmt::format("timestamp {} ns does not follow {} ns: times must increase", timestamp_ns,
                                *last_time_ns_));
      }
      // One slot more than may wait is for the frame in the network.
      if (waiting_ == slots_.size() - 1) {
        last_time_ns_ = timestamp_ns;
        ++statistics_.dropped;
        ++dropped_before_;
        return false;
      }
      slot = &slots_[(first_ + (estimating_ ? 1 : 0) + waiting_) % slots_.size()];
      video_of_copy_ = video_;
    }
    slot->CopyOf(view);
    {
      const std::lock_guard lock(mutex_);
      if (video_of_copy_ != video_) {  // an error has ended it meanwhile
        ++statistics_.dropped;
        return false;
      }
      last_time_ns_ = timestamp_ns;
      slot->timestamp_ns = timestamp_ns;
      slot->dropped_before = std::exchange(dropped_before_, 0);
      ++waiting_;
      ++statistics_.accepted;
    }
    changed_.notify_all();
    return true;
  }

  std::vector<PoseEstimate> Poll() {
    const std::lock_guard lock(mutex_);
    ThrowFailure();
    return std::exchange(poses_, {});
  }

  std::vector<PoseEstimate> Flush() {
    const std::lock_guard adding(adding_);
    std::unique_lock lock(mutex_);
    flushing_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !flushing_; });
    ThrowFailure();
    return std::exchange(poses_, {});
  }

  void Reset() {
    const std::lock_guard adding(adding_);
    std::unique_lock lock(mutex_);
    waiting_ = 0;
    resetting_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !resetting_; });
  }

  AsyncStatistics statistics() const {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

 private:
  static size_t Capacity(const AsyncOptions& options) {
    options.Validate();
    return static_cast<size_t>(options.queue) + 1;
  }

  void ThrowFailure() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  void Run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stopping_ || resetting_ || flushing_ || waiting_ > 0; });
      if (stopping_) return;
      if (resetting_) {
        odometry_.Reset();
        EndVideo();
        poses_.clear();
        resetting_ = false;
        changed_.notify_all();
      } else if (waiting_ > 0) {
        --waiting_;
        estimating_ = true;
        Guarded(lock, [&] { Estimate(slots_[first_]); });
        estimating_ = false;
        first_ = (first_ + 1) % slots_.size();
      } else {
        Guarded(lock, [&] { Deliver(odometry_.Flush()); });
        EndVideo();
        flushing_ = false;
        changed_.notify_all();
      }
    }
  }

  // Runs `work` without the lock. What it throws ends the video.
  template <typename Work>
  void Guarded(std::unique_lock<std::mutex>& lock, const Work& work) {
    lock.unlock();
    std::exception_ptr failure;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
      odometry_.Reset();
    }
    lock.lock();
    if (!failure) return;
    if (!failure_) failure_ = failure;
    EndVideo();
  }

  void EndVideo() {
    waiting_ = 0;
    dropped_before_ = 0;
    last_time_ns_.reset();
    dropped_.clear();
    ++video_;
  }

  void Estimate(const WaitingFrame& frame) {
    dropped_.push_back(frame.dropped_before);
    const std::vector<PoseEstimate> poses = odometry_.AddFrame(frame.image, frame.timestamp_ns);
    bool is_newest = false;
    {
      const std::lock_guard lock(mutex_);
      ++statistics_.estimated;
      is_newest = waiting_ == 0;
    }
    Deliver(poses);
    if (!options_.on_newest || !is_newest) return;
    std::optional<PoseEstimate> newest = odometry_.EstimateNewest();
    if (!newest) return;
    newest->frames_dropped_before = frame.dropped_before;
    options_.on_newest(*newest);
  }

  void Deliver(std::vector<PoseEstimate> poses) {
    for (PoseEstimate& pose : poses) {
      pose.frames_dropped_before = dropped_.front();  // every frame has its pose, in order
      dropped_.pop_front();
      if (options_.on_pose) options_.on_pose(pose);
    }
    if (options_.on_pose) return;
    const std::lock_guard lock(mutex_);
    std::move(poses.begin(), poses.end(), std::back_inserter(poses_));
  }

  // The thread's, while it computes.
  Odometry odometry_;
  const AsyncOptions options_;
  std::deque<int> dropped_;  // before each of the frames whose poses are not final

  std::mutex adding_;         // held while a frame is copied
  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::vector<WaitingFrame> slots_;
  size_t first_ = 0;    // the slot that is estimated next, or now
  size_t waiting_ = 0;  // frames, behind the one that is being estimated
  bool estimating_ = false;
  bool flushing_ = false;
  bool resetting_ = false;
  bool stopping_ = false;
  int64_t video_ = 0;
  int64_t video_of_copy_ = 0;
  std::optional<int64_t> last_time_ns_;
  int dropped_before_ = 0;
  std::vector<PoseEstimate> poses_;
  std::exception_ptr failure_;
  AsyncStatistics statistics_;

  std::thread thread_;  // last: it uses all of the above
};

AsyncOdometry::AsyncOdometry(const Model& model, const OdometryOptions& odometry, const AsyncOptions& options)
    : impl_(std::make_unique<Impl>(model, odometry, options)) {}
AsyncOdometry::~AsyncOdometry() = default;
AsyncOdometry::AsyncOdometry(AsyncOdometry&&) noexcept = default;
AsyncOdometry& AsyncOdometry::operator=(AsyncOdometry&&) noexcept = default;

bool AsyncOdometry::AddFrame(const ImageView& image, int64_t timestamp_ns) {
  return impl_->AddFrame(image, timestamp_ns);
}

std::vector<PoseEstimate> AsyncOdometry::Poll() {
  return impl_->Poll();
}

std::vector<PoseEstimate> AsyncOdometry::Flush() {
  return impl_->Flush();
}

void AsyncOdometry::Reset() {
  impl_->Reset();
}

AsyncStatistics AsyncOdometry::statistics() const {
  return impl_->statistics();
}

}  // namespace calfvo
