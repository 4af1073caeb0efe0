// SPDX-License-Identifier: Apache-2.0
#include "core/image/fill_masked.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace calfvo {
namespace {

constexpr int kMaxSide = 160;  // cells of the finest grid
constexpr int kSweeps = 12;    // per grid; the coarser one before leaves little to do

using Color = std::array<float, 3>;

// Colours of square cells; those that are not known are to be found.
struct Grid {
  Grid(int columns, int rows)
      : width(columns),
        height(rows),
        colors(static_cast<size_t>(columns) * static_cast<size_t>(rows)),
        is_known(colors.size()) {}

  size_t At(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
  }
  bool IsComplete() const { return std::find(is_known.begin(), is_known.end(), 0) == is_known.end(); }

  int width;
  int height;
  std::vector<Color> colors;
  std::vector<uint8_t> is_known;
};

// Means of blocks of `side`² places, over those that are known.
template <typename ColorOf, typename IsKnown>
Grid Reduced(int width, int height, int side, const ColorOf& color_of, const IsKnown& is_known) {
  Grid grid((width + side - 1) / side, (height + side - 1) / side);
  std::vector<float> counts(grid.colors.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (!is_known(x, y)) continue;
      const size_t at = grid.At(x / side, y / side);
      const Color color = color_of(x, y);
      for (size_t c = 0; c < 3; ++c) grid.colors[at][c] += color[c];
      ++counts[at];
    }
  }
  for (size_t at = 0; at < counts.size(); ++at) {
    grid.is_known[at] = counts[at] > 0.0F ? 1 : 0;
    for (float& channel : grid.colors[at]) channel /= std::max(counts[at], 1.0F);
  }
  return grid;
}

// Between the middles of four cells. A place of the finer grid, or pixel, is 1/side of a cell.
Color Between(const Grid& grid, int x, int y, int side) {
  const float step = 1.0F / static_cast<float>(side);
  const float u =
      std::clamp((static_cast<float>(x) + 0.5F) * step - 0.5F, 0.0F, static_cast<float>(grid.width - 1));
  const float v =
      std::clamp((static_cast<float>(y) + 0.5F) * step - 0.5F, 0.0F, static_cast<float>(grid.height - 1));
  const int left = static_cast<int>(u);
  const int top = static_cast<int>(v);
  const int right = std::min(left + 1, grid.width - 1);
  const int bottom = std::min(top + 1, grid.height - 1);
  const float a = u - static_cast<float>(left);
  const float b = v - static_cast<float>(top);
  Color color{};
  for (size_t c = 0; c < 3; ++c) {
    color[c] =
        (1 - b) * ((1 - a) * grid.colors[grid.At(left, top)][c] + a * grid.colors[grid.At(right, top)][c]) +
        b * ((1 - a) * grid.colors[grid.At(left, bottom)][c] + a * grid.colors[grid.At(right, bottom)][c]);
  }
  return color;
}

// Every unknown cell becomes the mean of its neighbours, again and again.
void Relax(Grid& grid) {
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (int y = 0; y < grid.height; ++y) {
      for (int x = 0; x < grid.width; ++x) {
        if (grid.is_known[grid.At(x, y)] != 0) continue;
        const std::array around = {
            grid.At(std::max(x - 1, 0), y), grid.At(std::min(x + 1, grid.width - 1), y),
            grid.At(x, std::max(y - 1, 0)), grid.At(x, std::min(y + 1, grid.height - 1))};
        Color mean{};
        for (const size_t at : around) {
          for (size_t c = 0; c < 3; ++c) mean[c] += 0.25F * grid.colors[at][c];
        }
        grid.colors[grid.At(x, y)] = mean;
      }
    }
  }
}

}  // namespace

void FillMasked(int width, int height, std::span<const uint8_t> mask, std::span<uint8_t> rgb) {
  const auto pixel = [&](int x, int y) {
    return static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
  };
  const auto is_seen = [&](int x, int y) { return mask[pixel(x, y)] != 0; };
  const auto color_of = [&](int x, int y) {
    const uint8_t* values = &rgb[3 * pixel(x, y)];
    return Color{static_cast<float>(values[0]), static_cast<float>(values[1]), static_cast<float>(values[2])};
  };
  if (std::find(mask.begin(), mask.end(), 0) == mask.end()) return;

  const int side = (std::max(width, height) + kMaxSide - 1) / kMaxSide;
  std::vector<Grid> grids = {Reduced(width, height, side, color_of, is_seen)};  // from fine to coarse
  while (!grids.back().IsComplete()) {
    const Grid& fine = grids.back();
    if (fine.colors.size() == 1) return;  // nothing is seen
    grids.push_back(Reduced(
        fine.width, fine.height, 2, [&](int x, int y) { return fine.colors[fine.At(x, y)]; },
        [&](int x, int y) { return fine.is_known[fine.At(x, y)] != 0; }));
  }
  for (size_t i = grids.size() - 1; i-- > 0;) {
    Grid& fine = grids[i];
    for (int y = 0; y < fine.height; ++y) {
      for (int x = 0; x < fine.width; ++x) {
        if (fine.is_known[fine.At(x, y)] == 0) fine.colors[fine.At(x, y)] = Between(grids[i + 1], x, y, 2);
      }
    }
    Relax(fine);
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (is_seen(x, y)) continue;
      const Color color = Between(grids.front(), x, y, side);
      for (size_t c = 0; c < 3; ++c) rgb[3 * pixel(x, y) + c] = static_cast<uint8_t>(std::lround(color[c]));
    }
  }
}

}  // namespace calfvo
