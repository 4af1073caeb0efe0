// SPDX-License-Identifier: Apache-2.0
#include "data/tum_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "calfvo/trajectory.h"
#include "frames/image_decoder.h"
#include "frames/image_list.h"
#include "weights/mapped_file.h"

namespace calfvo::train {
namespace {

namespace fs = std::filesystem;

class ImageSequence : public SequenceSource {
 public:
  ImageSequence(std::string name, std::vector<SequenceFrame> frames, std::vector<fs::path> files)
      : name_(std::move(name)), frames_(std::move(frames)), files_(std::move(files)) {}

  const std::string& name() const override { return name_; }
  const std::vector<SequenceFrame>& frames() const override { return frames_; }

  void Read(int64_t index, Frame& picture) const override {
    const fs::path& path = files_.at(static_cast<size_t>(index));
    const MappedFile file(path);
    try {
      DecodeImage(file.text(), picture);
    } catch (const Error& error) {
      throw Error(path.string() + ": " + error.what());
    }
  }

 private:
  const std::string name_;
  const std::vector<SequenceFrame> frames_;
  const std::vector<fs::path> files_;
};

// Of any two times without overflow.
uint64_t Distance(int64_t a, int64_t b) {
  return a < b ? static_cast<uint64_t>(b) - static_cast<uint64_t>(a)
               : static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
}

std::optional<Rigid3> NearestPose(const Trajectory& truth, int64_t time_ns, int64_t max_difference_ns) {
  const auto& times = truth.timestamps_ns;
  auto i = static_cast<size_t>(std::lower_bound(times.begin(), times.end(), time_ns) - times.begin());
  const bool before_is_nearer =
      i == times.size() || (i > 0 && Distance(times[i - 1], time_ns) <= Distance(times[i], time_ns));
  if (before_is_nearer) --i;
  if (Distance(times[i], time_ns) > static_cast<uint64_t>(max_difference_ns)) return {};
  return truth.world_from_camera[i];
}

// With place, size and time of the file: two clips may well have files of equal names and sizes.
std::string PictureName(const fs::path& file) {
  std::error_code error;
  const uintmax_t bytes = fs::file_size(file, error);
  if (error) throw Error(fmt::format("{}: {}", file.string(), error.message()));
  const auto written = fs::last_write_time(file, error).time_since_epoch().count();
  return fmt::format("{} {} {}", fs::absolute(file).lexically_normal().string(), bytes, written);
}

}  // namespace

std::unique_ptr<SequenceSource> OpenTumSequence(const fs::path& folder, int64_t max_difference_ns) {
  const ImageList images = ListFolder(folder);
  if (images.timestamps_ns.empty()) {
    throw Error(folder.string() + ": its images have no times; expected a file rgb.txt");
  }
  const fs::path truth_path = folder / "groundtruth.txt";
  const Trajectory truth = ReadTrajectory(truth_path, TrajectoryFormat::kTum);
  std::vector<SequenceFrame> frames;
  std::vector<fs::path> files;
  for (size_t i = 0; i < images.files.size(); ++i) {
    const int64_t time_ns = images.timestamps_ns[i];
    auto pose = NearestPose(truth, time_ns, max_difference_ns);
    if (!pose && frames.empty()) continue;
    frames.push_back({time_ns, std::move(pose), PictureName(images.files[i])});
    files.push_back(images.files[i]);
  }
  if (frames.empty()) {
    throw Error(fmt::format("{}: no pose is within {} ms of any image", truth_path.string(),
                            static_cast<double>(max_difference_ns) * 1e-6));
  }
  return std::make_unique<ImageSequence>(fs::absolute(folder).lexically_normal().filename().string(),
                                         std::move(frames), std::move(files));
}

}  // namespace calfvo::train
