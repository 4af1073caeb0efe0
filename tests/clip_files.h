// SPDX-License-Identifier: Apache-2.0
// Reads what `calfvo synth` writes, by the description in docs/synth.md and nothing of the renderer.
#pragma once

#include <png.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "calfvo/error.h"
#include "calfvo/geometry.h"
#include "core/base/testing.h"

namespace calfvo {

// Samples in rows, as stored: 8 bits and 3 channels, or 16 bits and one.
struct PngFile {
  int width = 0;
  int height = 0;
  int bits = 0;
  int channels = 0;
  std::vector<uint16_t> values;
};

inline PngFile ReadPngFile(const std::filesystem::path& path) {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) throw Error("cannot open " + path.string());
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file.get());
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  PngFile image;
  image.width = static_cast<int>(png_get_image_width(png, info));
  image.height = static_cast<int>(png_get_image_height(png, info));
  image.bits = png_get_bit_depth(png, info);
  image.channels = png_get_channels(png, info);
  for (int y = 0; y < image.height; ++y) {
    const png_bytep row = png_get_rows(png, info)[y];
    for (int i = 0; i < image.width * image.channels; ++i) {
      image.values.push_back(image.bits == 16 ? static_cast<uint16_t>(row[2 * i] << 8 | row[2 * i + 1])
                                              : row[i]);
    }
  }
  png_destroy_read_struct(&png, &info, nullptr);
  return image;
}

struct FloFile {
  int width = 0;
  int height = 0;
  std::vector<float> values;  // [H, W, 2]
};

inline FloFile ReadFloFile(const std::filesystem::path& path) {
  const std::string bytes = ReadWholeFile(path);
  FloFile flow;
  if (bytes.size() < 12 || bytes.substr(0, 4) != "PIEH") throw Error("no flow in " + path.string());
  std::memcpy(&flow.width, &bytes[4], 4);
  std::memcpy(&flow.height, &bytes[8], 4);
  flow.values.resize(size_t{2} * flow.width * flow.height);
  if (bytes.size() != 12 + 4 * flow.values.size()) throw Error("wrong size of " + path.string());
  std::memcpy(flow.values.data(), &bytes[12], 4 * flow.values.size());
  return flow;
}

// camera.json in double precision.
struct FileCamera {
  explicit FileCamera(const std::filesystem::path& path) {
    const auto json = nlohmann::json::parse(ReadWholeFile(path));
    if (json["model"] != "pinhole_radial2") throw Error("unexpected model");
    width = json["width"];
    height = json["height"];
    fx = json["fx"];
    fy = json["fy"];
    cx = json["cx"];
    cy = json["cy"];
    k1 = json["k1"];
    k2 = json["k2"];
    depth_units_per_metre = json["depth_units_per_metre"];
  }

  Eigen::Vector2d Project(const Eigen::Vector3d& p) const {
    const double x = p.x() / p.z();
    const double y = p.y() / p.z();
    const double r2 = x * x + y * y;
    const double s = 1.0 + k1 * r2 + k2 * r2 * r2;
    return {fx * x * s + cx, fy * y * s + cy};
  }

  // The point seen at a pixel with z = 1, by fixed-point iteration.
  Eigen::Vector3d Direction(double u, double v) const {
    const double xd = (u - cx) / fx;
    const double yd = (v - cy) / fy;
    double x = xd;
    double y = yd;
    for (int i = 0; i < 200; ++i) {
      const double r2 = x * x + y * y;
      const double s = 1.0 + k1 * r2 + k2 * r2 * r2;
      x = xd / s;
      y = yd / s;
    }
    return {x, y, 1.0};
  }

  int width, height;
  double fx, fy, cx, cy, k1, k2, depth_units_per_metre;
};

}  // namespace calfvo
