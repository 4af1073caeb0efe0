// SPDX-License-Identifier: Apache-2.0
#include "core/trajectory/edge_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>

#include "calfvo/error.h"
#include "core/base/line_reader.h"
#include "core/base/number_text.h"

namespace calfvo {
namespace {

constexpr std::array<std::string_view, 4> kEdgeColumns = {"frame", "windows", "sigma_translation_m",
                                                          "sigma_rotation_rad"};

// Where each of kEdgeColumns stands in the header.
std::array<int, 4> FindEdgeColumns(const LineReader& reader, std::string_view header) {
  std::array<int, 4> places = {-1, -1, -1, -1};
  FieldReader fields(reader, header, ',', header);
  const int count = CountFields(header, ',');
  for (int place = 0; place < count; ++place) {
    const auto column = std::find(kEdgeColumns.begin(), kEdgeColumns.end(), fields.Text());
    // The first column of a trajectory without a clock is called frame as well.
    if (column != kEdgeColumns.end() && place > 0) {
      places[static_cast<size_t>(column - kEdgeColumns.begin())] = place;
    }
  }
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0) reader.Fail(fmt::format("the header lacks the column '{}'", kEdgeColumns[i]));
  }
  return places;
}

}  // namespace

std::vector<EdgeRecord> ReadEdgeRecords(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error(fmt::format("{}: cannot be read", path.string()));
  LineReader reader(stream, path.string());
  const std::string header(reader.Next());
  if (header.empty()) throw Error(fmt::format("{}: holds no poses", path.string()));
  const std::array<int, 4> places = FindEdgeColumns(reader, header);
  const int last = *std::max_element(places.begin(), places.end());
  std::vector<EdgeRecord> edges;
  for (auto line = reader.Next(); line.data() != nullptr; line = reader.Next()) {
    FieldReader fields(reader, line, ',', header);
    EdgeRecord& edge = edges.emplace_back();
    for (int place = 0; place <= last; ++place) {
      const std::string_view text = fields.Text();
      const auto column = std::find(places.begin(), places.end(), place);
      if (column == places.end()) continue;
      const auto index = static_cast<size_t>(column - places.begin());
      const bool is_count = index < 2;
      double value = std::numeric_limits<double>::quiet_NaN();
      if ((is_count || !text.empty()) && (!ParseNumber(text, &value) || !(value >= 0.0) || value > 1e15)) {
        reader.Fail(fmt::format("the column '{}' holds '{}'", kEdgeColumns[index], text));
      }
      if (index == 0) edge.frame = static_cast<int64_t>(value);
      if (index == 1) edge.windows = static_cast<int>(std::min(value, 1e9));
      if (index == 2) edge.sigma_translation_m = value;
      if (index == 3) edge.sigma_rotation_rad = value;
    }
  }
  return edges;
}

}  // namespace calfvo
