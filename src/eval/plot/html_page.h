// SPDX-License-Identifier: Apache-2.0
// Pages that hold everything themselves: no other file, no network.
#pragma once

#include <string>
#include <string_view>

#include "eval/plot/figure.h"

namespace calfvo {

// A page with this title (plain text) as its heading; `body` is HTML.
std::string HtmlPage(std::string_view title, std::string_view body);

// A figure as HTML: its SVG as an image.
std::string HtmlFigure(const Figure& figure);

// An image, given as the bytes of a PNG file, as HTML; `alt` (plain text) describes it.
std::string HtmlImage(std::string_view png, std::string_view alt);

// Plain text for use inside an element or an attribute.
std::string EscapeXml(std::string_view text);

// RFC 4648.
std::string Base64(std::string_view bytes);

}  // namespace calfvo
