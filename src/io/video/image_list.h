// SPDX-License-Identifier: Apache-2.0
// Which images make a video, in which order, and when each was taken.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace calfvo {

struct ImageList {
  std::vector<std::filesystem::path> files;
  std::vector<int64_t> timestamps_ns;  // strictly increasing, one per file; empty if times are unknown
};

// "img2" before "img10": runs of digits compare as numbers.
bool NaturalLess(std::string_view a, std::string_view b);

// Times from names, where all of them are times and no two are equal: seconds with at least three decimals
// (TUM: 1305031102.175304.png), 16 digits as microseconds since 1970, or 15 and more as nanoseconds (EuRoC).
// Plain counters like 000123.png are not times. Sorts by time if so, else naturally.
ImageList ListByName(std::vector<std::filesystem::path> files);

// TUM's rgb.txt: "timestamp filename" per line, names relative to `folder`. Throws Error naming `name` and
// the line.
ImageList ParseTumList(std::istream& stream, const std::string& name, const std::filesystem::path& folder);

// KITTI's times.txt: seconds, one per line.
std::vector<int64_t> ParseTimes(std::istream& stream, const std::string& name);

// The images of a folder: those that its rgb.txt lists; else those in it, or in its rgb/, image_2/ or
// mav0/cam0/data/, at the times of times.txt in the same folder or the one above an image_N/. Throws Error if
// there are none, or not as many as times.
ImageList ListFolder(const std::filesystem::path& folder);

// Whether ListFolder might list `image` if that were there, too: so not where an rgb.txt lists the images.
bool FolderWouldRead(const std::filesystem::path& folder, const std::filesystem::path& image);

}  // namespace calfvo
