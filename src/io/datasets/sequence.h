// SPDX-License-Identifier: Apache-2.0
// Recorded video with the poses of its camera, whatever the dataset it comes from. docs/datasets.md lists the
// layouts that are known, and what each one's loader does.
//
//   for (const FoundSequence& found : FindSequences("kitti/dataset")) {
//     const std::unique_ptr<Sequence> sequence = OpenSequence(found);
//     …
//   }
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calfvo/geometry.h"
#include "core/image/frame.h"

namespace calfvo {

// Of the images as they are stored, in pixels.
struct CameraIntrinsics {
  double fx = 0.0;
  double fy = 0.0;
  double cx = 0.0;
  double cy = 0.0;
  std::array<double, 5> distortion{};  // OpenCV's k1 k2 p1 p2 k3; zeros where there is none

  bool operator==(const CameraIntrinsics&) const = default;
};

struct SequenceFrame {
  int64_t timestamp_ns = 0;
  std::optional<Rigid3> world_from_camera;  // metres; nothing where the dataset has no valid pose
  // What identifies this image, for caches: where it lies and how many bytes it has.
  std::string image;
};

class Sequence {
 public:
  virtual ~Sequence() = default;

  // For messages, lists of sequences and the names of cache files: "scene0707_00", "ocean/Hard/P000".
  virtual const std::string& name() const = 0;

  // At least one, in order of time.
  virtual const std::vector<SequenceFrame>& frames() const = 0;

  // Where the dataset has it.
  virtual std::optional<CameraIntrinsics> intrinsics() const { return {}; }

  // The image of a frame, in its own size: fills size and pixels of `image`, reusing its memory. Throws
  // Error naming the file. May be called from several threads at once.
  virtual void Read(int64_t index, Frame& image) const = 0;
};

struct FoundSequence {
  std::string kind;            // "scannet", "kitti", "vkitti1", …
  std::string name;            // as Sequence::name()
  std::filesystem::path path;  // a folder, or a .sens file
};

// All sequences at or below `root`, in natural order of their paths. Looks at names only, so it is quick.
// Throws Error saying what was looked for when there are none.
std::vector<FoundSequence> FindSequences(const std::filesystem::path& root);

// The kinds that there are.
std::vector<std::string> DatasetKinds();

// Reads times and poses, not the images. Throws Error naming the file and what is wrong with it.
std::unique_ptr<Sequence> OpenSequence(const FoundSequence& found);

// The only sequence at or below `path`. Throws Error naming some of them where there are several.
std::unique_ptr<Sequence> OpenSequence(const std::filesystem::path& path);

}  // namespace calfvo
