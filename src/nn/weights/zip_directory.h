// SPDX-License-Identifier: Apache-2.0
// The table of contents of a zip archive whose entries are stored, not compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace calfvo {

struct ZipEntry {
  std::string_view name;
  std::span<const std::byte> payload;
  uint64_t begin = 0;  // of its local header in the file
  uint32_t crc32 = 0;  // as the directory has it

  std::string_view text() const { return {reinterpret_cast<const char*>(payload.data()), payload.size()}; }
};

// Reads the central directory, with its 64-bit extensions, and the local header of each entry, which alone
// holds where the payload begins. Nothing is unpacked and nothing is copied: entries borrow from the bytes
// given. Throws Error for archives that are cut short, span disks, or whose records disagree, and for entries
// that are compressed, encrypted, out of bounds, overlapping or of the same name.
class ZipDirectory {
 public:
  static constexpr size_t kMaxEntries = 262'144;

  ZipDirectory(std::span<const std::byte> bytes, std::string file_name);

  // In the directory's order.
  const std::vector<ZipEntry>& entries() const { return entries_; }

  // The entry of that name, or null.
  const ZipEntry* Find(std::string_view name) const;

 private:
  struct Extent;  // where the central directory lies

  [[noreturn]] void Fail(std::string_view problem) const;
  template <typename Integer>
  Integer Load(uint64_t offset) const;
  std::string_view Text(uint64_t offset, uint64_t size) const;
  uint64_t FindEndRecord() const;
  Extent FindDirectory() const;
  uint64_t ReadEntry(uint64_t offset, uint64_t directory_begin);
  uint64_t PayloadBegin(const ZipEntry& entry, uint16_t method) const;
  void CheckOverlaps() const;

  std::span<const std::byte> bytes_;
  std::string file_name_;
  std::vector<ZipEntry> entries_;
  std::map<std::string_view, size_t> index_;
};

// Throws Error unless the payload has the checksum that the directory states. A stated checksum of zero
// stands for none, as PyTorch writes it with checksums switched off, and is not compared.
void CheckCrc32(const ZipEntry& entry, const std::string& file_name);

}  // namespace calfvo
