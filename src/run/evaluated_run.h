// SPDX-License-Identifier: Apache-2.0
// The report of a run whose true path is known.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "frames/frame_source.h"
#include "report/html_report.h"
#include "run/pose_steps.h"

namespace calfvo {

// Whether `input`, as OpenInput takes it, would give the same pictures once more: not so cameras,
// invented ones included, and pipes.
bool CanBeReadAgain(const std::string& input);

// The pictures of an input once more.
class PicturesAgain {
 public:
  // Opens it as the run did.
  PicturesAgain(const std::string& input, const SourceOptions& options);

  // The picture of the run's pose of that number; numbers must increase. Throws Error where there is none.
  void Read(size_t pose, Frame& picture);

 private:
  const std::string input_;
  const std::unique_ptr<FrameSource> source_;
  size_t read_ = 0;  // pictures so far
};

// Fills the picture of a pose. Numbers increase from call to call.
using PictureOfPose = std::function<void(size_t pose, Frame& picture)>;

// WriteReport with the confidence of the run, `steps`, one per pose, and the pictures of the largest errors,
// unless `picture_of` is empty. The sigmas and frames of `pair` are filled in here. Throws Error.
void WriteRunReport(EvaluatedPair pair, std::span<const PoseStep> steps, const PictureOfPose& picture_of,
                    const std::filesystem::path& folder);

}  // namespace calfvo
