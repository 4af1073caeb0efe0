// SPDX-License-Identifier: Apache-2.0
// Pages that hold everything themselves: no other file, no network.
#pragma once

#include <string>
#include <string_view>

#include "plot/figure.h"

namespace calfvo {

// A page with this title (plain text) as its heading; `body` is HTML.
std::string HtmlPage(std::string_view title, std::string_view body);

// A figure as HTML.
std::string HtmlFigure(const Figure& figure);

}  // namespace calfvo
