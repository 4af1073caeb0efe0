// SPDX-License-Identifier: Apache-2.0
#include "io/video/image_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <numeric>
#include <system_error>

#include "calfvo/error.h"
#include "core/base/line_reader.h"
#include "core/base/number_text.h"
#include "core/base/temporary_error.h"
#include "core/base/time_span.h"
#include "core/image/image_decoder.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

constexpr const char* kListing = "rgb.txt";

// Below a folder that has no images itself.
constexpr std::array kImageFolders = {"rgb", "image_2", "mav0/cam0/data"};

constexpr size_t kMaxImages = 10'000'000;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// The number that `text` begins with, without leading zeros, and how many characters it takes.
std::pair<std::string_view, size_t> LeadingNumber(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && IsDigit(text[end])) ++end;
  const size_t zeros = std::min(text.substr(0, end).find_first_not_of('0'), end);
  return {text.substr(zeros, end - zeros), end};
}

std::optional<int64_t> TimeFromName(std::string_view stem) {
  const size_t whole = LeadingNumber(stem).second;
  int64_t time = 0;
  if (whole == stem.size()) {
    constexpr size_t kMicroseconds = 16;
    if (whole < 15 || !ParseNanoseconds(stem, &time)) return {};
    if (whole == kMicroseconds && __builtin_mul_overflow(time, 1000, &time)) return {};
    return time;
  }
  const size_t decimals = stem.size() - whole - 1;
  const bool is_decimal = whole > 0 && stem[whole] == '.' && decimals >= 3 &&
                          std::all_of(stem.begin() + static_cast<ptrdiff_t>(whole) + 1, stem.end(), IsDigit);
  if (!is_decimal || !ParseSeconds(stem, &time)) return {};
  return time;
}

// The order that sorts `keys`, or nothing if two of them are equal.
std::optional<std::vector<size_t>> SortedOrder(const std::vector<int64_t>& keys) {
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  for (size_t i = 1; i < order.size(); ++i) {
    if (keys[order[i]] == keys[order[i - 1]]) return {};
  }
  return order;
}

void AppendTime(const LineReader& reader, int64_t timestamp_ns, std::vector<int64_t>* times) {
  if (!times->empty() && timestamp_ns <= times->back()) reader.Fail("the time is not after the one before");
  if (!times->empty() && !TimeSpanFits(times->front(), timestamp_ns)) {
    reader.Fail("the time is more than 292 years after the first");
  }
  if (times->size() == kMaxImages) reader.Fail(fmt::format("more than {} images", kMaxImages));
  times->push_back(timestamp_ns);
}

std::vector<fs::path> ImagesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (HasImageName(entry->path()) && entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  if (error) throw Error(fmt::format("{}: cannot read the folder: {}", folder.string(), error.message()));
  return files;
}

std::optional<fs::path> FindTimes(const fs::path& folder, const fs::path& images) {
  std::error_code ignored;
  for (const fs::path& candidate : {folder / "times.txt", images / "times.txt"}) {
    if (fs::is_regular_file(candidate, ignored)) return candidate;
  }
  // "sequences/00/image_2", perhaps with a slash at its end.
  const fs::path full = fs::absolute(images, ignored).lexically_normal();
  const fs::path named = full.has_filename() ? full : full.parent_path();
  const fs::path above = named.parent_path() / "times.txt";
  if (named.filename().string().starts_with("image_") && fs::is_regular_file(above, ignored)) return above;
  return {};
}

std::ifstream OpenText(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) ThrowSystemError(path.string() + ": cannot open", errno);
  return stream;
}

}  // namespace

