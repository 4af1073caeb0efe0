// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "core/base/testing.h"
#include "io/recording/recording.h"
#include "io/recording/test_recordings.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

// A database made by these statements.
void WriteDatabase(const std::filesystem::path& path, const char* statements) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, statements, nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  sqlite3_close(database);
}

constexpr const char* kTables =
    "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, "
    "serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);"
    "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, "
    "data BLOB NOT NULL);"
    "INSERT INTO topics VALUES (4, '/b', 'std_msgs/msg/String', 'cdr', ''), "
    "(9, '/a', 'sensor_msgs/msg/Image', 'cdr', '');"
    "INSERT INTO messages VALUES (1, 9, 100, x'010203'), (2, 4, 150, x'04'), (3, 9, 200, x'0506');";

TEST(Rosbag2, MessagesComeByTopicInOrder) {
  const TempFolder folder;
  WriteDatabase(folder.path() / "a.db3", kTables);
  const auto recording = OpenRecording(folder.path() / "a.db3");
  ASSERT_EQ(recording->topics().size(), 2U);
  EXPECT_EQ(recording->topics()[0].name, "/a");
  EXPECT_EQ(recording->topics()[0].type, "sensor_msgs/Image");
  recording->Select(0);
  RecordedMessage message;
  ASSERT_TRUE(recording->Next(message));
  EXPECT_EQ(message.time_ns, 100);
  EXPECT_EQ(message.data, "\1\2\3");
  ASSERT_TRUE(recording->Next(message));
  EXPECT_EQ(message.data, "\5\6");
  EXPECT_FALSE(recording->Next(message));
}

TEST(Rosbag2, OtherDatabasesAndDamageAreErrors) {
  const TempFolder folder;
  WriteDatabase(folder.path() / "other.db3", "CREATE TABLE x(y);");
  EXPECT_THAT(ErrorFrom([&] { OpenRecording(folder.path() / "other.db3"); }),
              HasSubstr("other.db3: cannot be read as a rosbag2 file: no such table: topics"));
  // A view that never ends.
  WriteDatabase(folder.path() / "view.db3",
                "CREATE VIEW topics AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) "
                "SELECT id, 'x' || id AS name, 'y' AS type FROM n;");
  EXPECT_THAT(ErrorFrom([&] { OpenRecording(folder.path() / "view.db3"); }),
              HasSubstr("cannot be read as a rosbag2"));
  WriteDatabase(folder.path() / "a.db3", kTables);
  const std::string whole = ReadWholeFile(folder.path() / "a.db3");
  for (size_t size = 16; size < whole.size(); size += 500) {
    WriteRecordingBytes(folder.path() / "cut.db3", whole.substr(0, size));
    EXPECT_THAT(ErrorFrom([&] {
                  const auto recording = OpenRecording(folder.path() / "cut.db3");
                  recording->Select(0);
                  for (RecordedMessage message; recording->Next(message);) {
                  }
                }),
                testing::ContainsRegex("cut.db3: (cannot be read as a rosbag2 file|is cut short)"))
        << size;
  }
}

}  // namespace
}  // namespace calfvo
