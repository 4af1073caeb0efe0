// SPDX-License-Identifier: Apache-2.0
// Packets of video that come one by one, as in the messages of a recording.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/image/frame.h"

namespace calfvo {

// One thread. The same packets give the same images.
class PacketDecoder {
 public:
  // `codec` is "h264", "h265" or "hevc", "vp9" or "av1", or names one in another way ("libx264"). `name`
  // stands for the input in messages. Throws Error for another codec, and in a build without FFmpeg.
  PacketDecoder(const std::string& name, std::string_view codec);
  ~PacketDecoder();

  // The next packet, in the order of decoding; H.264 and H.265 as in Annex B. `number` identifies its image.
  // Throws Error, without a file's name, for one that cannot be decoded; the next may follow.
  void Send(std::string_view packet, int64_t number);
  // No packet follows.
  void End();

  // Moves to the next image in the order of display and returns its packet's number. Nothing if it needs
  // another packet, or after the last. Throws Error as Send does.
  std::optional<int64_t> Next();
  // Fills size, pixel aspect, image and damage of `frame`.
  void Read(Frame& frame);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace calfvo
