// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/clip_folder.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "core/base/atomic_file.h"
#include "core/image/png.h"
#include "synth/clip/clip_json.h"

namespace calfvo {
namespace {

// The files that ClipFolder writes, but for synth.json, which marks the folder as a clip's and is replaced.
constexpr std::array kFiles = {"rgb.txt", "depth.txt", "groundtruth.txt", "camera.json", "video.mp4"};
// Folders of frames, named by FrameName.
constexpr std::array<std::pair<const char*, const char*>, 4> kFrameFolders = {
    {{"rgb", ".png"}, {"depth", ".png"}, {"flow", ".flo"}, {"mask", ".png"}}};

// What Middlebury's files hold where the flow is not known.
constexpr float kUnknownFlow = 1e10F;

std::string FrameName(int index) {
  return fmt::format("{:06}", index);
}

bool IsFrameName(const std::filesystem::path& name, const char* extension) {
  const std::string stem = name.stem().string();
  return name.extension() == extension && stem.size() >= 6 &&
         stem.find_first_not_of("0123456789") == std::string::npos;
}

void Remove(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) throw Error(fmt::format("{}: cannot remove: {}", path.string(), error.message()));
}

// Removes the frames of a clip, and the folder if nothing else is in it.
void RemoveFrames(const std::filesystem::path& folder, const char* extension) {
  std::vector<std::filesystem::path> frames;
  std::error_code not_there;
  for (const auto& entry : std::filesystem::directory_iterator(folder, not_there)) {
    if (IsFrameName(entry.path().filename(), extension)) frames.push_back(entry.path());
  }
  for (const std::filesystem::path& frame : frames) Remove(frame);
  RemoveStaleParts(folder);
  std::error_code not_empty;
  std::filesystem::remove(folder, not_empty);
}

void Append(std::string& bytes, const void* data, size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

}  // namespace

void ClipFolderOptions::Validate() const {
  if (depth_scale == 0.0 || (depth_scale >= 1.0 && depth_scale <= 65535.0)) return;
  throw Error(fmt::format("depth_scale is {}; expected 1 to 65535", depth_scale));
}

double UsualDepthScale(SceneKind scene) {
  switch (scene) {
    case SceneKind::kRoom:
    case SceneKind::kCorridor:
      return 5000.0;  // up to 13 m
    case SceneKind::kWarehouse:
    case SceneKind::kHall:
      return 1000.0;  // up to 65 m
    case SceneKind::kStreet:
    case SceneKind::kTerrain:
      return 256.0;  // up to 255 m, as in KITTI
    case SceneKind::kAerialCity:
    case SceneKind::kAerialFields:
      return 50.0;  // up to 1.3 km
  }
  return 5000.0;
}

void CheckClipFolder(const std::filesystem::path& folder, bool overwrite) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return;
  RemoveStaleParts(folder);  // all that a kill in the first moment leaves
  const bool empty = std::filesystem::is_empty(folder, error);
  if (error || !std::filesystem::is_directory(folder)) {
    throw Error(fmt::format("{}: is not a folder that can be read", folder.string()));
  }
  if (empty) return;
  if (!overwrite) {
    throw Error(fmt::format("{}: is not empty; choose another folder, or --overwrite", folder.string()));
  }
  if (!std::filesystem::exists(folder / "synth.json", error)) {
    throw Error(fmt::format(
        "{}: holds no synth.json, so it was not written by calfvo synth and is left alone", folder.string()));
  }
}

void PrepareClipFolder(const std::filesystem::path& folder, bool overwrite) {
  CheckClipFolder(folder, overwrite);
  MakeFolder(folder);
  for (const char* file : kFiles) Remove(folder / file);
  for (const auto& [name, extension] : kFrameFolders) RemoveFrames(folder / name, extension);
}

