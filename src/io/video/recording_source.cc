// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "calfvo/error.h"
#include "core/base/log.h"
#include "core/base/quoted.h"
#include "io/recording/recording.h"
#include "io/recording/ros_image.h"
#include "io/video/packet_decoder.h"
#include "io/video/source_kinds.h"
#include "io/video/timestamp_repair.h"

namespace calfvo {
namespace {

// "/a (sensor_msgs/Image), /b (sensor_msgs/Imu)", at most twenty.
std::string TopicList(const std::vector<RecordedTopic>& topics, bool images_only) {
  constexpr int kMost = 20;
  std::string text;
  int listed = 0;
  for (const RecordedTopic& topic : topics) {
    if (images_only && !IsImageTopic(topic)) continue;
    if (++listed > kMost) return text + ", …";
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", Printable(topic.name), Printable(topic.type));
  }
  return text.empty() ? "none" : text;
}

size_t ChooseTopic(const std::string& name, const std::vector<RecordedTopic>& topics,
                   const std::string& wanted) {
  std::vector<size_t> images;
  for (size_t i = 0; i < topics.size(); ++i) {
    if (!wanted.empty() && topics[i].name != wanted) continue;
    if (IsImageTopic(topics[i])) images.push_back(i);
    if (!wanted.empty() && !IsImageTopic(topics[i])) {
      throw Error(
          fmt::format("{}: the topic {} has {}, not sensor_msgs/Image, CompressedImage or video packets",
                      name, Quoted(wanted), Quoted(topics[i].type)));
    }
  }
  if (images.size() == 1 || (!wanted.empty() && !images.empty())) return images[0];
  if (!wanted.empty()) {
    throw Error(fmt::format("{}: has no topic {}; its topics with images: {}", name, Quoted(wanted),
                            TopicList(topics, true)));
  }
  if (images.empty()) {
    throw Error(fmt::format("{}: has no topic with images; its topics: {}", name, TopicList(topics, false)));
  }
  throw Error(fmt::format("{}: has {} topics with images; choose one with --topic: {}", name, images.size(),
                          TopicList(topics, true)));
}

// A recording whose messages of one topic come next.
class TopicReader {
 public:
  TopicReader(const std::filesystem::path& path, const SourceOptions& options)
      : name_(path.string()), recording_(OpenRecording(path)) {
    const size_t chosen = ChooseTopic(name_, recording_->topics(), options.topic);
    topic_ = recording_->topics()[chosen];
    recording_->Select(chosen);
    info_.kind = "recording";
    info_.description = fmt::format("{} ({})", topic_.name, topic_.type);
    if (topic_.messages) info_.frame_count = static_cast<int64_t>(*topic_.messages);
  }

  const std::string& name() const { return name_; }
  const RecordedTopic& topic() const { return topic_; }
  const SourceInfo& info() const { return info_; }

  bool Next(RecordedMessage& message) { return recording_->Next(message); }

  // The time of the next frame, as its message has it.
  int64_t RepairedTime(int64_t time_ns) {
    const int64_t time = repair_.Next(time_ns);
    if (repair_.repaired() == 1 && !std::exchange(warned_, true)) {
      LogWarning("{}: the time of an image is not after the one before; replaced", name_);
    }
    return time;
  }

 private:
  static constexpr int64_t kUsualIntervalNs = 33'333'333;

  std::string name_;
  std::unique_ptr<Recording> recording_;
  RecordedTopic topic_;
  SourceInfo info_;
  TimestampRepair repair_{kUsualIntervalNs};
  bool warned_ = false;
};

int64_t TimeOf(const RosImage& image, const RecordedMessage& message) {
  return image.stamp_ns != 0 ? image.stamp_ns : message.time_ns;
}

class RecordedImages final : public FrameSource {
 public:
  explicit RecordedImages(TopicReader reader) : reader_(std::move(reader)) {}

