// SPDX-License-Identifier: Apache-2.0
// ScanNet, from .sens files and from the folders that its two exporters make of them.
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "io/datasets/file_sequence.h"
#include "io/datasets/loaders.h"
#include "io/datasets/matrix_frames.h"
#include "io/datasets/paths.h"
#include "io/datasets/pose_text.h"
#include "io/datasets/sens_file.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

fs::path SensPath(const fs::path& path) {
  return IsFile(path) ? path : path / (path.filename().string() + ".sens");
}

// Some scans have no times and some have random ones. Times that do not increase are none.
bool HasTimes(const std::vector<SensFile::FrameEntry>& frames) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max() / 1000;
  if (frames.back().color_time_us > kMost) return false;
  for (size_t i = 1; i < frames.size(); ++i) {
    if (frames[i].color_time_us <= frames[i - 1].color_time_us) return false;
  }
  return true;
}

class SensSequence final : public Sequence {
 public:
  SensSequence(const fs::path& path, std::string name) : name_(std::move(name)), file_(path) {
    const auto& entries = file_.frames();
    const bool has_times = HasTimes(entries);
    frames_.reserve(entries.size());
    for (size_t i = 0; i < entries.size(); ++i) {
      const int64_t time_ns = has_times ? static_cast<int64_t>(entries[i].color_time_us) * 1000
                                        : kMatrixFrameRate.TimestampNs(static_cast<int64_t>(i));
      frames_.push_back({time_ns, entries[i].world_from_camera,
                         fmt::format("{}, {} bytes at {}", path.string(), entries[i].color_bytes,
                                     entries[i].color_offset)});
    }
  }

  const std::string& name() const override { return name_; }
  const std::vector<SequenceFrame>& frames() const override { return frames_; }
  std::optional<CameraIntrinsics> intrinsics() const override { return file_.color_intrinsics(); }
  void Read(int64_t index, Frame& image) const override {
    file_.ReadColor(static_cast<size_t>(index), image);
  }

 private:
  const std::string name_;
  const SensFile file_;
  std::vector<SequenceFrame> frames_;
};

CameraIntrinsics FromMatrix(const std::vector<double>& k) {
  return {.fx = k[0], .fy = k[5], .cx = k[2], .cy = k[6]};
}

// The line `m_calibrationColorIntrinsic = 16 numbers` of the C++ exporter.
std::optional<CameraIntrinsics> ReadInfo(const fs::path& path) {
  if (!IsFile(path)) return {};
  TextFile file(path);
  for (auto line = file.reader().Next(); line.data() != nullptr; line = file.reader().Next()) {
    FieldReader fields(file.reader(), line, ' ', "m_calibrationColorIntrinsic = and 16 numbers");
    if (fields.Text() != "m_calibrationColorIntrinsic") continue;
    fields.Text();
    std::vector<double> k(16);
    for (double& value : k) value = fields.Number();
    return FromMatrix(k);
  }
  return {};
}

}  // namespace

bool IsScanNet(const fs::path& path) {
  return path.extension() == ".sens" ? IsFile(path) : IsFile(SensPath(path));
}

OpenedSequence OpenScanNet(const fs::path& path, const std::string& name) {
  return std::make_unique<SensSequence>(SensPath(path), name);
}

bool IsScanNetFolder(const fs::path& path) {
  return IsFolder(path / "color") && IsFolder(path / "pose");
}

OpenedSequence OpenScanNetFolder(const fs::path& path, const std::string& name) {
  std::optional<CameraIntrinsics> intrinsics;
  const fs::path matrix = path / "intrinsic" / "intrinsic_color.txt";
  if (IsFile(matrix)) intrinsics = FromMatrix(ReadNumbers(matrix, 16));
  return MakeFileSequence(name, path, MatrixFrames(path / "color", path / "pose", {"", ".jpg", ".txt"}),
                          intrinsics);
}

bool IsScanNetFrames(const fs::path& path) {
  return IsFile(path / "frame-000000.color.jpg");
}

OpenedSequence OpenScanNetFrames(const fs::path& path, const std::string& name) {
  return MakeFileSequence(name, path, MatrixFrames(path, path, {"frame-", ".color.jpg", ".pose.txt"}),
                          ReadInfo(path / "_info.txt"));
}

}  // namespace calfvo
