// SPDX-License-Identifier: Apache-2.0
#include "io/recording/recording.h"

#include <fmt/format.h>

#include <fstream>

#include "calfvo/error.h"
#include "io/recording/mcap_format.h"

namespace calfvo {
namespace {

constexpr std::string_view kBagStart = "#ROSBAG V2.0\n";
constexpr std::string_view kSqliteStart = "SQLite format 3";
constexpr size_t kMaxTopics = 65'536;

}  // namespace

size_t Recording::TopicNumber(std::string_view name, std::string_view type, bool is_ros1) {
  std::string plain(type);
  constexpr std::string_view kMiddle = "/msg/";
  if (const size_t middle = plain.find(kMiddle); middle != std::string::npos) {
    plain.replace(middle, kMiddle.size(), "/");
  }
  for (size_t i = 0; i < topics_.size(); ++i) {
    if (topics_[i].name == name && topics_[i].type == plain && topics_[i].is_ros1 == is_ros1) return i;
  }
  if (topics_.size() == kMaxTopics) throw Error(fmt::format("has over {} topics", kMaxTopics));
  topics_.push_back({std::string(name), std::move(plain), is_ros1, {}});
  return topics_.size() - 1;
}

bool LooksLikeRecording(std::string_view beginning) {
  return beginning.starts_with(mcap::kMagic) || beginning.starts_with(kBagStart) ||
         beginning.starts_with(kSqliteStart);
}

std::unique_ptr<Recording> OpenRecording(const std::filesystem::path& path) {
  std::string beginning(16, '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<size_t>(stream.gcount()));
  if (beginning.starts_with(mcap::kMagic)) return OpenMcap(path);
  if (beginning.starts_with(kBagStart)) return OpenRosbag1(path);
  if (beginning.starts_with(kSqliteStart)) return OpenRosbag2(path);
  throw Error(fmt::format("{}: is not a recording (MCAP, ROS bag or rosbag2)", path.string()));
}

}  // namespace calfvo
