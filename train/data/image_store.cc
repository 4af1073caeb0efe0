// SPDX-License-Identifier: Apache-2.0
#include "data/image_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "calfvo/error.h"
#include "core/base/atomic_file.h"
#include "core/base/file_lock.h"
#include "nn/architecture/preprocessor.h"
#include "nn/weights/mapped_file.h"

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
  uint32_t width;  // of the first image in its file
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

uint64_t HashOf(const Sequence& source, int64_t count, const InputConfig& input) {
  Hash hash;
  hash.Add(fmt::format("{} {} {} {} {}\n", kVersion, count, input.size, static_cast<int>(input.resize),
                       static_cast<int>(input.filter)));
  for (int64_t i = 0; i < count; ++i) hash.Add(source.frames()[static_cast<size_t>(i)].image + "\n");
  return hash.value();
}

PackedHeader HeaderOf(const Sequence& source, int64_t count, const InputConfig& input,
                      const ImageShape& shape) {
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

class DecodingStore : public ImageStore {
 public:
  DecodingStore(const Sequence& source, const InputConfig& input) : source_(source), input_(input) {}

  ImageShape Read(int64_t start, int64_t stride, std::span<uint8_t> out) const override {
    Preprocessor preprocessor(input_);
    Frame image;
    ImageShape shape;
    const size_t bytes = FrameBytes(input_);
    for (size_t i = 0; i < out.size() / bytes; ++i) {
      source_.Read(start + static_cast<int64_t>(i) * stride, image);
      preprocessor.Resize(image.view(), out.subspan(i * bytes, bytes));
      if (i == 0) shape = {image.width, image.height};
    }
    return shape;
  }

 private:
  const Sequence& source_;
  const InputConfig input_;
};

class PackedStore : public ImageStore {
 public:
  PackedStore(const Sequence& source, int64_t count, const InputConfig& input,
              const std::filesystem::path& path)
      : file_(path) {
    const auto fail = [&](std::string_view problem) {
      throw Error(fmt::format("{}: {}; delete the file to have it made again", path.string(), problem));
    };
    PackedHeader header;
    if (file_.bytes().size() < sizeof(header)) fail("too short for a file of packed images");
    std::memcpy(&header, file_.bytes().data(), sizeof(header));
    if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) fail("not a file of packed images");
    shape_ = {static_cast<int>(header.width), static_cast<int>(header.height)};
    const PackedHeader expected = HeaderOf(source, count, input, shape_);
    if (std::memcmp(&header, &expected, sizeof(header)) != 0) fail("packed from other images");
    frame_bytes_ = size_t{3} * header.size * header.size;
    count_ = header.count;
    // Both factors are what the caller expects, so their product is sound.
    const size_t needed = sizeof(header) + frame_bytes_ * count_;
    if (file_.bytes().size() != needed) {
      fail(fmt::format("has {} bytes where {} are expected", file_.bytes().size(), needed));
    }
  }

  ImageShape Read(int64_t start, int64_t stride, std::span<uint8_t> out) const override {
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
  ImageShape shape_;
  size_t frame_bytes_ = 0;
  size_t count_ = 0;
};

void Pack(const Sequence& source, int64_t count, const InputConfig& input, const std::filesystem::path& path,
          ThreadPool& threads) {
  AtomicFile file(path);
  const DecodingStore decoder(source, input);
  const size_t bytes = FrameBytes(input);
  std::vector<uint8_t> frames(bytes * static_cast<size_t>(kFramesAtOnce));
  ImageShape shape;  // of the first image
  for (int64_t first = 0; first == 0 || first < count; first += kFramesAtOnce) {
    const int64_t some = std::min(kFramesAtOnce, count - first);
    threads.ParallelFor(some, [&](int64_t i) {
      const ImageShape read =
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

std::unique_ptr<ImageStore> DecodeWhenAsked(const Sequence& source, const InputConfig& input) {
  return std::make_unique<DecodingStore>(source, input);
}

std::filesystem::path PackedPath(const Sequence& source, int64_t count, const InputConfig& input,
                                 const std::filesystem::path& folder) {
  std::string name = source.name().substr(0, kMaxNameLength);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_'; }, '_');
  return folder / fmt::format("{}-{:016x}.frames", name, HashOf(source, count, input));
}

int64_t PackedBytes(int64_t count, const InputConfig& input) {
  return static_cast<int64_t>(sizeof(PackedHeader) + static_cast<size_t>(count) * FrameBytes(input));
}

bool PackUnlessLocked(const Sequence& source, int64_t count, const InputConfig& input,
                      const std::filesystem::path& folder, ThreadPool& threads) {
  const std::filesystem::path path = PackedPath(source, count, input, folder);
  MakeFolder(folder);
  std::filesystem::path lock_path = path;
  lock_path += ".lock";
  const FileLock lock(lock_path, FileLock::Target::kNewFile);
  if (lock.is_refused()) return false;
  std::error_code ignored;
  const bool is_there = std::filesystem::exists(path, ignored);  // made before the lock was free
  try {
    if (!is_there) Pack(source, count, input, path, threads);
  } catch (...) {
    std::filesystem::remove(lock_path, ignored);
    throw;
  }
  std::filesystem::remove(lock_path, ignored);
  return true;
}

std::unique_ptr<ImageStore> OpenPacked(const Sequence& source, int64_t count, const InputConfig& input,
                                       const std::filesystem::path& folder, ThreadPool& threads) {
  const std::filesystem::path path = PackedPath(source, count, input, folder);
  std::error_code ignored;  // what stands in the way shows when the file is opened
  if (!std::filesystem::exists(path, ignored)) {
    MakeFolder(folder);
    Pack(source, count, input, path, threads);
  }
  return std::make_unique<PackedStore>(source, count, input, path);
}

}  // namespace calfvo::train
