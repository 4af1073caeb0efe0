// SPDX-License-Identifier: Apache-2.0
// ROS 1 bags, version 2.0: records of a header with named fields, and data. Chunks hold connections (topics)
// and messages; the index at the end repeats the connections.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "calfvo/error.h"
#include "io/recording/byte_cursor.h"
#include "io/recording/compression.h"
#include "io/recording/recording.h"
#include "io/recording/recording_file.h"

namespace calfvo {
namespace {

constexpr uint64_t kBagStartBytes = 13;  // "#ROSBAG V2.0\n"

enum BagOperation : uint8_t { kBagMessage = 2, kBagHeader = 3, kBagChunk = 5, kBagConnection = 7 };

class BagFields {
 public:
  explicit BagFields(std::string_view bytes) {
    for (ByteCursor cursor(bytes); !cursor.empty();) {
      const std::string_view field = cursor.Text();
      const size_t equals = field.find('=');
      if (equals == std::string_view::npos) throw Error("a field of a record has no value");
      values_[field.substr(0, equals)] = field.substr(equals + 1);
    }
  }
  std::string_view Text(std::string_view name) const {
    const auto value = values_.find(name);
    if (value == values_.end()) throw Error(fmt::format("a record lacks the field '{}'", name));
    return value->second;
  }
  template <typename T>
  T Number(std::string_view name) const {
    return ByteCursor(Text(name)).Number<T>();
  }

 private:
  std::map<std::string_view, std::string_view> values_;
};

class BagReader final : public Recording {
 public:
  explicit BagReader(const std::filesystem::path& path) : file_(path) {
    uint64_t index = 0;
    try {
      offset_ = kBagStartBytes;
      Record record;
      if (!NextInFile(record) || record.operation != kBagHeader) throw Error("has no bag header");
      index = BagFields(record.header).Number<uint64_t>("index_pos");
    } catch (const Error& error) {
      Rethrow(error);
    }
    if (index <= kBagStartBytes || index >= file_.size() || !ScanTopics(index, false)) {
      ScanTopics(kBagStartBytes, true);  // a bag that was not closed
    }
  }

  void Select(size_t topic) override {
    topic_ = topic;
    offset_ = kBagStartBytes;
    chunk_.clear();
    place_ = 0;
  }

  bool Next(RecordedMessage& message) override {
    try {
      for (Record record; NextRecord(record);) {
        if (record.operation != kBagMessage) continue;
        const BagFields fields(record.header);
        const auto connection = connections_.find(fields.Number<uint32_t>("conn"));
        if (connection == connections_.end() || connection->second != topic_) continue;
        ByteCursor time(fields.Text("time"));
        message.time_ns = int64_t{time.Number<uint32_t>()} * 1'000'000'000;
        message.time_ns += time.Number<uint32_t>();
        message.data = record.data;
        return true;
      }
    } catch (const Error& error) {
      Rethrow(error);
    }
    return false;
  }

 private:
  struct Record {
    uint8_t operation = 0;
    std::string_view header;
    std::string_view data;
  };

  // Errors of the file have its name already.
  [[noreturn]] void Rethrow(const Error& error) const {
    const std::string_view text = error.what();
    if (text.starts_with(file_.name())) throw error;
    file_.Fail(text);
  }

  bool NextInFile(Record& record) {
    if (offset_ == file_.size()) return false;
    const auto read_piece = [&](std::string* piece) {
      file_.Read(offset_, 4, piece);
      const auto size = ReadLittleEndian<uint32_t>(piece->data());
      offset_ += 4;
      file_.Read(offset_, size, piece);
      offset_ += size;
    };
    read_piece(&header_);
    read_piece(&data_);
    record = {BagFields(header_).Number<uint8_t>("op"), header_, data_};
    return true;
  }

  // Of those within chunks, too.
  bool NextRecord(Record& record) {
    for (;;) {
      if (place_ < chunk_.size()) {
        ByteCursor cursor(std::string_view(chunk_).substr(place_));
        record.header = cursor.Text();
        record.data = cursor.Text();
        record.operation = BagFields(record.header).Number<uint8_t>("op");
        place_ = chunk_.size() - cursor.rest().size();
        return true;
      }
      if (!NextInFile(record)) return false;
      if (record.operation != kBagChunk) return true;
      const BagFields fields(record.header);
      const auto size = fields.Number<uint32_t>("size");
      if (size > kMaxChunkBytes) {
        throw Error(
            fmt::format("has a chunk of {} bytes; at most {} MiB are read", size, kMaxChunkBytes >> 20));
      }
      chunk_.resize(size);
      place_ = 0;
      Decompress(CompressionFromName(fields.Text("compression")), record.data, &chunk_);
    }
  }

  // Notes the connections from `offset` on. False if there are none.
  bool ScanTopics(uint64_t offset, bool must_have_some) {
    Select(0);
    offset_ = offset;
    try {
      for (Record record; NextRecord(record);) {
        if (record.operation != kBagConnection) continue;
        const BagFields fields(record.header);
        const BagFields connection(record.data);
        connections_[fields.Number<uint32_t>("conn")] =
            TopicNumber(fields.Text("topic"), connection.Text("type"), /*is_ros1=*/true);
      }
    } catch (const Error& error) {
      if (connections_.empty() && must_have_some) Rethrow(error);  // else Next reports it in its place
    }
    return !connections_.empty();
  }

  RecordingFile file_;
  std::map<uint32_t, size_t> connections_;  // numbers of topics
  size_t topic_ = 0;
  uint64_t offset_ = 0;
  std::string header_;
  std::string data_;
  std::string chunk_;  // decompressed
  size_t place_ = 0;   // in chunk_
};

}  // namespace

std::unique_ptr<Recording> OpenRosbag1(const std::filesystem::path& path) {
  return std::make_unique<BagReader>(path);
}

}  // namespace calfvo
