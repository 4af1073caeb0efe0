// SPDX-License-Identifier: Apache-2.0
#include "data/image_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/testing.h"
#include "data/test_sequence.h"

namespace calfvo::train {
namespace {

constexpr int kSize = 16;
constexpr size_t kFrameBytes = size_t{3} * kSize * kSize;

InputConfig Input() {
  InputConfig input;
  input.size = kSize;
  return input;
}

std::vector<uint8_t> ReadFrames(const ImageStore& store, int64_t start, int64_t stride, size_t count) {
  std::vector<uint8_t> frames(count * kFrameBytes);
  store.Read(start, stride, frames);
  return frames;
}

TEST(ImageStore, PackedImagesAreTheDecodedOnes) {
  const TempFolder folder;
  ThreadPool threads(3);
  const TestSequence sequence("dataset/scene 1", 70, 9);
  const auto decoded = DecodeWhenAsked(sequence, Input());
  const auto packed = OpenPacked(sequence, 70, Input(), folder.path() / "new", threads);
  const std::vector<uint8_t> frames = ReadFrames(*packed, 3, 5, 4);
  EXPECT_EQ(frames, ReadFrames(*decoded, 3, 5, 4));
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(frames[i * kFrameBytes], 3 + 5 * i);
    EXPECT_EQ(frames[i * kFrameBytes + 1], 9);
  }
  EXPECT_EQ(ReadFrames(*packed, 69, 1, 1)[0], 69);
  EXPECT_NE(ErrorFrom([&] { ReadFrames(*packed, 69, 1, 2); }), "no error");
}

TEST(ImageStore, KnowsTheShapeOfImagesBeforeTheyWereResized) {
  const TempFolder folder;
  ThreadPool threads(3);
  TestSequence sequence("a", 40);
  sequence.SetShape(50, 20);
  std::vector<uint8_t> frames(2 * kFrameBytes);
  const auto expect_shape = [&](const ImageStore& store) {
    const ImageShape shape = store.Read(33, 2, frames);
    EXPECT_EQ(shape.width, 50);
    EXPECT_EQ(shape.height, 20);
  };
  expect_shape(*DecodeWhenAsked(sequence, Input()));
  for (int i = 0; i < 2; ++i) expect_shape(*OpenPacked(sequence, 40, Input(), folder.path(), threads));
  EXPECT_EQ(sequence.reads(), 2 + 40);
  OpenPacked(sequence, 0, Input(), folder.path(), threads);  // no image, no shape, and no error
}

TEST(ImageStore, IsPackedOnce) {
  const TempFolder folder;
  ThreadPool threads(1);
  const TestSequence sequence("a", 10);
  const auto first = OpenPacked(sequence, 10, Input(), folder.path(), threads);
  EXPECT_EQ(sequence.reads(), 10);
  const auto second = OpenPacked(sequence, 10, Input(), folder.path(), threads);
  EXPECT_EQ(sequence.reads(), 10);
  EXPECT_EQ(ReadFrames(*first, 0, 1, 10), ReadFrames(*second, 0, 1, 10));
}

TEST(ImageStore, PacksAnewWhatHasChanged) {
  TestSequence sequence("a", 10);
  const auto path = PackedPath(sequence, 10, Input(), "folder");
  EXPECT_EQ(path, PackedPath(TestSequence("a", 10), 10, Input(), "folder"));
  EXPECT_NE(path, PackedPath(sequence, 9, Input(), "folder"));
  InputConfig other = Input();
  other.size = 32;
  EXPECT_NE(path, PackedPath(sequence, 10, other, "folder"));
  other = Input();
  other.resize = ResizeRule::kSquash;
  EXPECT_NE(path, PackedPath(sequence, 10, other, "folder"));
  sequence.frames()[4].image += " changed";
  EXPECT_NE(path, PackedPath(sequence, 10, Input(), "folder"));
  const TestSequence hostile("../../etc/x", 1);
  EXPECT_EQ(PackedPath(hostile, 1, Input(), "folder").parent_path(), "folder");
}

TEST(ImageStore, RefusesDamagedFiles) {
  const TempFolder folder;
  ThreadPool threads(1);
  const TestSequence sequence("a", 3);
  const auto open = [&] { return OpenPacked(sequence, 3, Input(), folder.path(), threads); };
  open();
  const auto path = PackedPath(sequence, 3, Input(), folder.path());
  const std::string good = ReadWholeFile(path);
  const auto error_with = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    const std::string message = ErrorFrom(open);
    EXPECT_EQ(message.find(path.string()), message == "no error" ? std::string::npos : 0);
    return message;
  };
  EXPECT_EQ(error_with(good), "no error");
  for (const size_t size : {size_t{0}, size_t{63}, size_t{64}, good.size() - 1}) {
    EXPECT_NE(error_with(good.substr(0, size)), "no error") << size;
  }
  EXPECT_NE(error_with(good + "x"), "no error");
  for (size_t i = 0; i < 64; ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x40);
    EXPECT_NE(error_with(bad), "no error") << i;
  }
  EXPECT_THAT(error_with(std::string(good.size(), 'x')),
              ::testing::HasSubstr("not a file of packed images; delete the file to have it made again"));
}

TEST(ImageStore, LeavesNothingBehindWhereAnImageCannotBeRead) {
  const TempFolder folder;
  ThreadPool threads(2);
  TestSequence sequence("a", 50);
  sequence.BreakFrame(40);
  EXPECT_EQ(ErrorFrom([&] { OpenPacked(sequence, 50, Input(), folder.path(), threads); }),
            "a: frame 40 cannot be decoded");
  EXPECT_EQ(folder.FileCount(), 0);
}

}  // namespace
}  // namespace calfvo::train
