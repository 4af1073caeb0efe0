// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/base/quoted.h"

namespace calfvo {
namespace {

size_t CharacterCount(std::string_view text) {
  // Every byte of UTF-8 but the continuation bytes 10xxxxxx starts a character.
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string FormatTable(std::vector<std::vector<std::string>> rows) {
  std::vector<size_t> widths;
  for (auto& row : rows) {
    for (std::string& cell : row) cell = Printable(cell);
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], CharacterCount(row[column]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t column = 0; column < row.size(); ++column) {
      const std::string padding(widths[column] - CharacterCount(row[column]), ' ');
      if (column > 0) line += "  ";
      line += column == 0 ? row[column] + padding : padding + row[column];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string FormatValue(double value) {
  if (std::isnan(value)) return "-";
  const double magnitude = std::abs(value);
  if (magnitude == 0.0) return "0";
  if (magnitude < 1e-6 || magnitude >= 1e6) return fmt::format("{:.3e}", value);
  const int decimals = std::clamp(3 - static_cast<int>(std::floor(std::log10(magnitude))), 0, 9);
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace calfvo
