// SPDX-License-Identifier: Apache-2.0
// Tables as aligned text.
#pragma once

#include <string>
#include <vector>

namespace calfvo {

// Rows of cells; the first row is the heading. The first column is aligned left, the others right, two blanks
// apart. Width is counted in characters, not bytes ("°" is one). Short rows end early.
std::string FormatTable(std::vector<std::vector<std::string>> rows);

// Four significant digits and no exponent for everyday values: "0.004816", "12.35", "1.200e-09"; "-" for NaN.
std::string FormatValue(double value);

}  // namespace calfvo
