// SPDX-License-Identifier: Apache-2.0
// Layouts as in PKWARE's APPNOTE.TXT, sections 4.3 and 4.5; offsets below are from the start of each record.
#include "nn/weights/zip_directory.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "calfvo/error.h"
#include "core/base/quoted.h"

namespace calfvo {
namespace {

constexpr uint64_t kEndSize = 22;
constexpr uint64_t kLocatorSize = 20;
constexpr uint64_t kEnd64Size = 56;
constexpr uint64_t kEntrySize = 46;
constexpr uint64_t kLocalSize = 30;
constexpr uint32_t kEndMark = 0x06054b50;
constexpr uint32_t kLocatorMark = 0x07064b50;
constexpr uint32_t kEnd64Mark = 0x06064b50;
constexpr uint32_t kEntryMark = 0x02014b50;
constexpr uint32_t kLocalMark = 0x04034b50;
constexpr uint16_t kFull16 = 0xffff;
constexpr uint32_t kFull32 = 0xffffffff;
constexpr uint16_t kEncryptedFlags = 0x2041;  // traditional, strong, masked headers

}  // namespace

struct ZipDirectory::Extent {
  uint64_t begin = 0;
  uint64_t size = 0;
  uint64_t count = 0;
};

void ZipDirectory::Fail(std::string_view problem) const {
  throw Error(fmt::format("{}: zip: {}", file_name_, problem));
}

// Little-endian integer; the caller has checked that it lies in the file.
template <typename Integer>
Integer ZipDirectory::Load(uint64_t offset) const {
  Integer value = 0;
  std::memcpy(&value, bytes_.data() + offset, sizeof(value));
  return value;
}

std::string_view ZipDirectory::Text(uint64_t offset, uint64_t size) const {
  return {reinterpret_cast<const char*>(bytes_.data()) + offset, size};
}

ZipDirectory::ZipDirectory(std::span<const std::byte> bytes, std::string file_name)
    : bytes_(bytes), file_name_(std::move(file_name)) {
  const Extent directory = FindDirectory();
  uint64_t offset = directory.begin;
  for (uint64_t i = 0; i < directory.count; ++i) {
    if (directory.begin + directory.size - offset < kEntrySize || Load<uint32_t>(offset) != kEntryMark) {
      Fail(fmt::format("entry {} of {} in the directory is damaged", i, directory.count));
    }
    offset += ReadEntry(offset, directory.begin);
    if (offset > directory.begin + directory.size) {
      Fail(fmt::format("entry {} of {} in the directory is damaged", i, directory.count));
    }
  }
  if (offset != directory.begin + directory.size) Fail("the directory is longer than its entries");
  CheckOverlaps();
}

// The last record of the file; only a comment may follow, whose length it states.
uint64_t ZipDirectory::FindEndRecord() const {
  const uint64_t size = bytes_.size();
  if (size >= kEndSize) {
    const uint64_t first = size - std::min<uint64_t>(size, kEndSize + kFull16);
    for (uint64_t offset = size - kEndSize + 1; offset-- > first;) {
      if (Load<uint32_t>(offset) == kEndMark && Load<uint16_t>(offset + 20) == size - offset - kEndSize) {
        return offset;
      }
    }
  }
  Fail("no end record; the file is cut short or not a zip archive");
}

ZipDirectory::Extent ZipDirectory::FindDirectory() const {
  const uint64_t end = FindEndRecord();
  const auto disk_count = Load<uint16_t>(end + 8);
  const auto count = Load<uint16_t>(end + 10);
  const auto size = Load<uint32_t>(end + 12);
  const auto begin = Load<uint32_t>(end + 16);
  if (Load<uint16_t>(end + 4) != 0 || Load<uint16_t>(end + 6) != 0 || disk_count != count) {
    Fail("the archive spans several disks; expected one file");
  }
  Extent directory{.begin = begin, .size = size, .count = count};
  uint64_t limit = end;
  if (end >= kLocatorSize && Load<uint32_t>(end - kLocatorSize) == kLocatorMark) {
    limit = Load<uint64_t>(end - kLocatorSize + 8);
    if (limit > end - kLocatorSize || end - kLocatorSize - limit < kEnd64Size ||
        Load<uint32_t>(limit) != kEnd64Mark) {
      Fail(fmt::format("no 64-bit end record at byte {}", limit));
    }
    if (Load<uint32_t>(end - kLocatorSize + 4) != 0 || Load<uint32_t>(end - kLocatorSize + 16) > 1 ||
        Load<uint32_t>(limit + 16) != 0 || Load<uint32_t>(limit + 20) != 0 ||
        Load<uint64_t>(limit + 24) != Load<uint64_t>(limit + 32)) {
      Fail("the archive spans several disks; expected one file");
    }
    directory = {.begin = Load<uint64_t>(limit + 48),
                 .size = Load<uint64_t>(limit + 40),
                 .count = Load<uint64_t>(limit + 32)};
    if ((count != kFull16 && count != directory.count) || (size != kFull32 && size != directory.size) ||
        (begin != kFull32 && begin != directory.begin)) {
      Fail("the 64-bit end record disagrees with the end record");
    }
  }
  if (directory.begin > limit || directory.size != limit - directory.begin) {
    Fail(fmt::format("the directory has {} bytes at {}; expected it to end at {}", directory.size,
                     directory.begin, limit));
  }
  if (directory.count > kMaxEntries || directory.count > directory.size / kEntrySize) {
    Fail(fmt::format("the directory claims {} entries in {} bytes; expected at most {} of at least {} bytes",
                     directory.count, directory.size, kMaxEntries, kEntrySize));
  }
  return directory;
}

// Adds the directory entry at `offset` and returns how many bytes it takes.
uint64_t ZipDirectory::ReadEntry(uint64_t offset, uint64_t directory_begin) {
  const auto flags = Load<uint16_t>(offset + 8);
  const auto method = Load<uint16_t>(offset + 10);
  uint64_t packed_size = Load<uint32_t>(offset + 20);
  uint64_t size = Load<uint32_t>(offset + 24);
  const auto name_size = Load<uint16_t>(offset + 28);
  const auto extra_size = Load<uint16_t>(offset + 30);
  const auto comment_size = Load<uint16_t>(offset + 32);
  const auto disk = Load<uint16_t>(offset + 34);
  uint64_t begin = Load<uint32_t>(offset + 42);
  const uint64_t total = kEntrySize + name_size + extra_size + comment_size;
  if (total > bytes_.size() - offset) Fail("an entry of the directory runs past the end of the file");
  ZipEntry entry{.name = Text(offset + kEntrySize, name_size), .crc32 = Load<uint32_t>(offset + 16)};
  const std::string quoted = Quoted(entry.name);

  // The 64-bit extra field replaces those of the three numbers that are all ones, in this order.
  const uint64_t extra_end = offset + kEntrySize + name_size + extra_size;
  for (uint64_t extra = offset + kEntrySize + name_size; extra_end - extra >= 4;) {
    const auto id = Load<uint16_t>(extra);
    const uint64_t field_end = extra + 4 + Load<uint16_t>(extra + 2);
    if (field_end > extra_end) Fail(fmt::format("entry {} has a damaged extra field", quoted));
    extra += 4;
    for (uint64_t* number : {&size, &packed_size, &begin}) {
      if (id != 1 || *number != kFull32 || field_end - extra < 8) continue;
      *number = Load<uint64_t>(extra);
      extra += 8;
    }
    extra = field_end;
  }

  if ((flags & kEncryptedFlags) != 0) Fail(fmt::format("entry {} is encrypted", quoted));
  if (method != 0) {
    Fail(fmt::format("entry {} is compressed (method {}); PyTorch stores entries uncompressed", quoted,
                     method));
  }
  if (packed_size != size) {
    Fail(fmt::format("entry {} is stored but has two sizes, {} and {}", quoted, packed_size, size));
  }
  if (disk != 0 && disk != kFull16)
    Fail(fmt::format("entry {} is on disk {}; expected one file", quoted, disk));
  entry.begin = begin;
  if (begin > directory_begin || directory_begin - begin < kLocalSize ||
      Load<uint32_t>(begin) != kLocalMark) {
    Fail(fmt::format("entry {} has no local header at byte {}", quoted, begin));
  }
  const uint64_t payload = PayloadBegin(entry, method);
  if (payload > directory_begin || size > directory_begin - payload) {
    Fail(fmt::format("entry {} has {} bytes at {}, which run past the data's end at {}", quoted, size,
                     payload, directory_begin));
  }
  entry.payload = bytes_.subspan(payload, size);
  if (!index_.emplace(entry.name, entries_.size()).second) Fail(fmt::format("entry {} occurs twice", quoted));
  entries_.push_back(entry);
  return total;
}

// Sizes and checksum in the local header are ignored: PyTorch leaves them zero and puts the true ones behind
// the payload, whose end is unknown without them.
uint64_t ZipDirectory::PayloadBegin(const ZipEntry& entry, uint16_t method) const {
  const auto name_size = Load<uint16_t>(entry.begin + 26);
  const uint64_t payload = entry.begin + kLocalSize + name_size + Load<uint16_t>(entry.begin + 28);
  if (payload > bytes_.size() || Text(entry.begin + kLocalSize, name_size) != entry.name ||
      Load<uint16_t>(entry.begin + 8) != method || (Load<uint16_t>(entry.begin + 6) & kEncryptedFlags) != 0) {
    Fail(fmt::format("entry {} has a local header that disagrees with the directory", Quoted(entry.name)));
  }
  return payload;
}

void ZipDirectory::CheckOverlaps() const {
  std::vector<const ZipEntry*> by_offset;
  by_offset.reserve(entries_.size());
  for (const ZipEntry& entry : entries_) by_offset.push_back(&entry);
  std::sort(by_offset.begin(), by_offset.end(),
            [](const auto* a, const auto* b) { return a->begin < b->begin; });
  for (size_t i = 1; i < by_offset.size(); ++i) {
    const ZipEntry& before = *by_offset[i - 1];
    if (before.payload.data() + before.payload.size() > bytes_.data() + by_offset[i]->begin) {
      Fail(fmt::format("entries {} and {} overlap", Quoted(before.name), Quoted(by_offset[i]->name)));
    }
  }
}

const ZipEntry* ZipDirectory::Find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &entries_[found->second];
}

void CheckCrc32(const ZipEntry& entry, const std::string& file_name) {
  if (entry.crc32 == 0) return;
  const auto actual = static_cast<uint32_t>(::crc32_z(
      ::crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(entry.payload.data()), entry.payload.size()));
  if (actual != entry.crc32) {
    throw Error(fmt::format("{}: zip: entry {} has checksum {:08x}; expected {:08x}: the file is damaged",
                            file_name, Quoted(entry.name), actual, entry.crc32));
  }
}

}  // namespace calfvo
