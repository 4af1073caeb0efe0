// SPDX-License-Identifier: Apache-2.0
// rosbag2's SQLite files. The file may come from anyone: it is opened read-only, views and triggers do not
// run, and no value is longer than a chunk may be.
#include <fmt/format.h>
#include <sqlite3.h>

#include "calfvo/error.h"
#include "io/recording/recording.h"
#include "io/recording/recording_file.h"

namespace calfvo {
namespace {

struct SqliteClose {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

class Rosbag2Reader final : public Recording {
 public:
  explicit Rosbag2Reader(const std::filesystem::path& path) : name_(path.string()) {
    CheckLength(path);
    sqlite3* opened = nullptr;
    const int result =
        sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(opened);
    if (result != SQLITE_OK) Fail();
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, static_cast<int>(kMaxChunkBytes));
    for (const int setting :
         {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_TRUSTED_SCHEMA}) {
      sqlite3_db_config(opened, setting, 0, nullptr);
    }
    sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    Prepare("SELECT id, name, type FROM topics ORDER BY name, id");
    while (Step()) {
      const auto text = [&](int column) {
        const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
        return std::string_view(bytes == nullptr ? "" : bytes);
      };
      const size_t number = TopicNumber(text(1), text(2), /*is_ros1=*/false);
      if (number == ids_.size()) ids_.push_back(sqlite3_column_int64(statement_.get(), 0));
    }
  }

  void Select(size_t topic) override {
    Prepare("SELECT timestamp, data FROM messages WHERE topic_id = ? ORDER BY rowid");
    sqlite3_bind_int64(statement_.get(), 1, ids_.at(topic));
  }

  bool Next(RecordedMessage& message) override {
    if (!Step()) return false;
    message.time_ns = sqlite3_column_int64(statement_.get(), 0);
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), 1));
    message.data =
        bytes == nullptr
            ? std::string_view()
            : std::string_view(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), 1)));
    return true;
  }

 private:
  // SQLite would take the missing end of a file for zeros. Its header has the size and number of pages,
  // big-endian.
  static void CheckLength(const std::filesystem::path& path) {
    constexpr uint64_t kHeaderBytes = 100;
    RecordingFile file(path);
    std::string header;
    file.Read(0, kHeaderBytes, &header);
    const auto byte = [&](size_t place) { return uint64_t{static_cast<uint8_t>(header[place])}; };
    const uint64_t page_bytes = byte(16) << 8 | byte(17);
    const uint64_t pages = byte(28) << 24 | byte(29) << 16 | byte(30) << 8 | byte(31);
    const uint64_t bytes = pages * (page_bytes == 1 ? 65'536 : page_bytes);
    if (bytes > file.size()) file.Fail("is cut short: the file was not copied to the end");
  }
  [[noreturn]] void Fail() const {
    throw Error(
        fmt::format("{}: cannot be read as a rosbag2 file: {}", name_, sqlite3_errmsg(database_.get())));
  }
  void Prepare(const char* query) {
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(database_.get(), query, -1, &prepared, nullptr) != SQLITE_OK) Fail();
    statement_.reset(prepared);
  }
  bool Step() {
    const int result = sqlite3_step(statement_.get());
    if (result == SQLITE_ROW) return true;
    if (result != SQLITE_DONE) Fail();
    return false;
  }

  const std::string name_;
  std::unique_ptr<sqlite3, SqliteClose> database_;
  std::unique_ptr<sqlite3_stmt, SqliteClose> statement_;
  std::vector<int64_t> ids_;  // of topics_
};

}  // namespace

std::unique_ptr<Recording> OpenRosbag2(const std::filesystem::path& path) {
  return std::make_unique<Rosbag2Reader>(path);
}

}  // namespace calfvo
