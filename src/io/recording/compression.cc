// SPDX-License-Identifier: Apache-2.0
#include "io/recording/compression.h"

#include <bzlib.h>
#include <fmt/format.h>
#include <lz4frame.h>
#include <zstd.h>

#include <array>
#include <memory>

#include "calfvo/error.h"
#include "core/base/quoted.h"

namespace calfvo {
namespace {

constexpr std::array<std::string_view, 4> kCompressionNames = {"", "zstd", "lz4", "bz2"};

[[noreturn]] void FailDamaged(Compression compression, std::string_view reason) {
  throw Error(fmt::format("a chunk of {} data is damaged: {}", CompressionName(compression), reason));
}

size_t DecompressZstd(std::string_view bytes, std::string* to) {
  const size_t size = ZSTD_decompress(to->data(), to->size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0) FailDamaged(Compression::kZstd, ZSTD_getErrorName(size));
  return size;
}

size_t DecompressLz4(std::string_view bytes, std::string* to) {
  LZ4F_dctx* created = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&created, LZ4F_VERSION)) != 0) throw std::bad_alloc();
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(
      created, LZ4F_freeDecompressionContext);
  size_t written = 0;
  size_t left = 1;  // what the frame still needs; 0 at its end
  while (left != 0) {
    size_t room = to->size() - written;
    size_t taken = bytes.size();
    left = LZ4F_decompress(context.get(), to->data() + written, &room, bytes.data(), &taken, nullptr);
    if (LZ4F_isError(left) != 0) FailDamaged(Compression::kLz4, LZ4F_getErrorName(left));
    written += room;
    bytes.remove_prefix(taken);
    if (left != 0 && room == 0 && taken == 0) FailDamaged(Compression::kLz4, "it is cut short or too long");
  }
  if (!bytes.empty()) FailDamaged(Compression::kLz4, "bytes follow it");
  return written;
}

size_t DecompressBz2(std::string_view bytes, std::string* to) {
  auto size = static_cast<unsigned>(to->size());
  // bzlib's interface lacks const.
  const int result = BZ2_bzBuffToBuffDecompress(to->data(), &size, const_cast<char*>(bytes.data()),
                                                static_cast<unsigned>(bytes.size()), 0, 0);
  if (result != BZ_OK) FailDamaged(Compression::kBz2, fmt::format("bzip2 error {}", result));
  return size;
}

}  // namespace

Compression CompressionFromName(std::string_view name) {
  if (name == "none") return Compression::kNone;
  for (size_t i = 0; i < kCompressionNames.size(); ++i) {
    if (kCompressionNames[i] == name) return static_cast<Compression>(i);
  }
  throw Error(fmt::format("unknown compression {}; expected zstd, lz4, bz2 or none", Quoted(name)));
}

std::string_view CompressionName(Compression compression) {
  return kCompressionNames[static_cast<size_t>(compression)];
}

std::string Compress(Compression compression, std::string_view bytes) {
  if (compression == Compression::kNone) return std::string(bytes);
  if (compression == Compression::kBz2) throw Error("bz2 is read but not written");
  const bool is_zstd = compression == Compression::kZstd;
  std::string to(is_zstd ? ZSTD_compressBound(bytes.size()) : LZ4F_compressFrameBound(bytes.size(), nullptr),
                 '\0');
  constexpr int kLevel = 3;
  const size_t size = is_zstd ? ZSTD_compress(to.data(), to.size(), bytes.data(), bytes.size(), kLevel)
                              : LZ4F_compressFrame(to.data(), to.size(), bytes.data(), bytes.size(), nullptr);
  if (is_zstd ? ZSTD_isError(size) != 0 : LZ4F_isError(size) != 0) {
    throw Error(fmt::format("{} cannot compress {} bytes", CompressionName(compression), bytes.size()));
  }
  to.resize(size);
  return to;
}

void Decompress(Compression compression, std::string_view bytes, std::string* to) {
  size_t size = bytes.size();
  if (compression == Compression::kNone) {
    if (size == to->size()) to->assign(bytes);
  } else if (to->empty()) {
    FailDamaged(compression, "it claims to hold nothing");
  } else if (compression == Compression::kZstd) {
    size = DecompressZstd(bytes, to);
  } else if (compression == Compression::kLz4) {
    size = DecompressLz4(bytes, to);
  } else {
    size = DecompressBz2(bytes, to);
  }
  if (size == to->size()) return;
  throw Error(fmt::format("a chunk holds {} bytes; {} were expected", size, to->size()));
}

}  // namespace calfvo