  bool Advance(Frame& frame) override {
    if (!reader_.Next(message_)) return false;
    problem_.clear();
    image_ = {};
    try {
      image_ = ParseRosImage(reader_.topic(), message_.data);
    } catch (const Error& error) {
      problem_ = error.what();
    }
    frame.index = ++index_;
    frame.timestamp_ns = reader_.RepairedTime(TimeOf(image_, message_));
    return true;
  }

  void Read(Frame& frame) override {
    try {
      if (!problem_.empty()) throw Error(problem_);
      DecodeRosImage(image_, frame);
      frame.damage.clear();
      good_.assign(message_.data);
    } catch (const Error& error) {
      if (good_.empty()) throw Error(fmt::format("{}: image {}: {}", reader_.name(), index_, error.what()));
      frame.damage = error.what();
      DecodeRosImage(ParseRosImage(reader_.topic(), good_), frame);
    }
  }

  const SourceInfo& info() const override { return reader_.info(); }

 private:
  TopicReader reader_;
  RecordedMessage message_;
  RosImage image_;
  std::string problem_;  // of the current message
  std::string good_;     // the last message that could be decoded
  int64_t index_ = -1;
};

// Packets of video. As in video files, one that cannot be decoded marks the image after it.
class RecordedVideo final : public FrameSource {
 public:
  explicit RecordedVideo(TopicReader reader) : reader_(std::move(reader)) {}

  bool Advance(Frame& frame) override {
    std::optional<int64_t> number;
    while (!(number = NextImage())) {
      if (ended_) {
        if (index_ < 0 && !damage_.empty()) {
          throw Error(fmt::format("{}: none of its {} packets could be decoded; the first: {}",
                                  reader_.name(), packets_, damage_));
        }
        return false;
      }
      SendPacket();
    }
    const auto time = times_.find(*number);
    frame.timestamp_ns = reader_.RepairedTime(time != times_.end() ? time->second : 0);
    if (time != times_.end()) times_.erase(time);
    frame.index = ++index_;
    damage_before_ = std::exchange(damage_, {});
    return true;
  }

  void Read(Frame& frame) override {
    decoder_->Read(frame);
    if (!damage_before_.empty()) frame.damage = damage_before_;
  }

  const SourceInfo& info() const override { return reader_.info(); }

 private:
  // Packets whose images a decoder may hold back, and some that never gave one.
  static constexpr size_t kMostTimes = 256;

  std::optional<int64_t> NextImage() {
    while (decoder_) {
      try {
        return decoder_->Next();
      } catch (const Error& error) {
        NoteDamage(error.what());
      }
    }
    return std::nullopt;
  }

  void SendPacket() {
    RecordedMessage message;
    if (!reader_.Next(message)) {
      ended_ = true;
      if (decoder_) decoder_->End();
      return;
    }
    const int64_t number = packets_++;
    RosImage packet;
    try {
      packet = ParseRosImage(reader_.topic(), message.data);
    } catch (const Error& error) {
      NoteDamage(error.what());
      return;
    }
    if (!decoder_) decoder_.emplace(reader_.name(), packet.encoding);
    times_[number] = TimeOf(packet, message);
    if (times_.size() > kMostTimes) times_.erase(times_.begin());
    try {
      decoder_->Send(packet.data, number);
    } catch (const Error& error) {
      NoteDamage(error.what());
    }
  }

  // The first of several reasons is the cause.
  void NoteDamage(std::string reason) {
    if (damage_.empty()) damage_ = std::move(reason);
  }

  TopicReader reader_;
  std::optional<PacketDecoder> decoder_;  // from the first packet on, which names the codec
  std::map<int64_t, int64_t> times_;      // of packets whose images are to come
  int64_t packets_ = 0;
  int64_t index_ = -1;
  bool ended_ = false;
  std::string damage_;         // since the last image
  std::string damage_before_;  // the current one
};

}  // namespace

std::unique_ptr<FrameSource> OpenRecordedImages(const std::filesystem::path& path,
                                                const SourceOptions& options) {
  TopicReader reader(path, options);
  if (IsVideoTopic(reader.topic())) return std::make_unique<RecordedVideo>(std::move(reader));
  return std::make_unique<RecordedImages>(std::move(reader));
}

}  // namespace calfvo
