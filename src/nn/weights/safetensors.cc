// SPDX-License-Identifier: Apache-2.0
#include "nn/weights/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "calfvo/error.h"
#include "core/base/quoted.h"
#include "nn/weights/safetensors_header.h"

namespace calfvo {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors data is used as it lies in the file");

constexpr size_t kLengthSize = 8;

std::string_view HeaderText(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() < kLengthSize) {
    throw Error(fmt::format("{}: the file has {} bytes; expected a header length of 8 bytes first", name,
                            bytes.size()));
  }
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthSize);
  if (length > kMaxSafetensorsHeaderSize) {
    throw Error(fmt::format("{}: the header length is {}; expected at most {}", name, length,
                            kMaxSafetensorsHeaderSize));
  }
  if (length > bytes.size() - kLengthSize) {
    throw Error(fmt::format("{}: the header length is {}, but only {} bytes follow; the file is cut short",
                            name, length, bytes.size() - kLengthSize));
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + kLengthSize, length);
  if (!text.starts_with('{')) {
    throw Error(fmt::format("{}: the header begins with {}; expected '{{'", name, Quoted(text.substr(0, 1))));
  }
  return text;
}

// Tensors must tile the data exactly.
void CheckLayout(const SafetensorsHeader& header, uint64_t data_size, const std::string& name) {
  std::vector<const SafetensorsHeader::Entry*> by_offset;
  by_offset.reserve(header.entries.size());
  for (const auto& entry : header.entries) by_offset.push_back(&entry);
  std::stable_sort(by_offset.begin(), by_offset.end(), [](const auto* a, const auto* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  uint64_t expected = 0;
  for (const auto* entry : by_offset) {
    if (entry->begin != expected) {
      throw Error(
          fmt::format("{}: tensor {} begins at byte {} of the data, {} the end of the one before at {}", name,
                      Quoted(entry->name), entry->begin,
                      entry->begin < expected ? "overlapping" : "leaving a hole after", expected));
    }
    expected = entry->end;
  }
  if (expected != data_size) {
    throw Error(fmt::format("{}: the tensors take {} bytes, but {} follow the header{}", name, expected,
                            data_size, expected > data_size ? "; the file is cut short" : ""));
  }
}

}  // namespace

SafetensorsFile::SafetensorsFile(MappedFile file) : file_(std::move(file)), name_(file_->name()) {
  Load(file_->bytes());
}

SafetensorsFile::SafetensorsFile(std::span<const std::byte> bytes, std::string name)
    : name_(std::move(name)) {
  Load(bytes);
}

void SafetensorsFile::Load(std::span<const std::byte> bytes) {
  const std::string_view text = HeaderText(bytes, name_);
  SafetensorsHeader header = ParseSafetensorsHeader(text, name_);
  const std::span<const std::byte> data = bytes.subspan(kLengthSize + text.size());
  CheckLayout(header, data.size(), name_);
  metadata_ = std::move(header.metadata);
  for (const auto& entry : header.entries) {
    const std::byte* place = data.data() + entry.begin;
    if (reinterpret_cast<uintptr_t>(place) % DTypeAlignment(entry.dtype) == 0) {
      tensors_.Add(entry.name, {place, entry.dtype, entry.shape});
      continue;
    }
    Tensor& copy = copies_.emplace_back(Tensor::Uninitialized(entry.dtype, entry.shape));
    std::copy(place, place + (entry.end - entry.begin), copy.mutable_bytes().begin());
    tensors_.Add(entry.name, copy.view());
  }
}

}  // namespace calfvo