bool NaturalLess(std::string_view a, std::string_view b) {
  const std::string_view all_a = a;
  const std::string_view all_b = b;
  while (!a.empty() && !b.empty()) {
    if (IsDigit(a[0]) && IsDigit(b[0])) {
      const auto [number_a, length_a] = LeadingNumber(a);
      const auto [number_b, length_b] = LeadingNumber(b);
      if (number_a.size() != number_b.size()) return number_a.size() < number_b.size();
      if (number_a != number_b) return number_a < number_b;
      a.remove_prefix(length_a);
      b.remove_prefix(length_b);
    } else {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return all_a < all_b;  // "01" and "1"
}

ImageList ListByName(std::vector<fs::path> files) {
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return NaturalLess(a.native(), b.native()); });
  std::vector<int64_t> times;
  for (const fs::path& file : files) {
    const auto time = TimeFromName(file.stem().native());
    if (!time) break;
    times.push_back(*time);
  }
  ImageList list;
  const auto order = SortedOrder(times);
  if (times.size() < files.size() || !order) {
    list.files = std::move(files);
    return list;
  }
  for (const size_t i : *order) {
    list.files.push_back(std::move(files[i]));
    list.timestamps_ns.push_back(times[i]);
  }
  return list;
}

ImageList ParseTumList(std::istream& stream, const std::string& name, const fs::path& folder) {
  LineReader reader(stream, name);
  ImageList list;
  for (auto line = reader.Next(); line.data() != nullptr; line = reader.Next()) {
    FieldReader fields(reader, line, ' ', "timestamp filename");
    AppendTime(reader, fields.Seconds(), &list.timestamps_ns);
    list.files.push_back(folder / fields.Text());
    fields.ExpectEnd();
  }
  return list;
}

std::vector<int64_t> ParseTimes(std::istream& stream, const std::string& name) {
  LineReader reader(stream, name);
  std::vector<int64_t> times;
  for (auto line = reader.Next(); line.data() != nullptr; line = reader.Next()) {
    FieldReader fields(reader, line, ' ', "seconds");
    AppendTime(reader, fields.Seconds(), &times);
    fields.ExpectEnd();
  }
  return times;
}

bool FolderWouldRead(const fs::path& folder, const fs::path& image) {
  std::error_code ignored;
  if (fs::is_regular_file(folder / kListing, ignored)) return false;
  const fs::path beside = image.parent_path();
  return fs::equivalent(folder, beside, ignored) ||
         std::any_of(kImageFolders.begin(), kImageFolders.end(),
                     [&](const char* below) { return fs::equivalent(folder / below, beside, ignored); });
}

ImageList ListFolder(const fs::path& folder) {
  std::error_code ignored;
  if (const fs::path listing = folder / kListing; fs::is_regular_file(listing, ignored)) {
    std::ifstream stream = OpenText(listing);
    ImageList list = ParseTumList(stream, listing.string(), folder);
    if (list.files.empty()) throw Error(listing.string() + ": lists no images");
    return list;
  }
  fs::path images = folder;
  std::vector<fs::path> files = ImagesIn(folder);
  if (!files.empty() && fs::exists(folder / "run.json", ignored) &&
      fs::exists(folder / "poses.csv", ignored)) {
    throw Error(
        folder.string() +
        ": holds the results of a run, whose figures are no frames of a video; give a video or a folder "
        "of images, or show the results with `calfvo view`");
  }
  for (const char* below : kImageFolders) {
    if (!files.empty() || !fs::is_directory(folder / below, ignored)) continue;
    images = folder / below;
    files = ImagesIn(images);
  }
  if (files.empty()) {
    throw Error(
        folder.string() +
        ": the folder has no images (.png, .jpg, .ppm, .pgm), no rgb.txt and no rgb/ or image_2/ with "
        "images; give a folder of images or a video file");
  }
  const auto times_path = FindTimes(folder, images);
  ImageList list = ListByName(std::move(files));
  if (!times_path) return list;
  std::ifstream stream = OpenText(*times_path);
  list.timestamps_ns = ParseTimes(stream, times_path->string());
  if (list.timestamps_ns.size() != list.files.size()) {
    throw Error(fmt::format("{}: has {} times for the {} images of {}; expected one per image",
                            times_path->string(), list.timestamps_ns.size(), list.files.size(),
                            images.string()));
  }
  return list;
}

}  // namespace calfvo
