// SPDX-License-Identifier: Apache-2.0
// What MCAP's reader and writer share (the specification is at mcap.dev): a file is magic bytes, records of
// an opcode, a 64-bit length and content, and magic bytes again.
#pragma once

#include <cstdint>
#include <string_view>

namespace calfvo::mcap {

using namespace std::string_view_literals;
inline constexpr std::string_view kMagic = "\x89MCAP0\r\n"sv;

enum Opcode : uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kSchema = 0x03,
  kChannel = 0x04,
  kMessage = 0x05,
  kChunk = 0x06,
  kMessageIndex = 0x07,
  kChunkIndex = 0x08,
  kStatistics = 0x0b,
  kSummaryOffset = 0x0e,
  kDataEnd = 0x0f,
};

// Opcode and length.
inline constexpr size_t kRecordHeader = 9;

}  // namespace calfvo::mcap
