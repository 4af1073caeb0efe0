// SPDX-License-Identifier: Apache-2.0
// Images in ROS messages, of ROS 1 and ROS 2: sensor_msgs/Image, sensor_msgs/CompressedImage, and packets of
// video (foxglove_msgs/CompressedVideo, ffmpeg_image_transport_msgs/FFMPEGPacket).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/image/frame.h"
#include "io/recording/recording.h"

namespace calfvo {

// Whether a topic's messages hold images or packets that are read. Compressed depth, which has its own
// header, is not.
bool IsImageTopic(const RecordedTopic& topic);
// Whether they hold packets of video, which need the packets before them.
bool IsVideoTopic(const RecordedTopic& topic);

struct RosImage {
  int64_t stamp_ns = 0;  // of the header; 0 if it was not set
  bool is_compressed = false;
  std::string_view encoding;  // "rgb8", or what the compressed image or the packet is
  uint32_t width = 0;         // pixels; of raw images only
  uint32_t height = 0;
  uint32_t step = 0;  // bytes from row to row
  bool is_bigendian = false;
  std::string_view data;
};

// The fields of a message of `topic`; views into `data`. Throws Error, without a file's name, for wrong
// lengths.
RosImage ParseRosImage(const RecordedTopic& topic, std::string_view data);

// Fills size and image of `frame`; not for packets. Raw: rgb8, bgr8, rgba8, bgra8, mono8, mono16, 8UC1, 8UC3
// (as bgr8), 16UC1 (as mono16), bayer_{rggb,bggr,gbrg,grbg}8, yuv422 (UYVY) and yuv422_yuy2, in BT.601's
// limited range. Compressed: what DecodeImage reads. Throws Error, without a file's name.
void DecodeRosImage(const RosImage& image, Frame& frame);

}  // namespace calfvo
