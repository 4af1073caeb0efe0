// SPDX-License-Identifier: Apache-2.0
#include "refine/place_index.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace calfvo {
namespace {

// `count` descriptors drawn from a place's own 100, with a few bits flipped.
std::vector<Descriptor> Descriptors(int place, int view, int count) {
  std::vector<Descriptor> out(static_cast<size_t>(count));
  std::mt19937 noise(static_cast<unsigned>(1000 * place + view));
  for (Descriptor& descriptor : out) {
    std::mt19937_64 word(static_cast<unsigned>(place * 100 + static_cast<int>(noise() % 100)));
    for (uint64_t& bits : descriptor) bits = word();
    for (int flip = 0; flip < 8; ++flip) descriptor[noise() % 4] ^= uint64_t{1} << (noise() % 64);
  }
  return out;
}

TEST(PlaceIndex, ViewsOfOnePlaceAreMostAlike) {
  std::vector<std::vector<Descriptor>> images;
  for (int view = 0; view < 3; ++view) {
    for (int place = 0; place < 8; ++place) images.push_back(Descriptors(place, view, 200));
  }
  const PlaceIndex index({images.begin(), images.end()});
  for (size_t a = 0; a < images.size(); ++a) {
    EXPECT_NEAR(index.Similarity(a, a), 1.0, 1e-5);
    for (size_t b = 0; b < images.size(); ++b) {
      if (a % 8 != b % 8) {
        EXPECT_GT(index.Similarity(a, (a + 8) % images.size()), 2.0 * index.Similarity(a, b));
      }
    }
  }
}

TEST(PlaceIndex, ImagesWithoutFeaturesAreUnlikeAll) {
  const std::vector<Descriptor> image = Descriptors(0, 0, 50);
  const PlaceIndex index({image, {}});
  EXPECT_EQ(index.Similarity(0, 1), 0.0);
}

}  // namespace
}  // namespace calfvo
