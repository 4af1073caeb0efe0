// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/mover_layer.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/portable/random.h"

namespace calfvo {
namespace {

using portable::Random;

constexpr double kTau = 2.0 * std::numbers::pi;

double Between(Random& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random.Uniform());
}

double Square(double value) {
  return value * value;
}

// Uniform in [0, 1), a function of its arguments.
double Cell(uint32_t texture, int64_t u, int64_t v) {
  const uint64_t key = (static_cast<uint64_t>(texture) << 32) ^
                       (static_cast<uint64_t>(u) * 0x9E3779B97F4A7C15ULL) ^
                       (static_cast<uint64_t>(v) * 0xC2B2AE3D27D4EB4FULL);
  return static_cast<double>(portable::Mix(key) >> 40) * 0x1p-24;
}

double SmoothNoise(uint32_t texture, double u, double v) {
  const double fu = std::floor(u);
  const double fv = std::floor(v);
  const auto ease = [](double t) { return t * t * (3.0 - 2.0 * t); };
  const double a = ease(u - fu);
  const double b = ease(v - fv);
  const auto i = static_cast<int64_t>(fu);
  const auto j = static_cast<int64_t>(fv);
  return (1 - b) * ((1 - a) * Cell(texture, i, j) + a * Cell(texture, i + 1, j)) +
         b * ((1 - a) * Cell(texture, i, j + 1) + a * Cell(texture, i + 1, j + 1));
}

}  // namespace

double MoverLayer::Course::At(double time_s) const {
  double value = middle;
  for (size_t i = 0; i < 2; ++i) value += amplitude[i] * std::sin(rate[i] * time_s + phase[i]);
  return value;
}

MoverLayer::MoverLayer(double share, int width, int height, double duration_s, uint64_t seed)
    : width_(width), height_(height) {
  Random random(seed);
  const double aspect = static_cast<double>(width) / height;
  const auto course = [&](double middle, double amplitude) {
    Course made{.middle = middle};
    for (size_t i = 0; i < 2; ++i) {
      made.amplitude[i] = amplitude * Between(random, 0.4, 1.0);
      made.rate[i] = kTau / Between(random, 1.5, 6.0);  // there and back in some seconds, like people
      made.phase[i] = Between(random, 0.0, kTau);
    }
    return made;
  };
  for (Mover& mover : movers_) {
    mover.x = course(Between(random, 0.15, 0.85) * aspect, 0.12);
    mover.y = course(Between(random, 0.2, 0.8), 0.06);
    mover.turn = course(Between(random, 0.0, kTau), 0.2);
    mover.growth = course(1.0, 0.05);
    mover.radius = Between(random, 0.6, 1.4);
    mover.stretch = Between(random, 1.2, 1.9);
    mover.texture = random.Bits();
    for (auto& color : mover.colors) {
      for (double& channel : color) channel = Between(random, 20.0, 235.0);
    }
  }
  // Larger ellipses cover more, so bisection finds the size.
  double low = 0.0;
  double high = 8.0;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (MeanShare(middle, duration_s) < share ? low : high) = middle;
  }
  size_ = share > 0.0 ? 0.5 * (low + high) : 0.0;
}

std::array<MoverLayer::Placed, MoverLayer::kMovers> MoverLayer::PlacedAt(double time_s, double size) const {
  std::array<Placed, kMovers> placed;
  for (size_t i = 0; i < kMovers; ++i) {
    const Mover& mover = movers_[i];
    const double radius = std::max(1e-9, size * mover.radius * mover.growth.At(time_s)) * height_;
    const double along = radius * std::sqrt(mover.stretch);
    const double across = radius / std::sqrt(mover.stretch);
    const double c = std::cos(mover.turn.At(time_s));
    const double s = std::sin(mover.turn.At(time_s));
    const double x = mover.x.At(time_s) * height_;
    const double y = mover.y.At(time_s) * height_;
    placed[i] = {{c / along, s / along, -(c * x + s * y) / along,  //
                  -s / across, c / across, (s * x - c * y) / across},
                 &mover};
  }
  return placed;
}

double MoverLayer::MeanShare(double size, double duration_s) const {
  constexpr int kTimes = 24;
  constexpr int kSide = 48;  // places along each side
  int covered = 0;
  for (int i = 0; i < kTimes; ++i) {
    const auto placed = PlacedAt(duration_s * (i + 0.5) / kTimes, size);
    for (int place = 0; place < kSide * kSide; ++place) {
      const double x = width_ * (place % kSide + 0.5) / kSide;
      const double y = height_ * (place / kSide + 0.5) / kSide;
      covered += std::any_of(placed.begin(), placed.end(), [&](const Placed& p) {
        const auto& r = p.rows;
        return Square(r[0] * x + r[1] * y + r[2]) + Square(r[3] * x + r[4] * y + r[5]) < 1.0;
      });
    }
  }
  return static_cast<double>(covered) / (kTimes * kSide * kSide);
}

std::vector<uint8_t> MoverLayer::Paint(double time_s, std::span<uint8_t> rgb) const {
  constexpr double kCells = 5.0;  // of the texture along a half axis
  std::vector<uint8_t> mask(static_cast<size_t>(width_) * static_cast<size_t>(height_), 255);
  const auto placed = PlacedAt(time_s, size_);
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) {
      for (const Placed& p : placed) {  // the first is the nearest
        const auto& r = p.rows;
        const double u = r[0] * (x + 0.5) + r[1] * (y + 0.5) + r[2];
        const double v = r[3] * (x + 0.5) + r[4] * (y + 0.5) + r[5];
        if (u * u + v * v >= 1.0) continue;
        const size_t at = static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
        mask[at] = 0;
        const double coarse = SmoothNoise(p.mover->texture, kCells * u, kCells * v);
        const double fine = SmoothNoise(p.mover->texture + 1U, 3.0 * kCells * u, 3.0 * kCells * v);
        const auto& base = p.mover->colors[coarse < 0.5 ? 0 : 1];
        for (size_t c = 0; c < 3; ++c) {
          const double value =
              base[c] + (p.mover->colors[2][c] - base[c]) * 0.6 * fine * (1.0 - 0.4 * (u * u + v * v));
          rgb[3 * at + c] = static_cast<uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
        }
        break;
      }
    }
  }
  return mask;
}

}  // namespace calfvo
