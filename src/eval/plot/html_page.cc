// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/html_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace calfvo {
namespace {

constexpr std::string_view kPage = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #262a30; max-width: 1100px; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.5rem; }}
h2 {{ font-size: 1.2rem; margin-top: 2rem; }}
pre {{ background: #f4f5f7; padding: 1rem; overflow-x: auto; font-size: 0.85rem; line-height: 1.4; }}
table {{ border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }}
th, td {{ padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid #e2e5ea; }}
th:first-child, td:first-child {{ text-align: left; }}
figure {{ margin: 1.5rem 0; }}
img {{ width: 100%; height: auto; }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}</body>
</html>
)";

std::string Image(std::string_view type, std::string_view bytes, std::string_view alt) {
  return fmt::format("<figure>\n<img alt=\"{}\" src=\"data:image/{};base64,{}\">\n</figure>\n",
                     EscapeXml(alt), type, Base64(bytes));
}

// What the figure shows, for readers who do not see it: its title, axes and curves.
std::string Description(const Figure& figure) {
  std::string text = figure.title;
  for (const Panel& panel : figure.panels) {
    text += fmt::format("; {}", panel.y_label);
    for (const Series& series : panel.series) {
      if (!series.label.empty()) text += fmt::format(", {}", series.label);
    }
  }
  return text;
}

}  // namespace

std::string HtmlPage(std::string_view title, std::string_view body) {
  return fmt::format(kPage, fmt::arg("title", EscapeXml(title)), fmt::arg("body", body));
}

// As an image: in the page itself, figures would share the ids of their glyphs.
std::string HtmlFigure(const Figure& figure) {
  return Image("svg+xml", RenderSvg(figure), Description(figure));
}

std::string HtmlImage(std::string_view png, std::string_view alt) {
  return Image("png", png, alt);
}

std::string EscapeXml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t begin = 0; begin < bytes.size(); begin += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - begin);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < count ? static_cast<uint8_t>(bytes[begin + i]) : 0U);
    }
    for (size_t i = 0; i < 4; ++i) text += i <= count ? kDigits[group >> (18 - 6 * i) & 63U] : '=';
  }
  return text;
}

}  // namespace calfvo
