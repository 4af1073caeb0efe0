// SPDX-License-Identifier: Apache-2.0
// Frames in, poses out: one thread reads and prepares images while another estimates.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "io/video/frame_source.h"
#include "io/video/mask_source.h"
#include "vo/video_driver.h"

namespace calfvo {

struct PipelineOptions {
  int overlap = 5;  // as in TrackerOptions
  // Frames estimated together. Larger batches are faster and add latency.
  int batch = 12;
  // One frame at a time, as they come. A live source drops frames, and counts them, while `queue` frames
  // wait.
  bool live = false;
  int queue = 32;
  // If not 0, each FrameRecord carries a grey copy of its image, at most this many pixels wide and high.
  int gray_side = 0;
  // Images are filled where their masks hide something (core/image/fill_masked.h); with gray_side, each
  // FrameRecord carries its mask. Borrowed; its errors count as the source's.
  MaskSource* masks = nullptr;
  // Set from another thread to end early; frames already read are still estimated.
  const std::atomic<bool>* stop = nullptr;
};

// Seconds per stage. Reading (decode, preprocess) runs beside the rest.
struct StageTimes {
  double decode_s = 0.0;
  double preprocess_s = 0.0;
  double encode_s = 0.0;
  double window_s = 0.0;
  double fuse_s = 0.0;
  double write_s = 0.0;
};

struct PipelineResult {
  int64_t frames = 0;
  int64_t dropped = 0;
  int latency_frames = 0;      // live: the most frames by which a pose follows its image
  bool interrupted = false;    // by `stop`, before the source was read to its end
  std::exception_ptr failure;  // why the source ended early, if it did
  StageTimes times;
};

// Reads `source` to its end on a second thread while the calling thread estimates; hands `sink` one pose per
// frame. Memory is bounded by the queue. Poses depend neither on `batch` nor on `live`. If the source fails,
// the frames read before are still estimated and the failure is in the result; other errors are thrown, even
// while the source waits for a frame.
PipelineResult RunPipeline(FrameSource& source, WindowEstimator& estimator, const PipelineOptions& options,
                           const PoseSink& sink);

}  // namespace calfvo
