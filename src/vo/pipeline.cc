// SPDX-License-Identifier: Apache-2.0
#include "vo/pipeline.h"

#include <fmt/format.h>

#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/scoped_timer.h"
#include "core/base/temporary_error.h"
#include "core/image/fill_masked.h"
#include "vo/image_queue.h"

namespace calfvo {
namespace {

// The reading thread: decodes and prepares frames until the source ends, `stop` is set or the consumer has
// gone.
class Reader {
 public:
  Reader(FrameSource& source, WindowEstimator& estimator, const PipelineOptions& options, ImageQueue& queue)
      : source_(source),
        estimator_(estimator),
        options_(options),
        queue_(queue),
        may_drop_(options.live && source.info().is_live) {
    if (options.gray_side > 0) gray_.emplace(options.gray_side);
  }

  void Run() {
    try {
      while (ReadOne()) {
      }
    } catch (...) {
      error = std::current_exception();
    }
    queue_.Close(source_failure_);
  }

  // Valid after the thread has ended.
  std::exception_ptr error;  // from anything but the source
  double decode_s = 0.0;
  double preprocess_s = 0.0;
  int64_t dropped = 0;
  bool interrupted = false;  // by options.stop: the source may hold more frames

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
          NoteStop();  // `stop` also ends a source that would wait
          return false;
        }
      } catch (...) {
        source_failure_ = std::current_exception();
        return false;
      }
    }
    PreparedImage* slot = may_drop_ ? queue_.TryBeginPut() : queue_.BeginPut();
    if (slot == nullptr) {
      if (!may_drop_ || queue_.abandoned()) return false;
      ++dropped;
      ++dropped_before_;
      return true;
    }
    const ScopedTimer timer(preprocess_s);
    if (options_.masks != nullptr && !FillFrame()) return false;
    estimator_.PrepareImage(frame_.view(), slot->values);
    slot->frame = {frame_.index,  frame_.timestamp_ns, frame_.width, frame_.height, frame_.WidthOverHeight(),
                   frame_.damage, dropped_before_};
    if (gray_) AddGray(slot->frame);
    dropped_before_ = 0;
    queue_.EndPut();
    return true;
  }

  // Hides what the frame's mask hides; false where the mask cannot be read.
  bool FillFrame() {
    try {
      options_.masks->Read(frame_.index, frame_.width, frame_.height, &mask_);
    } catch (...) {
      source_failure_ = std::current_exception();
      return false;
    }
    FillMasked(frame_.width, frame_.height, mask_, frame_.rgb);
    return true;
  }

  // The grey copy and its mask.
  void AddGray(FrameRecord& record) {
    const auto gray = std::make_shared<GrayImage>(gray_->Run(frame_.view(), frame_.pixel_aspect));
    record.gray = gray;
    if (options_.masks == nullptr) return;
    const auto mask = std::make_shared<GrayImage>(GrayImage{gray->width, gray->height});
    options_.masks->Read(frame_.index, gray->width, gray->height, &mask->pixels);
    record.mask = mask;
  }

  FrameSource& source_;
  WindowEstimator& estimator_;
  const PipelineOptions& options_;
  ImageQueue& queue_;
  const bool may_drop_;
  Frame frame_;
  std::vector<uint8_t> mask_;  // of frame_
  std::optional<GrayConverter> gray_;
  int dropped_before_ = 0;
  std::exception_ptr source_failure_;
};

std::thread StartReading(Reader& reader) {
  try {
    return std::thread([&reader] { reader.Run(); });
  } catch (const std::system_error& error) {
    throw TemporaryError(
        fmt::format("cannot start the reader thread: {}; use fewer threads, or raise the limits on memory "
                    "(ulimit -v) and processes (ulimit -u)",
                    error.code().message()));
  }
}

// Joins the reading thread even if estimation throws.
class ReaderThread {
 public:
  ReaderThread(Reader& reader, FrameSource& source, ImageQueue& queue)
      : source_(source), queue_(queue), thread_(StartReading(reader)) {}
  ~ReaderThread() {
    queue_.Abandon();
    source_.Cancel();
    thread_.join();
  }

 private:
  FrameSource& source_;
  ImageQueue& queue_;
  std::thread thread_;
};

}  // namespace

PipelineResult RunPipeline(FrameSource& source, WindowEstimator& estimator, const PipelineOptions& options,
                           const PoseSink& sink) {
  const auto batch = static_cast<size_t>(options.live ? 1 : options.batch);
  // Offline, one batch waits while the one before it is estimated.
  const size_t capacity = options.live ? static_cast<size_t>(options.queue) : 2 * batch;
  VideoDriver driver(estimator, {options.overlap, static_cast<int>(batch), /*defer=*/!options.live});
  ImageQueue queue(capacity, estimator.input_size(), estimator.ImageMemory(capacity));
  Reader reader(source, estimator, options, queue);
  PipelineResult result;
  const auto take_poses = [&] {
    const ScopedTimer timer(result.times.write_s);
    driver.TakePoses(sink);
  };
  {
    const ReaderThread thread(reader, source, queue);
    while (const size_t count = queue.Wait(batch)) {
      std::vector<FrameRecord> frames;
      std::vector<const float*> images;
      for (size_t i = 0; i < count; ++i) {
        frames.push_back(std::move(queue.at(i).frame));
        images.push_back(queue.at(i).values);
      }
      driver.Add(std::move(frames), images);
      queue.Release(count);
      result.frames += static_cast<int64_t>(count);
      take_poses();
    }
  }
  if (reader.error) std::rethrow_exception(reader.error);
  driver.Finish();
  take_poses();
  const Tracker& tracker = driver.tracker();
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
