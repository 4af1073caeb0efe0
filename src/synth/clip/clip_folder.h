// SPDX-License-Identifier: Apache-2.0
// The folder that a clip is written to, in the layout of the TUM RGB-D sets. docs/synth.md describes the
// files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "calfvo/trajectory.h"
#include "core/base/thread_pool.h"
#include "io/video/video_writer.h"
#include "synth/clip/clip.h"

namespace calfvo {

struct ClipFolderOptions {
  bool video = true;
  // Units of the 16-bit depth images per metre; 0 takes UsualDepthScale. What lies beyond 65535 units is 0.
  double depth_scale = 0.0;
  std::string preset;   // for synth.json
  std::string version;  // for synth.json

  // Throws Error naming the field.
  void Validate() const;
};

// 5000, as in the TUM sets, where everything is near (up to 13 m); less where scenes are larger.
double UsualDepthScale(SceneKind scene);

// Throws Error naming the folder when it holds anything, unless `overwrite` and it was written by ClipFolder
// before. Changes nothing but for part files of a killed process.
void CheckClipFolder(const std::filesystem::path& folder, bool overwrite);

// Checks, makes the folder, and removes the files of the clip that was there before. Other files stay.
void PrepareClipFolder(const std::filesystem::path& folder, bool overwrite);

// Writes frames as they come: constant memory but for the poses. rgb.txt and groundtruth.txt come last, so
// that a folder without them was not finished. Borrows `clip` and `threads`.
class ClipFolder {
 public:
  // `folder` must have been prepared.
  ClipFolder(std::filesystem::path folder, const Clip& clip, const ClipFolderOptions& options,
             ThreadPool& threads);

  // Frames in order; each file is whole when this returns, but for the video.
  void Add(const ClipFrame& frame);
  void Finish();

 private:
  void WriteDepth(const ClipFrame& frame, const std::string& name) const;
  void WriteFlow(const ClipFrame& frame, const std::string& name) const;
  std::string List(const std::string& title, const std::string& subfolder) const;

  std::filesystem::path folder_;
  const Clip& clip_;
  double depth_scale_;
  ThreadPool& threads_;
  Trajectory trajectory_;
  std::unique_ptr<VideoWriter> video_;
};

}  // namespace calfvo
