// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/time_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <functional>
#include <queue>

#include "calfvo/error.h"

namespace calfvo {
namespace {

// Unsigned, because the difference of two int64 may not fit one.
uint64_t Distance(int64_t a, int64_t b) {
  return a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
               : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
}

void CheckCrowds(std::span<const int64_t> images, std::span<const int64_t> poses, int64_t limit_ns,
                 const std::string& name) {
  constexpr size_t kMostPerImage = 1000;
  const auto limit = static_cast<uint64_t>(limit_ns);
  size_t first = 0;
  size_t last = 0;
  for (const int64_t image : images) {
    while (first < poses.size() && poses[first] < image && Distance(poses[first], image) >= limit) ++first;
    last = std::max(last, first);
    while (last < poses.size() && Distance(poses[last], image) < limit) ++last;
    if (last - first > kMostPerImage) {
      throw Error(fmt::format("{}: over {} poses are within {} s of the image at {} ns", name, kMostPerImage,
                              static_cast<double>(limit_ns) * 1e-9, image));
    }
  }
}

// Images and poses in one line, in order of time, from which matched pairs are taken out. Places are
// counted from 1; 0 stands before the first and after the last.
class Line {
 public:
  struct Pair {
    uint64_t distance = 0;
    size_t image = 0;
    size_t pose = 0;
    size_t place = 0;  // of the earlier of the two, which the later followed when the pair was made

    // By distance, then by time; `place` never decides, as it follows from the two.
    auto operator<=>(const Pair&) const = default;
  };

  Line(std::span<const int64_t> images, std::span<const int64_t> poses) : images_(images), poses_(poses) {
    members_.resize(1);
    for (size_t i = 0, j = 0; i < images.size() || j < poses.size();) {
      const bool is_image = j == poses.size() || (i < images.size() && images[i] <= poses[j]);
      members_.push_back({.index = is_image ? i++ : j++, .is_image = is_image});
    }
    for (size_t place = 0; place < members_.size(); ++place) {
      members_[place].before = (place + members_.size() - 1) % members_.size();
      members_[place].after = (place + 1) % members_.size();
    }
  }

  size_t size() const { return members_.size() - 1; }

  // The image and the pose at `place` and after it, where these are one of each.
  std::optional<Pair> PairAt(size_t place) const {
    const Member& one = members_[place];
    const Member& other = members_[one.after];
    if (place == 0 || one.after == 0 || one.is_image == other.is_image) return {};
    const size_t image = one.is_image ? one.index : other.index;
    const size_t pose = one.is_image ? other.index : one.index;
    return Pair{Distance(images_[image], poses_[pose]), image, pose, place};
  }

  // Returns the place before the pair's.
  size_t TakeOut(const Pair& pair) {
    const size_t before = members_[pair.place].before;
    const size_t after = members_[members_[pair.place].after].after;
    members_[before].after = after;
    members_[after].before = before;
    return before;
  }

 private:
  struct Member {
    size_t index = 0;
    bool is_image = false;
    size_t before = 0;
    size_t after = 0;
  };
  const std::span<const int64_t> images_;
  const std::span<const int64_t> poses_;
  std::vector<Member> members_;
};

}  // namespace

// The closest of all pairs are neighbours in time: whatever lies between the two is closer to one of them. So
// neighbours are all that is looked at, and memory and time do not grow with the number of pairs.
std::vector<std::optional<size_t>> MatchOneToOne(std::span<const int64_t> images,
                                                 std::span<const int64_t> poses, int64_t limit_ns,
                                                 const std::string& name) {
  CheckCrowds(images, poses, limit_ns, name);
  Line line(images, poses);
  std::priority_queue<Line::Pair, std::vector<Line::Pair>, std::greater<>> closest;
  const auto add = [&](size_t place) {
    const auto pair = line.PairAt(place);
    if (pair && pair->distance < static_cast<uint64_t>(limit_ns)) closest.push(*pair);
  };
  for (size_t place = 1; place <= line.size(); ++place) add(place);
  std::vector<std::optional<size_t>> matches(images.size());
  std::vector<bool> taken(poses.size());
  while (!closest.empty()) {
    const Line::Pair pair = closest.top();
    closest.pop();
    if (matches[pair.image] || taken[pair.pose]) continue;
    matches[pair.image] = pair.pose;
    taken[pair.pose] = true;
    add(line.TakeOut(pair));
  }
  return matches;
}

std::optional<size_t> MatchNearest(int64_t time_ns, std::span<const int64_t> poses, int64_t limit_ns) {
  const auto after = std::lower_bound(poses.begin(), poses.end(), time_ns);
  std::optional<size_t> nearest;
  auto best = static_cast<uint64_t>(limit_ns);
  if (after != poses.end() && Distance(*after, time_ns) <= best) {
    best = Distance(*after, time_ns);
    nearest = static_cast<size_t>(after - poses.begin());
  }
  if (after != poses.begin() && Distance(*(after - 1), time_ns) <= best) {
    nearest = static_cast<size_t>(after - poses.begin()) - 1;
  }
  return nearest;
}

}  // namespace calfvo