ClipFolder::ClipFolder(std::filesystem::path folder, const Clip& clip, const ClipFolderOptions& options,
                       ThreadPool& threads)
    : folder_(std::move(folder)), clip_(clip), threads_(threads) {
  options.Validate();
  depth_scale_ = options.depth_scale > 0.0 ? options.depth_scale : UsualDepthScale(clip.scene());
  WriteFileAtomically(folder_ / "synth.json", ClipJson(clip, options.preset, options.version));
  WriteFileAtomically(folder_ / "camera.json", CameraJson(clip, depth_scale_));
  MakeFolder(folder_ / "rgb");
  if (clip.options().depth) MakeFolder(folder_ / "depth");
  if (clip.options().flow) MakeFolder(folder_ / "flow");
  if (clip.options().movers > 0.0) MakeFolder(folder_ / "mask");
  if (options.video) {
    const VideoOptions video{
        .width = clip.options().width, .height = clip.options().height, .rate = clip.options().rate};
    video_ = std::make_unique<VideoWriter>(folder_ / "video.mp4", video);
  }
}

void ClipFolder::Add(const ClipFrame& frame) {
  const FrameOutputs& image = frame.image;
  const std::string name = FrameName(frame.index);
  const ImageView rgb{image.width, image.height, PixelFormat::kRgb8, image.rgb.data(),
                      ptrdiff_t{3} * image.width};
  const ImageView mask{image.width, image.height, PixelFormat::kGray8, frame.mask.data(), image.width};
  threads_.ParallelFor(5, [&](int64_t part) {
    if (part == 0) WritePng(folder_ / "rgb" / (name + ".png"), rgb);
    if (part == 1 && clip_.options().depth) WriteDepth(frame, name);
    if (part == 2 && clip_.options().flow) WriteFlow(frame, name);
    if (part == 3 && video_ != nullptr) video_->Add(rgb);
    if (part == 4 && !frame.mask.empty()) WritePng(folder_ / "mask" / (name + ".png"), mask);
  });
  trajectory_.timestamps_ns.push_back(frame.timestamp_ns);
  trajectory_.world_from_camera.push_back(frame.world_from_camera);
}

void ClipFolder::WriteDepth(const ClipFrame& frame, const std::string& name) const {
  std::vector<uint16_t> units;
  units.reserve(frame.image.depth.size());
  for (const float depth : frame.image.depth) {
    const double value = std::round(static_cast<double>(depth) * depth_scale_);
    units.push_back(value <= 65535.0 ? static_cast<uint16_t>(value) : uint16_t{0});  // the sky is at infinity
  }
  WritePng16(folder_ / "depth" / (name + ".png"), frame.image.width, frame.image.height, units);
}

void ClipFolder::WriteFlow(const ClipFrame& frame, const std::string& name) const {
  static_assert(std::endian::native == std::endian::little, "the format's numbers are little-endian");
  if (frame.index + 1 == clip_.options().frames) return;  // it has no next frame
  std::string bytes = "PIEH";
  const int32_t size[2] = {frame.image.width, frame.image.height};
  Append(bytes, size, sizeof(size));
  std::vector<float> flow = frame.image.motion_to_next;
  for (size_t i = 0; i < flow.size(); i += 2) {
    if (std::isfinite(flow[i]) && std::isfinite(flow[i + 1])) continue;
    flow[i] = flow[i + 1] = kUnknownFlow;
  }
  Append(bytes, flow.data(), flow.size() * sizeof(float));
  WriteFileAtomically(folder_ / "flow" / (name + ".flo"), bytes);
}

// The times and names of images, as the TUM sets list them.
std::string ClipFolder::List(const std::string& title, const std::string& subfolder) const {
  std::string text = fmt::format("# {}\n# made by calfvo synth\n# timestamp filename\n", title);
  for (size_t i = 0; i < trajectory_.size(); ++i) {
    const int64_t time_ns = trajectory_.timestamps_ns[i];
    text += fmt::format("{}.{:09} {}/{}.png\n", time_ns / 1'000'000'000, time_ns % 1'000'000'000, subfolder,
                        FrameName(static_cast<int>(i)));
  }
  return text;
}

void ClipFolder::Finish() {
  if (video_ != nullptr) video_->Finish();
  if (clip_.options().depth) WriteFileAtomically(folder_ / "depth.txt", List("depth maps", "depth"));
  WriteTrajectory(trajectory_, folder_ / "groundtruth.txt", TrajectoryFormat::kTum);
  WriteFileAtomically(folder_ / "rgb.txt", List("color images", "rgb"));
}

}  // namespace calfvo
