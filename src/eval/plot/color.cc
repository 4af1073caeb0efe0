// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/color.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace calfvo {
namespace {

constexpr std::array<Color, kColorMapStops> kMapColors = {{
    {24, 26, 88},
    {29, 62, 128},
    {30, 98, 144},
    {27, 133, 142},
    {40, 164, 121},
    {102, 193, 91},
    {176, 216, 66},
    {248, 232, 74},
}};

constexpr std::array<Color, kPaletteColors> kPalette = {{
    {36, 99, 173},
    {205, 71, 62},
    {39, 141, 96},
    {217, 142, 24},
    {121, 82, 160},
    {20, 150, 176},
    {120, 90, 66},
}};

uint8_t Mix(uint8_t from, uint8_t to, double weight) {
  return static_cast<uint8_t>(std::lround(from + weight * (to - from)));
}

}  // namespace

Color ColorMap(double t) {
  if (std::isnan(t)) return kMissingGrey;
  const double position = std::clamp(t, 0.0, 1.0) * (kMapColors.size() - 1);
  const size_t index = std::min(static_cast<size_t>(position), kMapColors.size() - 2);
  const double weight = position - static_cast<double>(index);
  const Color& from = kMapColors[index];
  const Color& to = kMapColors[index + 1];
  return {Mix(from.r, to.r, weight), Mix(from.g, to.g, weight), Mix(from.b, to.b, weight)};
}

Color PaletteColor(size_t index) {
  return kPalette[index % kPalette.size()];
}

}  // namespace calfvo
