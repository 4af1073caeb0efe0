// SPDX-License-Identifier: Apache-2.0
// A table of results before it has a format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eval/plot/figure.h"

namespace calfvo {

enum class Mark { kNone, kBest, kSecondBest };

struct TableCell {
  std::string text;
  Mark mark = Mark::kNone;
};

struct ResultTable {
  std::string name;   // "accuracy"
  std::string title;  // one line, with the table of the paper that it follows
  std::string note;   // below the table; may be empty
  std::vector<std::string> heading;
  std::vector<std::vector<TableCell>> rows;  // as long as the heading; the first cell names the row
  std::optional<Figure> figure = {};         // that shows the same

  bool has_marks() const;
};

// `value` with so many decimals; "-" where it is not known.
TableCell NumberCell(double value, int decimals);

// Marks the smallest and the next larger number of a column among `rows` (indices). Numbers are compared as
// they are printed, so that equal ones are marked alike; unknown ones are passed over.
void MarkSmallest(ResultTable& table, size_t column, const std::vector<size_t>& rows);

}  // namespace calfvo
