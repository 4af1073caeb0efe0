// SPDX-License-Identifier: Apache-2.0
#include "plot/stroke_font.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "plot/utf8.h"

namespace calfvo {
namespace {

// Strokes are separated by spaces; each point is two digits, x then y, on a grid where y = 2 is the baseline,
// 7 the height of an x, 9 that of a capital and 0 the foot of a p. A stroke is
//   a plain polyline             0209
//   ~ a smooth open curve        ~57590902: a quadratic B-spline from the first point to the last
//   @ a smooth closed curve      @02626909
//   a dot                        02
struct Glyph {
  int width;  // of the strokes, in grid units
  const char* strokes;
};

constexpr double kCapHeight = 7.0;      // grid units
constexpr int kBaseline = 2;            // grid units
constexpr double kCapHeightEm = 0.716;  // em
constexpr double kPenWidthEm = 0.086;   // em
constexpr double kSpacing = 1.8;        // grid units between letters
constexpr double kMinAdvance = 2.5;     // grid units, for the likes of i and .

constexpr std::array<Glyph, 95> kAscii = {{
    {1, ""},                                    // space
    {0, "0905 02"},                             // !
    {2, "0907 2927"},                           // "
    {4, "1219 3239 0444 0747"},                 // #
    {4, "~4748080645430304 2922"},              // $
    {6, "@07272909 @42626444 1259"},            // %
    {5, "5217 ~17193937 ~3706023255"},          // &
    {0, "0907"},                                // '
    {2, "~29070321"},                           // (
    {2, "~09272301"},                           // )
    {4, "2925 0846 0648"},                      // *
    {4, "0545 2327"},                           // +
    {1, "1200"},                                // ,
    {2, "0525"},                                // -
    {0, "02"},                                  // .
    {3, "0239"},                                // /
    {4, "@02424909"},                           // 0
    {4, "173932"},                              // 1
    {4, "~0709494602 0242"},                    // 2
    {4, "~0709494626 ~2646420204"},             // 3
    {4, "32390444"},                            // 4
    {4, "49090626 ~2646420203"},                // 5
    {4, "@02424606 ~04094948"},                 // 6
    {4, "094912"},                              // 7
    {4, "@06464909 @02424606"},                 // 8
    {4, "@05454909 ~47420203"},                 // 9
    {0, "02 06"},                               // :
    {1, "16 1200"},                             // ;
    {4, "470543"},                              // <
    {4, "0444 0646"},                           // =
    {4, "074503"},                              // >
    {4, "~0709494625 2524 22"},                 // ?
    {7, "~5102097974 ~74725257 @24545727"},     // @
    {6, "023962 1454"},                         // A
    {5, "22020929 ~29494626 0626 ~26565222"},   // B
    {5, "~575909025254"},                       // C
    {5, "22020929 ~29595222"},                  // D
    {4, "49090242 0636"},                       // E
    {4, "490902 0636"},                         // F
    {5, "~575909025255 5535"},                  // G
    {5, "0209 5259 0656"},                      // H
    {0, "0209"},                                // I
    {3, "3934 ~34320204"},                      // J
    {5, "0209 5904 2652"},                      // K
    {4, "090242"},                              // L
    {6, "0209346962"},                          // M
    {5, "02095259"},                            // N
    {6, "@02626909"},                           // O
    {5, "020929 ~29595525 2505"},               // P
    {6, "@02626909 4361"},                      // Q
    {5, "020929 ~29595525 2505 3552"},          // R
    {5, "~5759090655520204"},                   // S
    {4, "0949 2922"},                           // T
    {5, "0904 ~04025254 5459"},                 // U
    {6, "093269"},                              // V
    {8, "0922496289"},                          // W
    {5, "0259 0952"},                           // X
    {6, "093569 3532"},                         // Y
    {5, "09590252"},                            // Z
    {2, "29090121"},                            // [
    {3, "0932"},                                // backslash
    {2, "09292101"},                            // ]
    {4, "062946"},                              // ^
    {5, "0151"},                                // _
    {1, "0917"},                                // `
    {4, "~06074745 4542 ~4505024244"},          // a
    {4, "0902 @02424707"},                      // b
    {4, "~464707024243"},                       // c
    {4, "4942 @02424707"},                      // d
    {4, "0545 ~454707024243"},                  // e
    {2, "~291917 1712 0727"},                   // f
    {4, "4742 ~42400001 @02424707"},            // g
    {4, "0902 ~04074744 4442"},                 // h
    {0, "0702 09"},                             // i
    {1, "1711 ~111000 19"},                     // j
    {4, "0902 4704 1542"},                      // k
    {1, "0903 ~030212"},                        // l
    {6, "0207 ~04073734 3432 ~34376764 6462"},  // m
    {4, "0207 ~04074744 4442"},                 // n
    {4, "@02424707"},                           // o
    {4, "0700 @02424707"},                      // p
    {4, "4740 @02424707"},                      // q
    {2, "0207 ~040727"},                        // r
    {4, "~4647070544420203"},                   // s
    {2, "1813 ~131222 0727"},                   // t
    {4, "0705 ~05024245 4742"},                 // u
    {4, "072247"},                              // v
    {6, "0722364267"},                          // w
    {4, "0247 0742"},                           // x
    {4, "0722 4710"},                           // y
    {4, "07470242"},                            // z
    {3, "~39191605 ~05141131"},                 // {
    {0, "0900"},                                // |
    {3, "~09292635 ~35242101"},                 // }
    {4, "~04074346"},                           // ~
}};
constexpr Glyph kDegree = {2, "@07272909"};
constexpr Glyph kSigma = {5, "@02424707 2757"};
constexpr Glyph kUnknown = {4, "0242490902"};

const Glyph& FindGlyph(uint32_t code) {
  if (code >= 0x20 && code < 0x20 + kAscii.size()) return kAscii[code - 0x20];
  if (code == 0xB0) return kDegree;
  if (code == 0x3C3) return kSigma;
  return kUnknown;
}

double Advance(const Glyph& glyph) {
  return std::max(glyph.width + kSpacing, kMinAdvance);
}

double PixelsPerUnit(double size) {
  return size * kCapHeightEm / kCapHeight;
}

Point Middle(Point a, Point b) {
  return {(a.x + b.x) / 2, (a.y + b.y) / 2};
}

// Appends the quadratic Bézier curve after its first point.
void AppendBezier(std::vector<Point>& line, Point from, Point control, Point to) {
  constexpr int kPieces = 6;
  for (int i = 1; i <= kPieces; ++i) {
    const double t = static_cast<double>(i) / kPieces;
    const Point a{from.x + t * (control.x - from.x), from.y + t * (control.y - from.y)};
    const Point b{control.x + t * (to.x - control.x), control.y + t * (to.y - control.y)};
    line.push_back({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)});
  }
}

std::vector<Point> Smooth(const std::vector<Point>& controls, bool closed) {
  const size_t n = controls.size();
  std::vector<Point> line;
  if (closed) {
    Point from = Middle(controls[n - 1], controls[0]);
    line.push_back(from);
    for (size_t i = 0; i < n; ++i) {
      const Point to = Middle(controls[i], controls[(i + 1) % n]);
      AppendBezier(line, from, controls[i], to);
      from = to;
    }
    return line;
  }
  Point from = controls[0];
  line.push_back(from);
  for (size_t i = 1; i + 1 < n; ++i) {
    const Point to = i + 2 == n ? controls[n - 1] : Middle(controls[i], controls[i + 1]);
    AppendBezier(line, from, controls[i], to);
    from = to;
  }
  return line;
}

// Dots are drawn a little larger than the pen, or they would look weak next to lines.
std::vector<Point> DotOutline(Point center) {
  constexpr double kRadius = 0.22;  // grid units
  return {{center.x - kRadius, center.y},
          {center.x, center.y + kRadius},
          {center.x + kRadius, center.y},
          {center.x, center.y - kRadius},
          {center.x - kRadius, center.y}};
}

// The strokes of one glyph on the grid, y up from the baseline.
std::vector<std::vector<Point>> GridStrokes(std::string_view code) {
  std::vector<std::vector<Point>> strokes;
  while (!code.empty()) {
    const std::string_view word = code.substr(0, code.find(' '));
    code.remove_prefix(std::min(code.size(), word.size() + 1));
    const bool smooth = word[0] == '~' || word[0] == '@';
    std::vector<Point> points;
    for (size_t i = smooth ? 1 : 0; i + 1 < word.size(); i += 2) {
      points.push_back(
          {static_cast<double>(word[i] - '0'), static_cast<double>(word[i + 1] - '0' - kBaseline)});
    }
    if (points.size() == 1) points = DotOutline(points[0]);
    strokes.push_back(smooth ? Smooth(points, word[0] == '@') : std::move(points));
  }
  return strokes;
}

}  // namespace

double TextWidth(std::string_view text, double size) {
  double units = 0.0;
  while (!text.empty()) units += Advance(FindGlyph(TakeCharacter(text)));
  return units * PixelsPerUnit(size);
}

double TextPenWidth(double size) {
  return size * kPenWidthEm;
}

std::vector<std::vector<Point>> TextStrokes(std::string_view text, double size) {
  const double scale = PixelsPerUnit(size);
  std::vector<std::vector<Point>> strokes;
  double pen = 0.0;
  while (!text.empty()) {
    const Glyph& glyph = FindGlyph(TakeCharacter(text));
    const double left = pen + (Advance(glyph) - glyph.width) / 2;
    for (std::vector<Point>& stroke : GridStrokes(glyph.strokes)) {
      for (Point& point : stroke) point = {(left + point.x) * scale, -point.y * scale};
      strokes.push_back(std::move(stroke));
    }
    pen += Advance(glyph);
  }
  return strokes;
}

}  // namespace calfvo
