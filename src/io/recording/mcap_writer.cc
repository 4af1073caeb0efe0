// SPDX-License-Identifier: Apache-2.0
#include "io/recording/mcap_writer.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "calfvo/version.h"
#include "core/base/little_endian.h"
#include "io/recording/mcap_format.h"

namespace calfvo {
namespace {

void AppendMcapString(std::string_view text, std::string* bytes) {
  AppendLittleEndian<uint32_t>(static_cast<uint32_t>(text.size()), bytes);
  *bytes += text;
}

std::string McapRecord(mcap::Opcode opcode, std::string_view content) {
  std::string record;
  AppendLittleEndian<uint8_t>(opcode, &record);
  AppendLittleEndian<uint64_t>(content.size(), &record);
  return record.append(content);
}

uint32_t Crc32(uint32_t crc, std::string_view bytes) {
  return static_cast<uint32_t>(::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string Joined(const std::vector<std::string>& records) {
  std::string all;
  for (const std::string& record : records) all += record;
  return all;
}

}  // namespace

McapWriter::McapWriter(const std::filesystem::path& path, Options options)
    : file_(path), options_(std::move(options)) {
  std::string header;
  AppendMcapString(options_.profile, &header);
  AppendMcapString("calfvo " CALFVO_VERSION, &header);
  Write(std::string(mcap::kMagic) + McapRecord(mcap::kHeader, header));
}

uint16_t McapWriter::AddSchema(const std::string& name, const std::string& encoding,
                               const std::string& text) {
  const auto id = static_cast<uint16_t>(schemas_.size() + 1);
  std::string content;
  AppendLittleEndian<uint16_t>(id, &content);
  AppendMcapString(name, &content);
  AppendMcapString(encoding, &content);
  AppendMcapString(text, &content);
  schemas_.push_back(McapRecord(mcap::kSchema, content));
  chunk_ += schemas_.back();
  return id;
}

uint16_t McapWriter::AddChannel(uint16_t schema, const std::string& topic,
                                const std::string& message_encoding,
                                const std::map<std::string, std::string>& metadata) {
  const auto id = static_cast<uint16_t>(channels_.size());
  std::string pairs;
  for (const auto& [key, value] : metadata) {
    AppendMcapString(key, &pairs);
    AppendMcapString(value, &pairs);
  }
  std::string content;
  AppendLittleEndian<uint16_t>(id, &content);
  AppendLittleEndian<uint16_t>(schema, &content);
  AppendMcapString(topic, &content);
  AppendMcapString(message_encoding, &content);
  AppendMcapString(pairs, &content);
  channels_.push_back(McapRecord(mcap::kChannel, content));
  message_counts_.push_back(0);
  chunk_ += channels_.back();
  return id;
}

void McapWriter::AddMessage(uint16_t channel, int64_t time_ns, std::string_view data) {
  const auto time = static_cast<uint64_t>(time_ns);
  const bool is_first = index_.empty();
  chunk_start_ns_ = is_first ? time : std::min(chunk_start_ns_, time);
  chunk_end_ns_ = is_first ? time : std::max(chunk_end_ns_, time);
  index_[channel].emplace_back(time, chunk_.size());
  constexpr size_t kMessageHeader = 2 + 4 + 8 + 8;
  AppendLittleEndian<uint8_t>(mcap::kMessage, &chunk_);
  AppendLittleEndian<uint64_t>(kMessageHeader + data.size(), &chunk_);
  AppendLittleEndian<uint16_t>(channel, &chunk_);
  AppendLittleEndian<uint32_t>(static_cast<uint32_t>(message_counts_[channel]++), &chunk_);
  AppendLittleEndian<uint64_t>(time, &chunk_);  // of logging
  AppendLittleEndian<uint64_t>(time, &chunk_);  // of publishing
  chunk_ += data;
  if (chunk_.size() >= options_.chunk_bytes) EndChunk();
}

void McapWriter::Write(std::string_view bytes) {
  file_.Write(bytes);
  offset_ += bytes.size();
  data_crc_ = Crc32(data_crc_, bytes);
}

void McapWriter::EndChunk() {
  if (index_.empty()) return;
  const std::string compressed = Compress(options_.compression, chunk_);
  std::string content;
  AppendLittleEndian<uint64_t>(chunk_start_ns_, &content);
  AppendLittleEndian<uint64_t>(chunk_end_ns_, &content);
  AppendLittleEndian<uint64_t>(chunk_.size(), &content);
  AppendLittleEndian<uint32_t>(Crc32(0, chunk_), &content);
  AppendMcapString(CompressionName(options_.compression), &content);
  AppendLittleEndian<uint64_t>(compressed.size(), &content);
  content += compressed;
  ChunkRecord record{.start_ns = chunk_start_ns_,
                     .end_ns = chunk_end_ns_,
                     .offset = offset_,
                     .bytes = mcap::kRecordHeader + content.size(),
                     .index_offsets = {},
                     .index_bytes = 0,
                     .compressed_bytes = compressed.size(),
                     .uncompressed_bytes = chunk_.size()};
  Write(McapRecord(mcap::kChunk, content));
  for (const auto& [channel, entries] : index_) {
    std::string array;
    for (const auto& [time, offset] : entries) {
      AppendLittleEndian<uint64_t>(time, &array);
      AppendLittleEndian<uint64_t>(offset, &array);
    }
    std::string index;
    AppendLittleEndian<uint16_t>(channel, &index);
    AppendMcapString(array, &index);
    record.index_offsets[channel] = offset_;
    const std::string bytes = McapRecord(mcap::kMessageIndex, index);
    record.index_bytes += bytes.size();
    Write(bytes);
  }
  chunks_.push_back(std::move(record));
  chunk_.clear();
  index_.clear();
}

std::string McapWriter::Summary(uint64_t summary_start, uint64_t* offsets_start) const {
  std::string statistics;
  uint64_t messages = 0;
  std::string counts;
  for (size_t channel = 0; channel < message_counts_.size(); ++channel) {
    messages += message_counts_[channel];
    AppendLittleEndian<uint16_t>(static_cast<uint16_t>(channel), &counts);
    AppendLittleEndian<uint64_t>(message_counts_[channel], &counts);
  }
  uint64_t start_ns = chunks_.empty() ? 0 : chunks_[0].start_ns;
  uint64_t end_ns = start_ns;
  std::vector<std::string> indexes;
  for (const ChunkRecord& chunk : chunks_) {
    start_ns = std::min(start_ns, chunk.start_ns);
    end_ns = std::max(end_ns, chunk.end_ns);
    std::string content;
    for (const uint64_t value : {chunk.start_ns, chunk.end_ns, chunk.offset, chunk.bytes}) {
      AppendLittleEndian<uint64_t>(value, &content);
    }
    std::string offsets;
    for (const auto& [channel, offset] : chunk.index_offsets) {
      AppendLittleEndian<uint16_t>(channel, &offsets);
      AppendLittleEndian<uint64_t>(offset, &offsets);
    }
    AppendMcapString(offsets, &content);
    AppendLittleEndian<uint64_t>(chunk.index_bytes, &content);
    AppendMcapString(CompressionName(options_.compression), &content);
    AppendLittleEndian<uint64_t>(chunk.compressed_bytes, &content);
    AppendLittleEndian<uint64_t>(chunk.uncompressed_bytes, &content);
    indexes.push_back(McapRecord(mcap::kChunkIndex, content));
  }
  AppendLittleEndian<uint64_t>(messages, &statistics);
  AppendLittleEndian<uint16_t>(static_cast<uint16_t>(schemas_.size()), &statistics);
  AppendLittleEndian<uint32_t>(static_cast<uint32_t>(channels_.size()), &statistics);
  AppendLittleEndian<uint32_t>(0, &statistics);  // attachments
  AppendLittleEndian<uint32_t>(0, &statistics);  // metadata
  AppendLittleEndian<uint32_t>(static_cast<uint32_t>(chunks_.size()), &statistics);
  AppendLittleEndian<uint64_t>(start_ns, &statistics);
  AppendLittleEndian<uint64_t>(end_ns, &statistics);
  AppendMcapString(counts, &statistics);

  const std::vector<std::pair<mcap::Opcode, std::string>> groups = {
      {mcap::kSchema, Joined(schemas_)},
      {mcap::kChannel, Joined(channels_)},
      {mcap::kStatistics, McapRecord(mcap::kStatistics, statistics)},
      {mcap::kChunkIndex, Joined(indexes)}};
  std::string summary;
  std::string offsets;
  for (const auto& [opcode, records] : groups) {
    if (records.empty()) continue;
    std::string content;
    AppendLittleEndian<uint8_t>(opcode, &content);
    AppendLittleEndian<uint64_t>(summary_start + summary.size(), &content);
    AppendLittleEndian<uint64_t>(records.size(), &content);
    offsets += McapRecord(mcap::kSummaryOffset, content);
    summary += records;
  }
  *offsets_start = summary_start + summary.size();
  return summary + offsets;
}

void McapWriter::Finish() {
  EndChunk();
  std::string data_end;
  AppendLittleEndian<uint32_t>(data_crc_, &data_end);
  Write(McapRecord(mcap::kDataEnd, data_end));
  const uint64_t summary_start = offset_;
  uint64_t offsets_start = 0;
  std::string tail = Summary(summary_start, &offsets_start);
  // The footer's checksum covers the summary and the footer up to itself.
  AppendLittleEndian<uint8_t>(mcap::kFooter, &tail);
  AppendLittleEndian<uint64_t>(8 + 8 + 4, &tail);
  AppendLittleEndian<uint64_t>(summary_start, &tail);
  AppendLittleEndian<uint64_t>(offsets_start, &tail);
  AppendLittleEndian<uint32_t>(Crc32(0, tail), &tail);
  tail += mcap::kMagic;
  Write(tail);
  file_.Commit();
}

}  // namespace calfvo
