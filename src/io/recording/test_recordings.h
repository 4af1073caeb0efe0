// SPDX-License-Identifier: Apache-2.0
// Small recordings for tests. Included by *_test.cc files only.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/little_endian.h"
#include "io/recording/cdr_writer.h"
#include "io/recording/mcap_writer.h"

namespace calfvo {

// A sensor_msgs/Image of ROS 2.
inline std::string CdrImage(int64_t stamp_ns, uint32_t width, uint32_t height, const std::string& encoding,
                            uint32_t step, const std::string& data, bool is_bigendian = false) {
  CdrWriter cdr;
  cdr.Time(stamp_ns).Text("camera");
  cdr.Number<uint32_t>(height).Number<uint32_t>(width).Text(encoding);
  cdr.Number<uint8_t>(is_bigendian).Number<uint32_t>(step).Bytes(data);
  return cdr.bytes();
}

// The same of ROS 1.
inline std::string Ros1Image(int64_t stamp_ns, uint32_t width, uint32_t height, const std::string& encoding,
                             uint32_t step, const std::string& data) {
  std::string bytes;
  const auto add = [&](uint32_t value) { AppendLittleEndian<uint32_t>(value, &bytes); };
  add(7);
  add(static_cast<uint32_t>(stamp_ns / 1'000'000'000));
  add(static_cast<uint32_t>(stamp_ns % 1'000'000'000));
  add(3);
  bytes += "cam";
  add(height);
  add(width);
  add(static_cast<uint32_t>(encoding.size()));
  bytes += encoding + '\0';
  add(step);
  add(static_cast<uint32_t>(data.size()));
  return bytes + data;
}

// Two images of 2×1 px on /image, and other messages on /other.
inline void WriteTestMcap(const std::filesystem::path& path, Compression compression,
                          size_t chunk_bytes = 100) {
  McapWriter writer(path, {.profile = "ros2", .compression = compression, .chunk_bytes = chunk_bytes});
  const uint16_t image = writer.AddSchema("sensor_msgs/msg/Image", "ros2msg", "");
  const uint16_t text = writer.AddSchema("std_msgs/msg/String", "ros2msg", "");
  const uint16_t images = writer.AddChannel(image, "/image", "cdr");
  const uint16_t others = writer.AddChannel(text, "/other", "cdr");
  writer.AddMessage(others, 10, "one");
  writer.AddMessage(images, 20, CdrImage(1'000'000'020, 2, 1, "rgb8", 6, "abcdef"));
  writer.AddMessage(others, 30, "two");
  writer.AddMessage(images, 40, CdrImage(1'000'000'040, 2, 1, "rgb8", 6, "ghijkl"));
  writer.Finish();
}

inline std::string BagRecord(const std::string& header, const std::string& data) {
  std::string bytes;
  AppendLittleEndian<uint32_t>(static_cast<uint32_t>(header.size()), &bytes);
  bytes += header;
  AppendLittleEndian<uint32_t>(static_cast<uint32_t>(data.size()), &bytes);
  return bytes + data;
}

inline std::string BagField(const std::string& name, const std::string& value) {
  std::string bytes;
  AppendLittleEndian<uint32_t>(static_cast<uint32_t>(name.size() + 1 + value.size()), &bytes);
  return bytes + name + '=' + value;
}

template <typename T>
std::string BagNumber(const std::string& name, T value) {
  std::string bytes;
  AppendLittleEndian<T>(value, &bytes);
  return BagField(name, bytes);
}

// The same content as a bag that was not closed: without index.
inline std::string TestBag(Compression compression = Compression::kLz4) {
  const auto connection = [](uint32_t id, const std::string& topic, const std::string& type) {
    return BagRecord(BagNumber<uint8_t>("op", 7) + BagNumber<uint32_t>("conn", id) + BagField("topic", topic),
                     BagField("topic", topic) + BagField("type", type));
  };
  const auto message = [](uint32_t id, uint32_t nanoseconds, const std::string& data) {
    return BagRecord(BagNumber<uint8_t>("op", 2) + BagNumber<uint32_t>("conn", id) +
                         BagNumber<uint64_t>("time", (uint64_t{nanoseconds} << 32) + 1),
                     data);
  };
  const std::string chunk = connection(3, "/image", "sensor_msgs/Image") +
                            connection(5, "/other", "std_msgs/String") + message(5, 10, "one") +
                            message(3, 20, Ros1Image(1'000'000'020, 2, 1, "rgb8", 6, "abcdef")) +
                            message(3, 40, Ros1Image(1'000'000'040, 2, 1, "rgb8", 6, "ghijkl"));
  const std::string name =
      compression == Compression::kNone ? "none" : std::string(CompressionName(compression));
  return "#ROSBAG V2.0\n" +
         BagRecord(BagNumber<uint8_t>("op", 3) + BagNumber<uint64_t>("index_pos", 0), std::string(40, ' ')) +
         BagRecord(BagNumber<uint8_t>("op", 5) + BagField("compression", name) +
                       BagNumber<uint32_t>("size", static_cast<uint32_t>(chunk.size())),
                   Compress(compression, chunk));
}

inline void WriteRecordingBytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace calfvo
