// SPDX-License-Identifier: Apache-2.0
// Recordings of robots: messages on named topics, in MCAP files, ROS 1 bags and rosbag2's SQLite files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace calfvo {

struct RecordedTopic {
  std::string name;                  // "/camera/image_raw"
  std::string type;                  // "sensor_msgs/Image", also where ROS 2 writes sensor_msgs/msg/Image
  bool is_ros1 = false;              // how messages are serialized: ROS 1's way, else CDR
  std::optional<uint64_t> messages;  // how many, where the file has it
};

struct RecordedMessage {
  int64_t time_ns = 0;    // when it was recorded
  std::string_view data;  // until the next call of Next
};

// Reads one topic in the order of the file. Memory is bounded: a chunk, at most kMaxChunkBytes. One thread.
class Recording {
 public:
  static constexpr uint64_t kMaxChunkBytes = 256 << 20;

  virtual ~Recording() = default;

  // In the order of names. Nothing but complete entries: a file cut short has those up to the cut.
  const std::vector<RecordedTopic>& topics() const { return topics_; }

  // Starts at the first message of topics()[topic].
  virtual void Select(size_t topic) = 0;

  // The next message of the selected topic; false at the end. Throws Error naming the file for damage: wrong
  // checksums and lengths, chunks that are too large, a file that is cut short.
  virtual bool Next(RecordedMessage& message) = 0;

 protected:
  // The place of this topic in topics_, which grows if it is new.
  size_t TopicNumber(std::string_view name, std::string_view type, bool is_ros1);

  std::vector<RecordedTopic> topics_;
};

// Whether the first bytes of a file are those of a recording.
bool LooksLikeRecording(std::string_view beginning);

// Throws Error naming the file for one that is not a recording or cannot be read.
std::unique_ptr<Recording> OpenRecording(const std::filesystem::path& path);

// The kinds, one file each, for OpenRecording.
std::unique_ptr<Recording> OpenMcap(const std::filesystem::path& path);
std::unique_ptr<Recording> OpenRosbag1(const std::filesystem::path& path);
std::unique_ptr<Recording> OpenRosbag2(const std::filesystem::path& path);

}  // namespace calfvo
