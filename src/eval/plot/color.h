// SPDX-License-Identifier: Apache-2.0
// Colours of figures.
#pragma once

#include <cstddef>
#include <cstdint>

namespace calfvo {

// sRGB with straight (not premultiplied) opacity; 255 is opaque.
struct Color {
  uint8_t r = 0;
  uint8_t g = 0;
  uint8_t b = 0;
  uint8_t a = 255;

  bool operator==(const Color&) const = default;
};

inline constexpr Color kWhite{255, 255, 255};
inline constexpr Color kInk{38, 42, 48};               // text and axes
inline constexpr Color kFrameGrey{110, 115, 122};      // tick marks and outlines
inline constexpr Color kGridGrey{228, 230, 233};       // grid lines
inline constexpr Color kReferenceGrey{128, 132, 138};  // ground truth, next to which an estimate stands out
inline constexpr Color kMissingGrey{176, 176, 176};    // what ColorMap gives for NaN

// Dark blue over teal and green to yellow, for t from 0 to 1; lightness grows with t, so that the order also
// shows in print and to colour-blind readers. t is clamped; NaN gives kMissingGrey.
Color ColorMap(double t);

// The colour map is linear between as many colours at equal distances.
inline constexpr size_t kColorMapStops = 8;

// Distinct colours for the lines of one panel; `index` wraps around at kPaletteColors.
inline constexpr size_t kPaletteColors = 7;
Color PaletteColor(size_t index);

}  // namespace calfvo
