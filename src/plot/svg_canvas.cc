// SPDX-License-Identifier: Apache-2.0
#include "plot/svg_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "plot/utf8.h"

namespace calfvo {
namespace {

// Shortest form with two decimals at most: 12, 12.5, -0.25.
void AppendNumber(std::string& out, double value) {
  const long long hundredths = std::llround(std::clamp(value, -1e6, 1e6) * 100.0);
  const long long magnitude = std::abs(hundredths);
  if (hundredths < 0) out += '-';
  fmt::format_to(std::back_inserter(out), "{}", magnitude / 100);
  const int fraction = static_cast<int>(magnitude % 100);
  if (fraction % 10 != 0) {
    fmt::format_to(std::back_inserter(out), ".{:02}", fraction);
  } else if (fraction != 0) {
    fmt::format_to(std::back_inserter(out), ".{}", fraction / 10);
  }
}

std::string Number(double value) {
  std::string out;
  AppendNumber(out, std::isfinite(value) ? value : 0.0);
  return out;
}

void AppendPoint(std::string& out, Point point) {
  AppendNumber(out, point.x);
  out += ' ';
  AppendNumber(out, point.y);
}

// `name="#rrggbb"`, with the opacity where it is not full.
std::string Paint(std::string_view name, Color color) {
  std::string out = fmt::format(" {}=\"#{:02x}{:02x}{:02x}\"", name, color.r, color.g, color.b);
  if (color.a != 255) out += fmt::format(" {}-opacity=\"{}\"", name, Number(color.a / 255.0));
  return out;
}

}  // namespace

std::string EscapeXml(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view rest = text;
    const uint32_t code = TakeCharacter(text);
    switch (code) {
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
      case 0xFFFE:  // which XML forbids, too
      case 0xFFFF:
      case kReplacementCharacter:
        out += "\uFFFD";
        break;
      default:
        out += code < 0x20 && code != '\n' ? " " : rest.substr(0, rest.size() - text.size());
    }
  }
  return out;
}

void SvgCanvas::Polyline(std::span<const Point> points, const Stroke& stroke) {
  std::string path;
  size_t run = 0;  // points since the last gap
  // Of a dot, a line of no length, the round ends remain.
  const auto end_run = [&] {
    if (run == 1) path += "h0";
    run = 0;
  };
  for (const Point& point : points) {
    if (!IsFinite(point)) {
      end_run();
      continue;
    }
    path += run == 0 ? 'M' : run == 1 ? 'L' : ' ';
    AppendPoint(path, point);
    ++run;
  }
  end_run();
  if (path.empty()) return;
  body_ += fmt::format("<path d=\"{}\"{} stroke-width=\"{}\"", path, Paint("stroke", stroke.color),
                       Number(stroke.width));
  if (stroke.dash_on > 0.0 && stroke.dash_off > 0.0) {
    body_ += fmt::format(" stroke-dasharray=\"{} {}\"", Number(stroke.dash_on), Number(stroke.dash_off));
  }
  body_ += "/>\n";
}

void SvgCanvas::Fill(std::span<const Point> polygon, Color color) {
  std::string path;
  for (const Point& point : polygon) {
    if (!IsFinite(point)) continue;
    path += path.empty() ? "M" : " ";
    AppendPoint(path, point);
  }
  if (path.empty()) return;
  body_ += fmt::format("<path d=\"{}Z\"{}/>\n", path, Paint("fill", color));
}

void SvgCanvas::Text(Point position, std::string_view text, const TextStyle& style) {
  if (text.empty() || !IsFinite(position)) return;
  const std::string x = Number(position.x);
  const std::string y = Number(position.y);
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{}", x, y, Number(style.size),
                       Paint("fill", style.color));
  if (style.anchor == TextAnchor::kMiddle) body_ += " text-anchor=\"middle\"";
  if (style.anchor == TextAnchor::kEnd) body_ += " text-anchor=\"end\"";
  if (style.rotation_deg == 90) body_ += fmt::format(" transform=\"rotate(-90 {} {})\"", x, y);
  body_ += fmt::format(">{}</text>\n", EscapeXml(text));
}

void SvgCanvas::PushClip(const Rect& rect) {
  const std::string x = Number(rect.left);
  const std::string y = Number(rect.top);
  const std::string width = Number(std::max(0.0, rect.width()));
  const std::string height = Number(std::max(0.0, rect.height()));
  // Named after its shape, so that several figures pasted into one page cannot take each other's clip.
  const std::string id = fmt::format("clip_{}_{}_{}_{}", x, y, width, height);
  body_ += fmt::format(
      "<clipPath id=\"{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/></clipPath>\n"
      "<g clip-path=\"url(#{0})\">\n",
      id, x, y, width, height);
  ++open_clips_;
}

void SvgCanvas::PopClip() {
  if (open_clips_ == 0) return;
  body_ += "</g>\n";
  --open_clips_;
}

std::string SvgCanvas::Document() const {
  const std::string width = Number(width_);
  const std::string height = Number(height_);
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Helvetica, Arial, sans-serif\" fill=\"none\" stroke-linecap=\"round\" "
      "stroke-linejoin=\"round\">\n",
      width, height);
  out += body_;
  for (int i = 0; i < open_clips_; ++i) out += "</g>\n";
  out += "</svg>\n";
  return out;
}

}  // namespace calfvo
