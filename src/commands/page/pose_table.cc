// SPDX-License-Identifier: Apache-2.0
#include "commands/page/pose_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string_view>

#include "calfvo/error.h"
#include "commands/page/column.h"
#include "core/base/line_reader.h"
#include "core/base/number_text.h"
#include "core/trajectory/formats.h"

namespace calfvo {
namespace {

constexpr uint8_t kDamaged = 1;
constexpr uint8_t kDropped = 2;

// Keeps every second of the entries of `width` values.
template <typename T>
void KeepEverySecond(std::vector<T>& values, size_t width) {
  const size_t kept = (values.size() / width + 1) / 2;
  for (size_t i = 1; i < kept; ++i)
    std::copy_n(values.begin() + static_cast<ptrdiff_t>(2 * i * width), width,
                values.begin() + static_cast<ptrdiff_t>(i * width));
  values.resize(std::min(values.size(), kept * width));
}

template <typename T>
std::string ColumnFrom(const std::vector<T>& values, size_t begin) {
  return Column(std::span(values).subspan(std::min(begin, values.size())));
}

constexpr std::array<std::string_view, 5> kRunColumns = {"frame", "windows", "sigma_translation_m",
                                                         "sigma_rotation_rad", "flags"};

// A number that may be missing, as σ is for a model without confidence.
double NumberOrNan(FieldReader& fields, const LineReader& reader) {
  const std::string_view text = fields.Text();
  double value = std::numeric_limits<double>::quiet_NaN();
  if (!text.empty() && !ParseNumber(text, &value)) reader.Fail("a standard deviation is not a number");
  return value;
}

PoseRow ReadRow(LineReader& reader, std::string_view line, const std::string& layout, bool has_confidence) {
  FieldReader fields(reader, line, ',', layout);
  PoseRow row;
  row.timestamp_ns = fields.Nanoseconds();
  for (double& coordinate : row.world_from_camera.translation) coordinate = fields.Number();
  for (double& coefficient : row.world_from_camera.rotation.coeffs()) coefficient = fields.Number();
  for (int r = 0; has_confidence && r < 6; ++r) {
    for (int c = r; c < 6; ++c) row.covariance(r, c) = row.covariance(c, r) = fields.Number();
  }
  const double frame = fields.Number();
  if (!(frame >= 0 && frame <= std::numeric_limits<uint32_t>::max()))
    reader.Fail("the frame number is out of range");
  row.frame = static_cast<int64_t>(frame);
  fields.Number();  // windows
  row.sigma_translation_m = NumberOrNan(fields, reader);
  row.sigma_rotation_rad = NumberOrNan(fields, reader);
  const std::string_view flags = fields.Text();
  row.damaged = flags.find("damaged") != std::string_view::npos;
  row.dropped_before = flags.find("dropped_before") != std::string_view::npos;
  return row;
}

}  // namespace

void PoseTable::Add(const PoseRow& row) {
  if (added_ == 0) first_timestamp_ns_ = row.timestamp_ns;
  pending_flags_ |= static_cast<uint8_t>((row.damaged ? kDamaged : 0) | (row.dropped_before ? kDropped : 0));
  if (added_++ % stride_ != 0) return;
  time_s_.push_back(1e-9 * static_cast<double>(static_cast<uint64_t>(row.timestamp_ns) -
                                               static_cast<uint64_t>(first_timestamp_ns_)));
  frame_.push_back(static_cast<uint32_t>(row.frame));
  for (const double value : row.world_from_camera.translation) position_.push_back(static_cast<float>(value));
  for (const double value : row.world_from_camera.rotation.coeffs())
    quaternion_.push_back(static_cast<float>(value));
  if (has_confidence_) {
    for (const int block : {0, 3}) {
      for (int r = 0; r < 3; ++r) {
        for (int c = r; c < 3; ++c)
          covariance_.push_back(static_cast<float>(row.covariance(block + r, block + c)));
      }
    }
    sigma_.push_back(static_cast<float>(row.sigma_translation_m));
    sigma_.push_back(static_cast<float>(row.sigma_rotation_rad));
  }
  flags_.push_back(pending_flags_);
  pending_flags_ = 0;
  if (size() >= max_poses_) Thin();
}

void PoseTable::Thin() {
  for (size_t i = 2; i < flags_.size(); i += 2) flags_[i] |= flags_[i - 1];
  if (flags_.size() % 2 == 0) pending_flags_ |= flags_.back();
  KeepEverySecond(time_s_, 1);
  KeepEverySecond(frame_, 1);
  KeepEverySecond(position_, 3);
  KeepEverySecond(quaternion_, 4);
  KeepEverySecond(covariance_, 12);
  KeepEverySecond(sigma_, 2);
  KeepEverySecond(flags_, 1);
  stride_ *= 2;
}

std::string PoseTable::ColumnsJson(size_t begin) const {
  return fmt::format(
      R"({{"time":"{}","frame":"{}","position":"{}","quaternion":"{}","covariance":"{}","sigma":"{}","flags":"{}"}})",
      ColumnFrom(time_s_, begin), ColumnFrom(frame_, begin), ColumnFrom(position_, 3 * begin),
      ColumnFrom(quaternion_, 4 * begin), ColumnFrom(covariance_, 12 * begin), ColumnFrom(sigma_, 2 * begin),
      ColumnFrom(flags_, begin));
}

PoseTable ReadPoseTable(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error(fmt::format("{}: cannot be read", path.string()));
  return ReadPoseTable(stream, path.string());
}

PoseTable ReadPoseTable(std::istream& stream, const std::string& name, size_t max_poses) {
  LineReader reader(stream, name);
  const std::string header(reader.Next());
  const bool has_confidence = header.find(",cov_px_px") != std::string::npos;
  std::string layout = CsvHeader(/*has_time=*/true, has_confidence);
  for (const std::string_view column : kRunColumns) layout += fmt::format(",{}", column);
  // Refinement adds columns after these.
  if (!header.starts_with(layout) || (header.size() > layout.size() && header[layout.size()] != ',')) {
    reader.Fail(fmt::format("unknown header; expected '{}'", layout));
  }
  PoseTable table(has_confidence, max_poses);
  int64_t last_ns = std::numeric_limits<int64_t>::min();
  for (auto line = reader.Next(); line.data() != nullptr; line = reader.Next()) {
    const PoseRow row = ReadRow(reader, line, layout, has_confidence);
    if (row.timestamp_ns <= last_ns) reader.Fail("the timestamp is not after the one before");
    last_ns = row.timestamp_ns;
    table.Add(row);
  }
  if (table.size() == 0) throw Error(fmt::format("{}: has no poses", name));
  return table;
}

}  // namespace calfvo
