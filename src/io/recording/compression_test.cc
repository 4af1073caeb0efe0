// SPDX-License-Identifier: Apache-2.0
#include "io/recording/compression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

std::string Sample() {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i % 1000 * (i % 1000) % 61);
  return bytes;
}

TEST(Compression, RoundTrip) {
  for (const Compression kind : {Compression::kNone, Compression::kZstd, Compression::kLz4}) {
    const std::string bytes = Sample();
    const std::string compressed = Compress(kind, bytes);
    EXPECT_LT(compressed.size(), kind == Compression::kNone ? bytes.size() + 1 : bytes.size() / 10);
    std::string read(bytes.size(), '\0');
    Decompress(kind, compressed, &read);
    EXPECT_EQ(read, bytes);
    EXPECT_EQ(CompressionFromName(CompressionName(kind)), kind);
  }
}

// Chunks that hold more or less than they claim, and damage of any kind, end in an error and in no more
// memory than the claim.
TEST(Compression, WrongSizesAndDamageAreErrors) {
  for (const Compression kind : {Compression::kNone, Compression::kZstd, Compression::kLz4}) {
    const std::string compressed = Compress(kind, Sample());
    for (const size_t size : {0U, 1U, 99'999U, 100'001U}) {
      std::string to(size, '\0');
      EXPECT_THAT(ErrorFrom([&] { Decompress(kind, compressed, &to); }), HasSubstr("a chunk ")) << size;
    }
    for (size_t cut = 0; cut < std::min<size_t>(compressed.size(), 300); ++cut) {
      std::string to(100'000, '\0');
      EXPECT_THAT(ErrorFrom([&] { Decompress(kind, compressed.substr(0, cut), &to); }), HasSubstr("a chunk "))
          << cut;
    }
  }
  EXPECT_THAT(ErrorFrom([] { CompressionFromName("rar"); }), HasSubstr("unknown compression 'rar'"));
}

// 'calfvo calfvo calfvo', compressed by Python's bz2.
TEST(Compression, ReadsBzip2) {
  const std::string bytes(
      "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\xb3\x90\xb5\x95\x00\x00\x02\x91\x80\x40"
      "\x00\x29\x04\x81\x00\x20\x00\x21\xb5\x0c\x42\x18\x08\xb8\xcd\x50\x65\x29\xe2\xee"
      "\x48\xa7\x0a\x12\x16\x72\x16\xb2\xa0",
      49);
  std::string to(20, '\0');
  Decompress(Compression::kBz2, bytes, &to);
  EXPECT_EQ(to, "calfvo calfvo calfvo");
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_THAT(ErrorFrom([&] { Decompress(Compression::kBz2, bytes.substr(0, cut), &to); }),
                HasSubstr("bz2 data is damaged"));
  }
  EXPECT_THAT(ErrorFrom([] { Compress(Compression::kBz2, "x"); }), HasSubstr("not written"));
}

}  // namespace
}  // namespace calfvo
