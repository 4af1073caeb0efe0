// SPDX-License-Identifier: Apache-2.0
#include "run/pose_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "calfvo/error.h"
#include "trajectory/line_reader.h"

namespace calfvo {
namespace {

std::vector<std::string_view> Fields(std::string_view line) {
  std::vector<std::string_view> fields;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find(',', begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

size_t ColumnOf(const LineReader& reader, const std::vector<std::string>& header, std::string_view name) {
  for (size_t i = 0; i < header.size(); ++i) {
    if (header[i] == name) return i;
  }
  reader.Fail(fmt::format("the header has no column '{}'", name));
}

template <typename Number>
Number NumberOf(const LineReader& reader, std::string_view field) {
  Number number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (error != std::errc() || end != field.data() + field.size()) {
    reader.Fail(fmt::format("'{}' is no number", field));
  }
  return number;
}

// Nothing in a field means unknown.
double SigmaOf(const LineReader& reader, std::string_view field) {
  return field.empty() ? std::numeric_limits<double>::quiet_NaN() : NumberOf<double>(reader, field);
}

}  // namespace

std::vector<PoseStep> ReadPoseSteps(const std::filesystem::path& poses_csv) {
  std::ifstream stream(poses_csv, std::ios::binary);
  if (!stream) throw Error(poses_csv.string() + ": cannot read it");
  LineReader reader(stream, poses_csv.string());
  std::vector<std::string> header;
  for (const std::string_view name : Fields(reader.Next())) header.emplace_back(name);
  const size_t estimates = ColumnOf(reader, header, "estimates");
  const size_t sigma_translation = ColumnOf(reader, header, "sigma_translation_m");
  const size_t sigma_rotation = ColumnOf(reader, header, "sigma_rotation_rad");
  const size_t frame = ColumnOf(reader, header, "frame");

  std::vector<PoseStep> steps;
  for (auto line = reader.Next(); line.data() != nullptr; line = reader.Next()) {
    const std::vector<std::string_view> fields = Fields(line);
    if (fields.size() != header.size()) {
      reader.Fail(fmt::format("has {} fields; the header has {}", fields.size(), header.size()));
    }
    steps.push_back({.estimates = NumberOf<double>(reader, fields[estimates]),
                     .sigma_translation_m = SigmaOf(reader, fields[sigma_translation]),
                     .sigma_rotation_rad = SigmaOf(reader, fields[sigma_rotation]),
                     .frame = NumberOf<int64_t>(reader, fields[frame])});
  }
  return steps;
}

}  // namespace calfvo
