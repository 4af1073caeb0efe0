// SPDX-License-Identifier: Apache-2.0
#include "core/base/sha256.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/testing.h"

namespace calfvo {
namespace {

std::string HashOf(std::string_view text) {
  Sha256 hash;
  hash.Add(text);
  return hash.Finish();
}

// The examples of FIPS 180-4, and the output of sha256sum(1).
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(HashOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HashOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HashOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(HashOf(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheSameAsTheWhole) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (size_t piece = 1; piece < 130; ++piece) {
    Sha256 hash;
    for (size_t i = 0; i < text.size(); i += piece) hash.Add(std::string_view(text).substr(i, piece));
    EXPECT_EQ(hash.Finish(), HashOf(text)) << piece;
  }
}

TEST(Sha256, Files) {
  const TempFolder folder;
  const std::string text(100'000, 'x');
  std::ofstream(folder.path() / "f") << text;
  EXPECT_EQ(Sha256OfFile(folder.path() / "f"), HashOf(text));
  EXPECT_NE(ErrorFrom([&] { Sha256OfFile(folder.path() / "none"); }).find("none"), std::string::npos);
}

}  // namespace
}  // namespace calfvo
