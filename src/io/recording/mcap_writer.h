// SPDX-License-Identifier: Apache-2.0
// MCAP files, written message by message: chunks with index and checksums, and a summary at the end that lets
// readers seek.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/atomic_file.h"
#include "io/recording/compression.h"

namespace calfvo {

// The file appears on Finish, whole or not at all. Memory is a chunk, plus some 100 bytes per chunk and
// channel. The same calls give the same bytes. Failures throw Error naming the file. Not thread-safe.
class McapWriter {
 public:
  struct Options {
    std::string profile;  // "ros2" or empty
    Compression compression = Compression::kZstd;
    size_t chunk_bytes = 1 << 20;  // a chunk ends once it holds as many, uncompressed
  };
  McapWriter(const std::filesystem::path& path, Options options);

  // Returns the schema's and the channel's number. Add them before the first message of the channel.
  uint16_t AddSchema(const std::string& name, const std::string& encoding, const std::string& text);
  uint16_t AddChannel(uint16_t schema, const std::string& topic, const std::string& message_encoding,
                      const std::map<std::string, std::string>& metadata = {});

  // In any order of time; readers are fastest if it increases.
  void AddMessage(uint16_t channel, int64_t time_ns, std::string_view data);

  void Finish();

 private:
  struct ChunkRecord {
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t offset;
    uint64_t bytes;
    std::map<uint16_t, uint64_t> index_offsets;
    uint64_t index_bytes;
    uint64_t compressed_bytes;
    uint64_t uncompressed_bytes;
  };

  void Write(std::string_view bytes);
  void EndChunk();
  std::string Summary(uint64_t summary_start, uint64_t* offsets_start) const;

  AtomicFile file_;
  const Options options_;
  uint64_t offset_ = 0;
  uint32_t data_crc_ = 0;
  std::vector<std::string> schemas_;  // records, to be repeated in the summary
  std::vector<std::string> channels_;
  std::vector<uint64_t> message_counts_;  // per channel
  std::vector<ChunkRecord> chunks_;

  std::string chunk_;  // records of the chunk under way
  uint64_t chunk_start_ns_ = 0;
  uint64_t chunk_end_ns_ = 0;
  std::map<uint16_t, std::vector<std::pair<uint64_t, uint64_t>>> index_;  // time and offset, per channel
};

}  // namespace calfvo
