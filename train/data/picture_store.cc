// SPDX-License-Identifier: Apache-2.0
#include "data/picture_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "base/atomic_file.h"
#include "calfvo/error.h"
#include "frames/preprocessor.h"
#include "weights/mapped_file.h"

namespace calfvo::train {
namespace {

constexpr char kMagic[8] = {'c', 'a', 'l', 'f', 'v', 'o', 'P', 'F'};
constexpr uint32_t kVersion = 2;
constexpr size_t kMaxNameLength = 80;
constexpr int64_t kFramesAtOnce = 32;  // decoded in parallel while packing

// The start of a file; frames [count, size, size, 3] follow. Little-endian.
struct PackedHeader {
  char magic[8];
  uint32_t version;
  uint32_t size;
  uint64_t count;
  uint64_t hash;
  uint32_t width;  // of the first picture in its file
  uint32_t height;
  uint64_t check;  // hash of all before
  uint8_t reserved[16];
};
static_assert(sizeof(PackedHeader) == 64);

// FNV-1a, 64 bits.
class Hash {
 public:
  void Add(std::string_view bytes) {
    for (const char byte : bytes) value_ = (value_ ^ static_cast<uint8_t>(byte)) * 0x100000001B3U;
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xCBF29CE484222325U;
};

uint64_t HashOf(const SequenceSource& source, int64_t count, const InputConfig& input) {
  Hash hash;
  hash.Add(fmt::format("{} {} {} {} {}\n", kVersion, count, input.size, static_cast<int>(input.resize),
                       static_cast<int>(input.filter)));
  for (int64_t i = 0; i < count; ++i) hash.Add(source.frames()[static_cast<size_t>(i)].picture + "\n");
  return hash.value();
}

PackedHeader HeaderOf(const SequenceSource& source, int64_t count, const InputConfig& input,
                      const PictureShape& shape) {
  PackedHeader header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version = kVersion;
  header.size = static_cast<uint32_t>(input.size);
  header.count = static_cast<uint64_t>(count);
  header.hash = HashOf(source, count, input);
  header.width = static_cast<uint32_t>(shape.width);
  header.height = static_cast<uint32_t>(shape.height);
  Hash check;
  check.Add({reinterpret_cast<const char*>(&header), offsetof(PackedHeader, check)});
  header.check = check.value();
  return header;
}

size_t FrameBytes(const InputConfig& input) {
  const auto size = static_cast<size_t>(input.size);
  return 3 * size * size;
}

class DecodingStore : public PictureStore {
 public:
  DecodingStore(const SequenceSource& source, const InputConfig& input) : source_(source), input_(input) {}

  PictureShape Read(int64_t start, int64_t stride, std::span<uint8_t> out) const override {
    Preprocessor preprocessor(input_);
    Frame picture;
    PictureShape shape;
    const size_t bytes = FrameBytes(input_);
    for (size_t i = 0; i < out.size() / bytes; ++i) {
      source_.Read(start + static_cast<int64_t>(i) * stride, picture);
      preprocessor.Resize(picture.view(), out.subspan(i * bytes, bytes));
      if (i == 0) shape = {picture.width, picture.height};
    }
    return shape;
  }

 private:
  const SequenceSource& source_;
  const InputConfig input_;
};

class PackedStore : public PictureStore {
 public:
  PackedStore(const SequenceSource& source, int64_t count, const InputConfig& input,
              const std::filesystem::path& path)
      : file_(path) {
    const auto fail = [&](std::string_view problem) {
      throw Error(fmt::format("{}: {}; delete the file to have it made again", path.string(), problem));
    };
    PackedHeader header;
    if (file_.bytes().size() < sizeof(header)) fail("too short for a file of packed pictures");
    std::memcpy(&header, file_.bytes().data(), sizeof(header));
    if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) fail("not a file of packed pictures");
    shape_ = {static_cast<int>(header.width), static_cast<int>(header.height)};
    const PackedHeader expected = HeaderOf(source, count, input, shape_);
    if (std::memcmp(&header, &expected, sizeof(header)) != 0) fail("packed from other pictures");
    frame_bytes_ = size_t{3} * header.size * header.size;
    count_ = header.count;
    // Both factors are what the caller expects, so their product is sound.
    const size_t needed = sizeof(header) + frame_bytes_ * count_;
    if (file_.bytes().size() != needed) {
      fail(fmt::format("has {} bytes where {} are expected", file_.bytes().size(), needed));
    }
  }

  PictureShape Read(int64_t start, int64_t stride, std::span<uint8_t> out) const override {
    const auto* frames = reinterpret_cast<const uint8_t*>(file_.bytes().data()) + sizeof(PackedHeader);
    for (size_t i = 0; i < out.size() / frame_bytes_; ++i) {
      const auto index = static_cast<size_t>(start + static_cast<int64_t>(i) * stride);
      if (index >= count_) throw Error(fmt::format("{}: has no frame {}", file_.name(), index));
      std::memcpy(out.data() + i * frame_bytes_, frames + index * frame_bytes_, frame_bytes_);
    }
    return shape_;
  }

 private:
  const MappedFile file_;
  PictureShape shape_;
  size_t frame_bytes_ = 0;
  size_t count_ = 0;
};

void Pack(const SequenceSource& source, int64_t count, const InputConfig& input,
          const std::filesystem::path& path, ThreadPool& threads) {
  AtomicFile file(path);
  const DecodingStore decoder(source, input);
  const size_t bytes = FrameBytes(input);
  std::vector<uint8_t> frames(bytes * static_cast<size_t>(kFramesAtOnce));
  PictureShape shape;  // of the first picture
  for (int64_t first = 0; first == 0 || first < count; first += kFramesAtOnce) {
    const int64_t some = std::min(kFramesAtOnce, count - first);
    threads.ParallelFor(some, [&](int64_t i) {
      const PictureShape read =
          decoder.Read(first + i, 1, std::span(frames).subspan(bytes * static_cast<size_t>(i), bytes));
      if (first + i == 0) shape = read;
    });
    if (first == 0) {
      const PackedHeader header = HeaderOf(source, count, input, shape);
      file.Write({reinterpret_cast<const char*>(&header), sizeof(header)});
    }
    file.Write({reinterpret_cast<const char*>(frames.data()), bytes * static_cast<size_t>(some)});
  }
  file.Commit();
}

}  // namespace

std::unique_ptr<PictureStore> DecodeWhenAsked(const SequenceSource& source, const InputConfig& input) {
  return std::make_unique<DecodingStore>(source, input);
}

std::filesystem::path PackedPath(const SequenceSource& source, int64_t count, const InputConfig& input,
                                 const std::filesystem::path& folder) {
  std::string name = source.name().substr(0, kMaxNameLength);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_'; }, '_');
  return folder / fmt::format("{}-{:016x}.frames", name, HashOf(source, count, input));
}

std::unique_ptr<PictureStore> OpenPacked(const SequenceSource& source, int64_t count,
                                         const InputConfig& input, const std::filesystem::path& folder,
                                         ThreadPool& threads) {
  const std::filesystem::path path = PackedPath(source, count, input, folder);
  std::error_code ignored;  // what stands in the way shows when the file is opened
  if (!std::filesystem::exists(path, ignored)) {
    MakeFolder(folder);
    Pack(source, count, input, path, threads);
  }
  return std::make_unique<PackedStore>(source, count, input, path);
}

}  // namespace calfvo::train
