// SPDX-License-Identifier: Apache-2.0
// A run folder as data for the viewer (viewer/src/data/document.ts): poses.csv, groundtruth.tum and, after
// refinement, network.tum, points.ply, loops.csv and camera.json.
#pragma once

#include <filesystem>
#include <istream>
#include <string>
#include <vector>

#include "calfvo/camera.h"

namespace calfvo {

struct DocumentOptions {
  // More map points than this are thinned evenly: 20 bytes each in a page.
  size_t max_points = 200'000;
  bool full_frames = false;  // a server can send the frames of the video
};

// JSON in one line, without '<': it can stand inside a script element. `run_json` is the content of run.json,
// valid JSON; the document does not hold its timings, so that the same input gives the same bytes. `title`
// names the run. Refinement's files are read if `run_json` has "refine": others may bear their names. Throws
// Error for files that cannot be read; those other than poses.csv may be missing.
std::string RunDocumentJson(const std::filesystem::path& folder, const std::string& run_json,
                            const std::string& title, const DocumentOptions& options = {});

// loops.csv: "first_frame,second_frame,inliers", then one loop per line. Throws Error naming file and line;
// more than kMaxLoops are an error.
inline constexpr size_t kMaxLoops = 1'000'000;
std::vector<LoopEdge> ReadLoops(std::istream& stream, const std::string& name);

}  // namespace calfvo
