// SPDX-License-Identifier: Apache-2.0
// The report of a run with ground truth.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/trajectory/edge_record.h"
#include "eval/report/html_report.h"
#include "io/video/frame_source.h"

namespace calfvo {

// Whether `input`, as OpenInput takes it, yields the same images again. Cameras (lavfi: included) and pipes
// do not.
bool CanBeReadAgain(const std::string& input);

// Reads the images of an input again.
class ImagesAgain {
 public:
  // Opens the input as the run did.
  ImagesAgain(const std::string& input, const SourceOptions& options);

  // The image of pose number `pose`; numbers must increase. Throws Error if the input has become shorter.
  void Read(size_t pose, Frame& image);

 private:
  const std::string input_;
  const std::unique_ptr<FrameSource> source_;
  size_t read_ = 0;  // number of images
};

// Fills the image of a pose. Numbers increase from call to call.
using ImageOfPose = std::function<void(size_t pose, Frame& image)>;

// WriteReport with the uncertainties in `edges`, one per pose, and the images of the largest errors unless
// `image_of` is empty. Fills in the sigmas and frames of `pair`. Throws Error.
void WriteRunReport(EvaluatedPair pair, std::span<const EdgeRecord> edges, const ImageOfPose& image_of,
                    const std::filesystem::path& folder);

// The files that WriteRunReport may write into the folder "report".
std::vector<std::string> RunReportFiles();

}  // namespace calfvo
