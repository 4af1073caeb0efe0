// SPDX-License-Identifier: Apache-2.0
#include "commands/run/manifest.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/testing.h"

namespace calfvo {
namespace {

std::vector<ManifestEntry> Read(const TempFolder& folder, const std::string& text) {
  std::ofstream(folder.path() / "list.txt") << text;
  return ReadManifest(folder.path() / "list.txt");
}

TEST(Manifest, NamesAreUniqueAndInputsRelativeToTheFile) {
  const TempFolder folder;
  const auto entries = Read(folder,
                            "# holiday\n\na/clip.mp4\r\nb/clip.mp4\n/data/my film!.mov\nframes/\n"
                            "c/clip.mp4\tbest\n/dev/video0\n-\ndataset:room\n");
  ASSERT_EQ(entries.size(), 8U);
  const std::string root = folder.path().string();
  const char* names[] = {"clip", "clip-2", "my_film_", "frames", "best", "video0", "-", "room"};
  const std::string inputs[] = {root + "/a/clip.mp4",
                                root + "/b/clip.mp4",
                                "/data/my film!.mov",
                                root + "/frames/",
                                root + "/c/clip.mp4",
                                "/dev/video0",
                                "-",
                                "dataset:" + root + "/room"};
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(entries[i].name, names[i]);
    EXPECT_EQ(entries[i].input, inputs[i]);
  }
}

TEST(Manifest, WrongLinesAreNamed) {
  const TempFolder folder;
  const auto message = [&](const std::string& text) { return ErrorFrom([&] { Read(folder, text); }); };
  EXPECT_NE(message("a.mp4\nb.mp4\t../up\n").find("list.txt:2: '../up' is not a folder name"),
            std::string::npos);
  EXPECT_NE(message("a.mp4\tx\nb.mp4\tx\n").find("list.txt:2: the name 'x' is taken"), std::string::npos);
  EXPECT_NE(message("\tx\n").find("list.txt:1: no input"), std::string::npos);
  EXPECT_NE(message("\xef\xbb\xbf# mine\na.mp4\n").find("list.txt:1: begins with a byte order mark"),
            std::string::npos);
  EXPECT_NE(message("# nothing\n").find("holds no inputs"), std::string::npos);
  EXPECT_NE(ErrorFrom([&] { ReadManifest(folder.path() / "none"); }).find("cannot be read"),
            std::string::npos);
  EXPECT_NE(ErrorFrom([] { ReadManifest("/dev/zero"); }).find("line of over 65536 bytes"), std::string::npos);
  EXPECT_NE(ErrorFrom([&] { ReadManifest(folder.path()); }).find("cannot be read"), std::string::npos);
}

TEST(Manifest, ShardsCoverEverythingOnce) {
  std::vector<ManifestEntry> entries(23);
  for (int i = 0; i < 23; ++i) entries[i] = {std::to_string(i), std::to_string(i)};
  std::vector<int> seen(23, 0);
  for (int i = 1; i <= 5; ++i) {
    for (const auto& entry : TakeShard(entries, ParseShard(std::to_string(i) + "/5"))) {
      ++seen[static_cast<size_t>(std::stoi(entry.name))];
    }
  }
  EXPECT_EQ(seen, std::vector<int>(23, 1));
  for (const char* wrong : {"", "1", "0/4", "5/4", "a/4", "1/", "1/4x", "-1/4", "1/0"}) {
    EXPECT_NE(ErrorFrom([&] { ParseShard(wrong); }).find("expected I/N"), std::string::npos) << wrong;
  }
}

}  // namespace
}  // namespace calfvo
