// SPDX-License-Identifier: Apache-2.0
// .sens files for tests, field by field as ScanNet's documentation lists them. Included by *_test.cc files
// only.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "calfvo/geometry.h"

namespace calfvo {

struct SensFields {
  struct OneFrame {
    std::array<float, 16> camera_to_world{};
    uint64_t color_time = 0;
    std::string color;
    std::string depth;
  };

  uint32_t version = 4;
  std::string sensor = "StructureSensor";
  std::array<float, 4> color_camera = {1170.1877F, 1170.1877F, 647.75F, 483.75F};  // fx fy cx cy
  int32_t color_compression = 2;
  int32_t depth_compression = 1;
  uint32_t color_width = 16;
  uint32_t color_height = 8;
  std::vector<OneFrame> frames;
  uint64_t imu_records = 2;
};

template <typename Value>
void AppendValue(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

inline std::string SensBytes(const SensFields& fields) {
  constexpr std::array<float, 16> kIdentity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const auto& [fx, fy, cx, cy] = fields.color_camera;
  std::string bytes;
  AppendValue(bytes, fields.version);
  AppendValue(bytes, uint64_t{fields.sensor.size()});
  bytes += fields.sensor;
  AppendValue(bytes, std::array<float, 16>{fx, 0, cx, 0, 0, fy, cy, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  AppendValue(bytes, kIdentity);
  AppendValue(bytes, std::array<float, 16>{577, 0, 319, 0, 0, 578, 239, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  AppendValue(bytes, kIdentity);
  AppendValue(bytes, fields.color_compression);
  AppendValue(bytes, fields.depth_compression);
  AppendValue(bytes, fields.color_width);
  AppendValue(bytes, fields.color_height);
  AppendValue(bytes, uint32_t{640});
  AppendValue(bytes, uint32_t{480});
  AppendValue(bytes, 1000.0F);
  AppendValue(bytes, uint64_t{fields.frames.size()});
  for (const SensFields::OneFrame& frame : fields.frames) {
    AppendValue(bytes, frame.camera_to_world);
    AppendValue(bytes, frame.color_time);
    AppendValue(bytes, frame.color_time + 5);
    AppendValue(bytes, uint64_t{frame.color.size()});
    AppendValue(bytes, uint64_t{frame.depth.size()});
    bytes += frame.color + frame.depth;
  }
  AppendValue(bytes, fields.imu_records);
  bytes.append(128 * fields.imu_records, '\x11');
  return bytes;
}

// Where the fields lie in files with the default sensor.
constexpr size_t kSensNameBytes = 4;
constexpr size_t kSensFrameCount = 304 + 15 - 8;
constexpr size_t kSensFirstFrame = 304 + 15;
constexpr size_t kSensColorBytes = kSensFirstFrame + 64 + 16;
constexpr size_t kSensDepthBytes = kSensColorBytes + 8;

inline std::array<float, 16> FloatMatrix(const Rigid3& pose) {
  const Eigen::Matrix3d rotation = pose.rotation.toRotationMatrix();
  std::array<float, 16> matrix{};
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      matrix[static_cast<size_t>(4 * row + column)] = static_cast<float>(rotation(row, column));
    }
    matrix[static_cast<size_t>(4 * row + 3)] = static_cast<float>(pose.translation[row]);
  }
  matrix[15] = 1.0F;
  return matrix;
}

inline std::array<float, 16> LostMatrix() {
  std::array<float, 16> matrix;
  matrix.fill(-std::numeric_limits<float>::infinity());
  return matrix;
}

}  // namespace calfvo
