// SPDX-License-Identifier: Apache-2.0
// Moving objects before a scene, to measure what independent motion does to odometry.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace calfvo {

// Textured ellipses that drift, turn and grow by themselves, whatever the camera does. On average over time
// they cover a given share of the image. Everything follows from the arguments.
class MoverLayer {
 public:
  static constexpr double kMaxShare = 0.8;

  // `duration_s` is that of the clip, over which the average is taken.
  MoverLayer(double share, int width, int height, double duration_s, uint64_t seed);

  // Paints the objects at a time over `rgb` [H, W, 3]. Returns [H, W]: 0 where they are, else 255.
  std::vector<uint8_t> Paint(double time_s, std::span<uint8_t> rgb) const;

 private:
  static constexpr int kMovers = 5;
  // A sum of two sines: value(t) = middle + Σ amplitude·sin(rate·t + phase).
  struct Course {
    double middle = 0.0;
    std::array<double, 2> amplitude{}, rate{}, phase{};
    double At(double time_s) const;
  };
  struct Mover {
    Course x, y;          // centre, in units of the image's height
    Course turn;          // radians
    Course growth;        // factor on the size
    double radius = 0.0;  // mean of the half axes, relative to the others'
    double stretch = 1.0;
    uint32_t texture = 0;
    std::array<std::array<double, 3>, 3> colors{};
  };
  // The ellipse of a mover at a time: object coordinates are rows · (x, y, 1), inside where u² + v² < 1.
  struct Placed {
    std::array<double, 6> rows{};
    const Mover* mover = nullptr;
  };

  std::array<Placed, kMovers> PlacedAt(double time_s, double size) const;
  double MeanShare(double size, double duration_s) const;

  const int width_;
  const int height_;
  std::array<Mover, kMovers> movers_;
  double size_ = 0.0;  // half axis of a mover of radius 1, in units of the image's height
};

}  // namespace calfvo
