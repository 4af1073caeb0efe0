// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/file_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "calfvo/error.h"
#include "core/base/time_span.h"
#include "core/image/image_decoder.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

class FileSequence final : public Sequence {
 public:
  FileSequence(std::string name, std::vector<SequenceFrame> frames, std::vector<fs::path> paths,
               std::optional<CameraIntrinsics> intrinsics)
      : name_(std::move(name)),
        frames_(std::move(frames)),
        paths_(std::move(paths)),
        intrinsics_(intrinsics) {}

  const std::string& name() const override { return name_; }
  const std::vector<SequenceFrame>& frames() const override { return frames_; }
  std::optional<CameraIntrinsics> intrinsics() const override { return intrinsics_; }

  void Read(int64_t index, Frame& image) const override {
    ReadImageFile(paths_.at(static_cast<size_t>(index)), image);
  }

 private:
  const std::string name_;
  const std::vector<SequenceFrame> frames_;
  const std::vector<fs::path> paths_;
  const std::optional<CameraIntrinsics> intrinsics_;
};

// The number between prefix and suffix, if that is all there is.
std::optional<int64_t> NumberIn(std::string_view name, std::string_view prefix, std::string_view suffix) {
  if (name.size() <= prefix.size() + suffix.size()) return {};
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return {};
  const char* begin = name.data() + prefix.size();
  const char* end = name.data() + name.size() - suffix.size();
  int64_t number = 0;
  const auto [stopped, error] = std::from_chars(begin, end, number);
  constexpr int64_t kMost = 999'999'999;
  if (error != std::errc() || stopped != end || *begin == '-' || number > kMost) return {};
  return number;
}

}  // namespace

std::vector<NumberedFile> NumberedFiles(const fs::path& folder, std::string_view prefix,
                                        std::string_view suffix) {
  std::vector<NumberedFile> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const auto number = NumberIn(entry->path().filename().native(), prefix, suffix);
    if (number) files.push_back({*number, entry->path()});
  }
  if (error) throw Error(fmt::format("{}: cannot read the folder: {}", folder.string(), error.message()));
  if (files.empty()) {
    throw Error(
        fmt::format("{}: has no images; expected files named {}0{}", folder.string(), prefix, suffix));
  }
  std::sort(files.begin(), files.end(),
            [](const NumberedFile& a, const NumberedFile& b) { return a.number < b.number; });
  const auto twin =
      std::adjacent_find(files.begin(), files.end(),
                         [](const NumberedFile& a, const NumberedFile& b) { return a.number == b.number; });
  if (twin != files.end()) {
    throw Error(fmt::format("{}: two images have the number {}", folder.string(), twin->number));
  }
  return files;
}

std::unique_ptr<Sequence> MakeFileSequence(const std::string& name, const fs::path& folder,
                                           std::vector<ImageFile> images,
                                           std::optional<CameraIntrinsics> intrinsics) {
  std::vector<SequenceFrame> frames;
  std::vector<fs::path> paths;
  for (ImageFile& image : images) {
    std::error_code error;
    const uintmax_t size = fs::file_size(image.path, error);
    if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) continue;
    if (error) {
      throw Error(fmt::format("{}: cannot be read as an image: {}", image.path.string(), error.message()));
    }
    if (!frames.empty() && image.timestamp_ns <= frames.back().timestamp_ns) {
      throw Error(fmt::format("{}: its time {} ns is not after the {} ns of the image before",
                              image.path.string(), image.timestamp_ns, frames.back().timestamp_ns));
    }
    if (!frames.empty() && !TimeSpanFits(frames.front().timestamp_ns, image.timestamp_ns)) {
      throw Error(fmt::format("{}: its time {} ns is more than 292 years after the first image's {} ns",
                              image.path.string(), image.timestamp_ns, frames.front().timestamp_ns));
    }
    frames.push_back({image.timestamp_ns, image.world_from_camera,
                      fmt::format("{}, {} bytes", image.path.string(), size)});
    paths.push_back(std::move(image.path));
  }
  if (images.empty()) throw Error(fmt::format("{}: has no images", folder.string()));
  if (frames.empty()) {
    throw Error(fmt::format("{}: none of its {} images exists; the first: {}", folder.string(), images.size(),
                            images.front().path.string()));
  }
  return std::make_unique<FileSequence>(name, std::move(frames), std::move(paths), intrinsics);
}

}  // namespace calfvo
