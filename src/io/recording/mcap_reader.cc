// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zlib.h>

#include <map>
#include <utility>

#include "calfvo/error.h"
#include "io/recording/byte_cursor.h"
#include "io/recording/compression.h"
#include "io/recording/mcap_format.h"
#include "io/recording/recording.h"
#include "io/recording/recording_file.h"

namespace calfvo {
namespace {

constexpr uint64_t kMcapFooterBytes = mcap::kRecordHeader + 8 + 8 + 4;

class McapReader final : public Recording {
 public:
  explicit McapReader(const std::filesystem::path& path) : file_(path) {
    if (!ReadSummary()) ScanTopics();
  }

  void Select(size_t topic) override {
    topic_ = topic;
    offset_ = mcap::kMagic.size();
    chunk_.clear();
    place_ = 0;
  }

  bool Next(RecordedMessage& message) override {
    Record record;
    while (NextRecord(record)) {
      if (record.opcode != mcap::kMessage) continue;
      try {
        ByteCursor fields(record.content);
        const auto channel = channels_.find(fields.Number<uint16_t>());
        fields.Number<uint32_t>();  // sequence
        message.time_ns = static_cast<int64_t>(fields.Number<uint64_t>());
        fields.Number<uint64_t>();  // time of publishing
        message.data = fields.rest();
        if (channel != channels_.end() && channel->second == topic_) return true;
      } catch (const Error& error) {
        file_.Fail(error.what());
      }
    }
    return false;
  }

 private:
  struct Record {
    uint8_t opcode = 0;
    std::string_view content;
  };

  // The next record, of those within chunks, too; false at the end of the data.
  bool NextRecord(Record& record) {
    for (;;) {
      if (place_ < chunk_.size()) {
        record = RecordInChunk();
        return true;
      }
      file_.Read(offset_, mcap::kRecordHeader, &head_);
      ByteCursor head(head_);
      record.opcode = head.Number<uint8_t>();
      const auto size = head.Number<uint64_t>();
      // Space that was allocated and never written: reading on would take hours.
      if (record.opcode == 0)
        file_.Fail(fmt::format("holds zeros from byte {} on: it is incomplete", offset_));
      offset_ += mcap::kRecordHeader;
      if (record.opcode == mcap::kDataEnd || record.opcode == mcap::kFooter) return false;
      const bool is_read = record.opcode == mcap::kChunk || record.opcode == mcap::kMessage ||
                           record.opcode == mcap::kSchema || record.opcode == mcap::kChannel;
      if (is_read) {
        file_.Read(offset_, size, &content_);
      } else if (size > file_.size() - offset_) {  // attachments and indexes may be of any size
        file_.Read(offset_, size, &content_);      // fails
      }
      offset_ += size;
      if (record.opcode == mcap::kChunk) {
        OpenChunk();
      } else if (is_read) {
        record.content = content_;
        return true;
      }
    }
  }

  Record RecordInChunk() {
    try {
      ByteCursor cursor(std::string_view(chunk_).substr(place_));
      Record record;
      record.opcode = cursor.Number<uint8_t>();
      record.content = cursor.Bytes(cursor.Number<uint64_t>());
      place_ = chunk_.size() - cursor.rest().size();
      return record;
    } catch (const Error& error) {
      file_.Fail(error.what());
    }
  }

  void OpenChunk() {
    try {
      ByteCursor fields(content_);
      fields.Bytes(16);  // times
      const auto size = fields.Number<uint64_t>();
      const auto crc = fields.Number<uint32_t>();
      const Compression compression = CompressionFromName(fields.Text());
      const std::string_view records = fields.Bytes(fields.Number<uint64_t>());
      if (size > kMaxChunkBytes) {
        throw Error(
            fmt::format("has a chunk of {} bytes; at most {} MiB are read", size, kMaxChunkBytes >> 20));
      }
      chunk_.resize(size);
      place_ = 0;
      Decompress(compression, records, &chunk_);
      const auto found = ::crc32_z(0, reinterpret_cast<const Bytef*>(chunk_.data()), chunk_.size());
      if (crc != 0 && crc != found) {
        throw Error(fmt::format("the checksum of a chunk is {:08x}, expected {:08x}", found, crc));
      }
    } catch (const Error& error) {
      chunk_.clear();
      file_.Fail(error.what());
    }
  }

  // Of the summary or the data.
  void NoteRecord(const Record& record) {
    ByteCursor fields(record.content);
    if (record.opcode == mcap::kSchema) {
      const auto id = fields.Number<uint16_t>();
      schemas_[id] = fields.Text();
    } else if (record.opcode == mcap::kChannel) {
      const auto id = fields.Number<uint16_t>();
      const auto schema = schemas_.find(fields.Number<uint16_t>());
      const std::string_view topic = fields.Text();
      const bool is_ros1 = fields.Text() == "ros1";
      channels_[id] = TopicNumber(topic, schema == schemas_.end() ? "" : schema->second, is_ros1);
    } else if (record.opcode == mcap::kStatistics) {
      fields.Bytes(8 + 2 + 4 + 4 + 4 + 4 + 8 + 8);
      for (ByteCursor counts(fields.Text()); !counts.empty();) {
        const auto channel = channels_.find(counts.Number<uint16_t>());
        const auto count = counts.Number<uint64_t>();
        if (channel == channels_.end()) continue;
        std::optional<uint64_t>& messages = topics_[channel->second].messages;
        messages = messages.value_or(0) + count;
      }
    }
  }

  // False if there is none, or none that can be trusted: then the data is scanned.
  bool ReadSummary() {
    const uint64_t tail = kMcapFooterBytes + mcap::kMagic.size();
    if (file_.size() < tail) return false;
    try {
      std::string bytes;
      file_.Read(file_.size() - tail, tail, &bytes);
      ByteCursor footer(bytes);
      if (footer.Number<uint8_t>() != mcap::kFooter || footer.Number<uint64_t>() != 20) return false;
      const auto start = footer.Number<uint64_t>();
      if (start == 0 || start > file_.size() - tail) return false;
      file_.Read(start, file_.size() - tail - start, &bytes);
      for (ByteCursor cursor(bytes); !cursor.empty();) {
        Record record;
        record.opcode = cursor.Number<uint8_t>();
        record.content = cursor.Bytes(cursor.Number<uint64_t>());
        NoteRecord(record);
      }
    } catch (const Error&) {
      Forget();
    }
    return !channels_.empty();
  }

  void ScanTopics() {
    Forget();
    Select(0);
    try {
      for (Record record; NextRecord(record);) {
        if (record.opcode != mcap::kMessage) NoteRecord(record);
      }
    } catch (const Error&) {
      if (channels_.empty()) throw;  // else Next reports it in its place
    }
  }

  void Forget() {
    schemas_.clear();
    channels_.clear();
    topics_.clear();
  }

  RecordingFile file_;
  std::map<uint16_t, std::string> schemas_;  // names
  std::map<uint16_t, size_t> channels_;      // numbers of topics
  size_t topic_ = 0;
  uint64_t offset_ = 0;
  std::string head_;
  std::string content_;
  std::string chunk_;  // decompressed
  size_t place_ = 0;   // in chunk_
};

}  // namespace

std::unique_ptr<Recording> OpenMcap(const std::filesystem::path& path) {
  return std::make_unique<McapReader>(path);
}

}  // namespace calfvo
