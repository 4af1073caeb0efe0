// SPDX-License-Identifier: Apache-2.0
// Tables in the formats of --format.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eval/tables/result_table.h"

namespace calfvo {

struct TableFormat {
  std::string_view name;
  std::string_view extension;  // of a file, with its dot
  std::string (*write)(std::span<const ResultTable> tables);
};

// text: aligned, with * for best and + for second best. markdown and html: bold and underlined; html
// holds the figures too. latex: the same, for booktabs. csv: one line per number,
// `table,row,column,value,mark`.
std::span<const TableFormat> TableFormats();
const TableFormat& TableFormatFromName(std::string_view name);  // throws Error listing the names

}  // namespace calfvo
