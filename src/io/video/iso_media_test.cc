// SPDX-License-Identifier: Apache-2.0
#include "io/video/iso_media.h"

#include <gtest/gtest.h>

#include "io/video/test_media.h"

namespace calfvo {
namespace {

std::string BigEndian(uint64_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
  return text;
}

std::string Box(const std::string& type, size_t content) {
  return BigEndian(8 + content, 4) + type + std::string(content, 'x');
}

// With the size in 64 bits.
std::string LongBox(const std::string& type, size_t content) {
  return BigEndian(1, 4) + type + BigEndian(16 + content, 8) + std::string(content, 'x');
}

bool BytesEndBeforeIndex(const std::string& bytes) {
  const TempFolder folder;
  WriteBytes(folder.path() / "file", bytes);
  return EndsBeforeIndex(folder.path() / "file");
}

TEST(IsoMedia, AnyCutBeforeTheEndOfTheIndexIsSeen) {
  const std::string kind = Box("ftyp", 24);
  for (const std::string& whole :
       {kind + Box("free", 0) + Box("mdat", 60) + Box("moov", 20),
        kind + LongBox("mdat", 60) + LongBox("moov", 20), kind + Box("moov", 20)}) {
    for (size_t size = 8; size < whole.size(); ++size) {
      EXPECT_TRUE(BytesEndBeforeIndex(whole.substr(0, size))) << size << " of " << whole.size();
    }
    EXPECT_FALSE(BytesEndBeforeIndex(whole));
    EXPECT_FALSE(BytesEndBeforeIndex(whole + Box("mdat", 60).substr(0, 30)));
  }
}

TEST(IsoMedia, RecordingsThatWereBrokenOffHaveNoIndex) {
  const std::string kind = Box("ftyp", 24);
  EXPECT_TRUE(BytesEndBeforeIndex(kind + BigEndian(0, 4) + "mdat" + std::string(100, 'x')));
  EXPECT_TRUE(BytesEndBeforeIndex(kind + BigEndian(1, 4) + "mdat" + std::string(100, '?')));
  EXPECT_TRUE(BytesEndBeforeIndex(kind + Box("mdat", 100)));
}

TEST(IsoMedia, OtherFilesAreLeftAlone) {
  EXPECT_FALSE(BytesEndBeforeIndex(""));
  EXPECT_FALSE(BytesEndBeforeIndex("RIFF1234AVI LIST and so on"));
  EXPECT_FALSE(BytesEndBeforeIndex(Box("mdat", 30)));
  EXPECT_FALSE(BytesEndBeforeIndex(Box("ftyp", 24) + Box("meta", 30) + Box("mdat", 30)));  // HEIC
  EXPECT_FALSE(BytesEndBeforeIndex(Box("ftyp", 24) + BigEndian(7, 4) + "junkjunkjunk"));
  EXPECT_FALSE(EndsBeforeIndex("/no/such/file"));
  std::string many = Box("ftyp", 24);
  for (int i = 0; i < 10'000; ++i) many += Box("free", 0);
  EXPECT_FALSE(BytesEndBeforeIndex(many));  // it stopped looking
}

}  // namespace
}  // namespace calfvo
