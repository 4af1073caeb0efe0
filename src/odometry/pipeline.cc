// SPDX-License-Identifier: Apache-2.0
#include "odometry/pipeline.h"

#include <fmt/format.h>

#include <deque>
#include <system_error>
#include <thread>

#include "base/scoped_timer.h"
#include "calfvo/error.h"
#include "odometry/picture_queue.h"

namespace calfvo {
namespace {

// The reading thread: decodes and prepares until the source ends, somebody stops it, or nobody takes any
// more.
class Reader {
 public:
  Reader(FrameSource& source, WindowEstimator& estimator, const PipelineOptions& options, PictureQueue& queue)
      : source_(source),
        estimator_(estimator),
        options_(options),
        queue_(queue),
        may_drop_(options.live && source.info().is_live) {}

  void Run() {
    try {
      while (ReadOne()) {
      }
    } catch (...) {
      error = std::current_exception();
    }
    queue_.Close(source_failure_);
  }

  // Read these after the thread has ended.
  std::exception_ptr error;  // of anything but the source
  double decode_s = 0.0;
  double preprocess_s = 0.0;
  int64_t dropped = 0;
  bool interrupted = false;  // by options.stop, so that the source may hold more

 private:
  bool NoteStop() {
    interrupted = options_.stop != nullptr && options_.stop->load();
    return interrupted;
  }

  bool ReadOne() {
    if (NoteStop()) return false;
    {
      const ScopedTimer timer(decode_s);
      try {
        if (!source_.Next(frame_)) {
          NoteStop();  // which ends sources that would wait
          return false;
        }
      } catch (...) {
        source_failure_ = std::current_exception();
        return false;
      }
    }
    PreparedPicture* slot = may_drop_ ? queue_.TryBeginPut() : queue_.BeginPut();
    if (slot == nullptr) {
      if (!may_drop_ || queue_.abandoned()) return false;
      ++dropped;
      ++dropped_before_;
      return true;
    }
    const ScopedTimer timer(preprocess_s);
    estimator_.PreparePicture(frame_.view(), slot->values);
    slot->frame = {frame_.index,  frame_.timestamp_ns, frame_.width, frame_.height, frame_.WidthOverHeight(),
                   frame_.damage, dropped_before_};
    dropped_before_ = 0;
    queue_.EndPut();
    return true;
  }

  FrameSource& source_;
  WindowEstimator& estimator_;
  const PipelineOptions& options_;
  PictureQueue& queue_;
  const bool may_drop_;
  Frame frame_;
  int dropped_before_ = 0;
  std::exception_ptr source_failure_;
};

std::thread StartReading(Reader& reader) {
  try {
    return std::thread([&reader] { reader.Run(); });
  } catch (const std::system_error& error) {
    throw Error(
        fmt::format("no thread can be had for reading frames: {}; ask for fewer threads, or raise the "
                    "limits of memory (ulimit -v) and processes (ulimit -u)",
                    error.code().message()));
  }
}

// Joins the reading thread however the estimating side ends.
class ReaderThread {
 public:
  ReaderThread(Reader& reader, FrameSource& source, PictureQueue& queue)
      : source_(source), queue_(queue), thread_(StartReading(reader)) {}
  ~ReaderThread() {
    queue_.Abandon();
    source_.Cancel();
    thread_.join();
  }

 private:
  FrameSource& source_;
  PictureQueue& queue_;
  std::thread thread_;
};

}  // namespace

PipelineResult RunPipeline(FrameSource& source, WindowEstimator& estimator, const PipelineOptions& options,
                           const PoseSink& sink) {
  const auto batch = static_cast<size_t>(options.live ? 1 : options.batch);
  // Offline, one batch waits while the one before it is estimated.
  const size_t capacity = options.live ? static_cast<size_t>(options.queue) : 2 * batch;
  Tracker tracker(estimator, {options.overlap, static_cast<int>(batch), /*defer=*/!options.live});
  PictureQueue queue(capacity, estimator.input_size(), estimator.PictureMemory(capacity));
  Reader reader(source, estimator, options, queue);
  PipelineResult result;
  std::deque<FrameRecord> records;  // of frames whose poses are not final yet
  std::vector<TrackedPose> poses;
  const auto give_out = [&] {
    const ScopedTimer timer(result.times.write_s);
    for (const TrackedPose& pose : poses) {
      sink(records.front(), pose);
      records.pop_front();
    }
    poses.clear();
  };
  {
    const ReaderThread thread(reader, source, queue);
    std::vector<const float*> pictures;
    while (const size_t count = queue.Wait(batch)) {
      pictures.clear();
      for (size_t i = 0; i < count; ++i) {
        pictures.push_back(queue.at(i).values);
        records.push_back(queue.at(i).frame);
      }
      if (result.frames == 0) estimator.SetPictureAspect(records.front().width_over_height);
      tracker.Add(pictures, poses);
      queue.Release(count);
      result.frames += static_cast<int64_t>(count);
      give_out();
    }
  }
  if (reader.error) std::rethrow_exception(reader.error);
  tracker.Finish(poses);
  give_out();
  result.latency_frames = tracker.latency_frames();
  result.failure = queue.failure();
  result.dropped = reader.dropped;
  result.interrupted = reader.interrupted;
  result.times.decode_s = reader.decode_s;
  result.times.preprocess_s = reader.preprocess_s;
  result.times.encode_s = tracker.times().encode_s;
  result.times.window_s = tracker.times().window_s;
  result.times.fuse_s = tracker.times().fuse_s;
  return result;
}

}  // namespace calfvo
