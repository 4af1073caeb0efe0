// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

namespace calfvo {
namespace {

constexpr std::string_view kNothing = "-";

}  // namespace

bool ResultTable::has_marks() const {
  return std::any_of(rows.begin(), rows.end(), [](const auto& row) {
    return std::any_of(row.begin(), row.end(), [](const auto& cell) { return cell.mark != Mark::kNone; });
  });
}

TableCell NumberCell(double value, int decimals) {
  if (std::isnan(value)) return {std::string(kNothing)};
  return {fmt::format("{:.{}f}", value, decimals)};
}

void MarkSmallest(ResultTable& table, size_t column, const std::vector<size_t>& rows) {
  std::set<double> values;
  const auto value = [](const TableCell& cell) { return std::strtod(cell.text.c_str(), nullptr); };
  for (const size_t row : rows) {
    const TableCell& cell = table.rows[row][column];
    if (cell.text != kNothing) values.insert(value(cell));
  }
  for (const size_t row : rows) {
    TableCell& cell = table.rows[row][column];
    if (cell.text == kNothing) continue;
    const auto rank = std::distance(values.begin(), values.find(value(cell)));
    if (rank < 2) cell.mark = rank == 0 ? Mark::kBest : Mark::kSecondBest;
  }
}

}  // namespace calfvo
