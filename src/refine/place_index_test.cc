// SPDX-License-Identifier: Apache-2.0
#include "refine/place_index.h"

#include <gtest/gtest.h>

#include <random>

namespace calfvo {
namespace {

// `count` descriptors drawn from a place's own 100, with a few bits flipped.
cv::Mat Descriptors(int place, int view, int count) {
  cv::Mat out(count, 32, CV_8U);
  std::mt19937 noise(static_cast<unsigned>(1000 * place + view));
  for (int row = 0; row < count; ++row) {
    std::mt19937 word(static_cast<unsigned>(place * 100 + static_cast<int>(noise() % 100)));
    for (int byte = 0; byte < 32; ++byte) out.at<uint8_t>(row, byte) = static_cast<uint8_t>(word());
    for (int flip = 0; flip < 8; ++flip)
      out.at<uint8_t>(row, static_cast<int>(noise() % 32)) ^= 1U << (noise() % 8);
  }
  return out;
}

TEST(PlaceIndex, ViewsOfOnePlaceAreMostAlike) {
  std::vector<cv::Mat> images;
  for (int view = 0; view < 3; ++view) {
    for (int place = 0; place < 8; ++place) images.push_back(Descriptors(place, view, 200));
  }
  const PlaceIndex index(images);
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
  const PlaceIndex index({Descriptors(0, 0, 50), cv::Mat()});
  EXPECT_EQ(index.Similarity(0, 1), 0.0);
}

}  // namespace
}  // namespace calfvo
