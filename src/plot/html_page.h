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

// A picture, given as the bytes of a PNG file, as HTML; `alt` (plain text) says what it shows.
std::string HtmlPicture(std::string_view png, std::string_view alt);

// RFC 4648.
std::string Base64(std::string_view bytes);

}  // namespace calfvo
