// SPDX-License-Identifier: Apache-2.0
// tests/interop/mcap_export.py reads such files with MCAP's own library.
#include "io/recording/mcap_writer.h"

#include <gtest/gtest.h>

#include "core/base/testing.h"
#include "io/recording/mcap_format.h"

namespace calfvo {
namespace {

std::string WriteTwoTopics(const std::filesystem::path& path) {
  McapWriter writer(path, {.profile = "ros2", .compression = Compression::kLz4, .chunk_bytes = 200});
  const uint16_t schema = writer.AddSchema("std_msgs/msg/String", "ros2msg", "string data\n");
  const uint16_t first = writer.AddChannel(schema, "/a", "cdr", {{"key", "value"}});
  const uint16_t second = writer.AddChannel(schema, "/b", "cdr");
  for (int i = 0; i < 20; ++i) writer.AddMessage(i % 3 == 0 ? second : first, 1000 + i, std::string(40, 'x'));
  writer.Finish();
  return ReadWholeFile(path);
}

TEST(McapWriter, BeginsAndEndsWithMagicAndRepeats) {
  const TempFolder folder;
  const std::string bytes = WriteTwoTopics(folder.path() / "a.mcap");
  EXPECT_TRUE(bytes.starts_with(mcap::kMagic));
  EXPECT_TRUE(bytes.ends_with(mcap::kMagic));
  EXPECT_EQ(bytes, WriteTwoTopics(folder.path() / "b.mcap"));
}

TEST(McapWriter, AnAbandonedFileDoesNotAppear) {
  const TempFolder folder;
  { McapWriter writer(folder.path() / "a.mcap", {}); }
  EXPECT_EQ(folder.FileCount(), 0);
}

}  // namespace
}  // namespace calfvo
