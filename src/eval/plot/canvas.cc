// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/canvas.h"

#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "core/image/png.h"

namespace calfvo {
namespace {

constexpr const char* kFamily = "DejaVu Sans";

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using ScaledFont = std::unique_ptr<cairo_scaled_font_t, decltype(&cairo_scaled_font_destroy)>;

using FontOptions = std::unique_ptr<cairo_font_options_t, decltype(&cairo_font_options_destroy)>;

// Without hinting, text has the same proportions at every scale and in either format.
FontOptions MakeFontOptions() {
  FontOptions options(cairo_font_options_create(), &cairo_font_options_destroy);
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  return options;
}

ScaledFont MakeFont(double size) {
  cairo_font_face_t* face =
      cairo_toy_font_face_create(kFamily, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_matrix_t scale;
  cairo_matrix_t identity;
  cairo_matrix_init_scale(&scale, size, size);
  cairo_matrix_init_identity(&identity);
  ScaledFont font(cairo_scaled_font_create(face, &scale, &identity, MakeFontOptions().get()),
                  &cairo_scaled_font_destroy);
  cairo_font_face_destroy(face);
  return font;
}

bool IsUtf8(const std::string& text, cairo_scaled_font_t* font) {
  cairo_glyph_t* glyphs = nullptr;
  int count = 0;
  const cairo_status_t status = cairo_scaled_font_text_to_glyphs(
      font, 0.0, 0.0, text.data(), static_cast<int>(text.size()), &glyphs, &count, nullptr, nullptr, nullptr);
  cairo_glyph_free(glyphs);
  return status != CAIRO_STATUS_INVALID_STRING;
}

// What cairo can show: a file's name, for one, need not be UTF-8.
std::string Printable(std::string_view text, cairo_scaled_font_t* font) {
  std::string out(text);
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
  std::replace_if(out.begin(), out.end(), is_control, ' ');
  if (!IsUtf8(out, font)) {
    std::replace_if(
        out.begin(), out.end(), [](unsigned char c) { return c >= 0x80; }, '?');
  }
  return out;
}

double Width(const std::string& text, cairo_scaled_font_t* font) {
  cairo_text_extents_t extents;
  cairo_scaled_font_text_extents(font, text.c_str(), &extents);
  return extents.x_advance;
}

// cairo's own coordinates are 24.8 fixed-point numbers.
double Clamped(double px) {
  return std::clamp(px, -1e6, 1e6);
}

cairo_status_t Append(void* to, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

std::string EncodeSurface(cairo_surface_t* surface) {
  const int width = cairo_image_surface_get_width(surface);
  const int height = cairo_image_surface_get_height(surface);
  const unsigned char* row = cairo_image_surface_get_data(surface);
  std::vector<uint8_t> rgb;
  rgb.reserve(size_t{3} * static_cast<size_t>(width) * static_cast<size_t>(height));
  for (int y = 0; y < height; ++y, row += cairo_image_surface_get_stride(surface)) {
    for (int x = 0; x < width; ++x) {
      uint32_t pixel;
      std::memcpy(&pixel, row + ptrdiff_t{4} * x, 4);
      for (const int shift : {16, 8, 0}) rgb.push_back(static_cast<uint8_t>(pixel >> shift));
    }
  }
  return EncodePng({width, height, PixelFormat::kRgb8, rgb.data(), ptrdiff_t{3} * width});
}

// Removes the ids of surfaces, which count those of the whole process.
void DropSurfaceIds(std::string& svg) {
  constexpr std::string_view kId = " id=\"surface";
  for (size_t at = svg.find(kId); at != std::string::npos; at = svg.find(kId, at)) {
    svg.erase(at, svg.find('"', at + kId.size()) + 1 - at);
  }
}

}  // namespace

double TextWidth(std::string_view text, double size) {
  const ScaledFont font = MakeFont(size);
  return Width(Printable(text, font.get()), font.get());
}

void Canvas::Destroy::operator()(cairo_t* cairo) const {
  cairo_destroy(cairo);
}

Canvas::Canvas(Format format, int width, int height, int scale)
    : width_(width), height_(height), format_(format), svg_(std::make_unique<std::string>()) {
  const Surface surface(format == Format::kSvg
                            ? cairo_svg_surface_create_for_stream(&Append, svg_.get(), width, height)
                            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, width * scale, height * scale),
                        &cairo_surface_destroy);
  if (format == Format::kSvg) {
    cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PX);
  } else {
    cairo_surface_set_device_scale(surface.get(), scale, scale);
  }
  cairo_.reset(cairo_create(surface.get()));
  cairo_set_line_cap(cairo_.get(), CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(cairo_.get(), CAIRO_LINE_JOIN_ROUND);
  cairo_select_font_face(cairo_.get(), kFamily, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_options(cairo_.get(), MakeFontOptions().get());
  FillRect({0.0, 0.0, static_cast<double>(width), static_cast<double>(height)}, kWhite);
}

void Canvas::Path(std::span<const Point> points) {
  for (const Point& point : points) cairo_line_to(cairo_.get(), Clamped(point.x), Clamped(point.y));
}

void Canvas::SetColor(Color color) {
  cairo_set_source_rgba(cairo_.get(), color.r / 255.0, color.g / 255.0, color.b / 255.0, color.a / 255.0);
}

void Canvas::Polyline(std::span<const Point> points, const Stroke& stroke) {
  Path(points);
  if (points.size() == 1) Path(points);
  SetColor(stroke.color);
  cairo_set_line_width(cairo_.get(), stroke.width);
  const double dashes[] = {stroke.dash_on, stroke.dash_off};
  cairo_set_dash(cairo_.get(), dashes, stroke.dash_on > 0.0 ? 2 : 0, 0.0);
  cairo_stroke(cairo_.get());
}

void Canvas::Fill(std::span<const Point> polygon, Color color) {
  Path(polygon);
  SetColor(color);
  cairo_fill(cairo_.get());
}

void Canvas::FillRect(const Rect& rect, Color color) {
  const Point corners[] = {
      {rect.left, rect.top}, {rect.right, rect.top}, {rect.right, rect.bottom}, {rect.left, rect.bottom}};
  Fill(corners, color);
}

void Canvas::FillColorMap(const Rect& rect) {
  cairo_pattern_t* gradient = cairo_pattern_create_linear(0.0, rect.bottom, 0.0, rect.top);
  for (size_t i = 0; i < kColorMapStops; ++i) {
    const double t = static_cast<double>(i) / (kColorMapStops - 1);
    const Color color = ColorMap(t);
    cairo_pattern_add_color_stop_rgb(gradient, t, color.r / 255.0, color.g / 255.0, color.b / 255.0);
  }
  cairo_set_source(cairo_.get(), gradient);
  cairo_pattern_destroy(gradient);
  cairo_rectangle(cairo_.get(), rect.left, rect.top, rect.width(), rect.height());
  cairo_fill(cairo_.get());
}

void Canvas::Text(Point position, std::string_view text, const TextStyle& style) {
  const ScaledFont font = MakeFont(style.size);
  const std::string printable = Printable(text, font.get());
  const double before = style.anchor == TextAnchor::kStart    ? 0.0
                        : style.anchor == TextAnchor::kMiddle ? 0.5
                                                              : 1.0;
  cairo_save(cairo_.get());
  cairo_translate(cairo_.get(), Clamped(position.x), Clamped(position.y));
  if (style.upwards) cairo_rotate(cairo_.get(), -std::numbers::pi / 2);
  cairo_move_to(cairo_.get(), -before * Width(printable, font.get()), 0.0);
  cairo_set_font_size(cairo_.get(), style.size);
  SetColor(style.color);
  cairo_show_text(cairo_.get(), printable.c_str());
  cairo_new_path(cairo_.get());  // which show_text leaves a point in
  cairo_restore(cairo_.get());
}

void Canvas::Image(Point left_top, const ImageView& rgb) {
  const Surface image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, rgb.width, rgb.height),
                      &cairo_surface_destroy);
  unsigned char* row = cairo_image_surface_get_data(image.get());
  for (int y = 0; row != nullptr && y < rgb.height; ++y, row += cairo_image_surface_get_stride(image.get())) {
    for (int x = 0; x < rgb.width; ++x) {
      const uint8_t* from = rgb.pixels + y * rgb.stride + ptrdiff_t{3} * x;
      const uint32_t pixel = uint32_t{from[0]} << 16 | uint32_t{from[1]} << 8 | from[2];
      std::memcpy(row + ptrdiff_t{4} * x, &pixel, 4);
    }
  }
  cairo_surface_mark_dirty(image.get());
  cairo_set_source_surface(cairo_.get(), image.get(), left_top.x, left_top.y);
  cairo_paint(cairo_.get());
}

std::string Canvas::Finish() {
  cairo_surface_t* surface = cairo_get_target(cairo_.get());
  cairo_surface_flush(surface);
  std::string png;
  const bool is_drawn = cairo_status(cairo_.get()) == CAIRO_STATUS_SUCCESS;
  if (is_drawn && format_ == Format::kPng) png = EncodeSurface(surface);
  cairo_surface_finish(surface);
  const cairo_status_t status = is_drawn ? cairo_surface_status(surface) : cairo_status(cairo_.get());
  if (status != CAIRO_STATUS_SUCCESS) {
    throw Error(
        fmt::format("cannot draw an image of {}x{} px: {}", width_, height_, cairo_status_to_string(status)));
  }
  if (format_ == Format::kPng) return png;
  DropSurfaceIds(*svg_);
  return std::move(*svg_);
}

}  // namespace calfvo

#if defined(__clang__)
#if __has_feature(address_sanitizer)
// Fontconfig keeps its configuration until the process ends.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:libfontconfig.so";
}
extern "C" const char* __lsan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "print_suppressions=0";
}
#endif
#endif
