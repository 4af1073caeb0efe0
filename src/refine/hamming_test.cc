// SPDX-License-Identifier: Apache-2.0
#include "refine/hamming.h"

#include <gtest/gtest.h>

#include <bitset>
#include <random>
#include <vector>

namespace calfvo {
namespace {

std::vector<Descriptor> RandomDescriptors(int count) {
  std::mt19937_64 random(7);
  std::vector<Descriptor> descriptors(static_cast<size_t>(count));
  for (Descriptor& descriptor : descriptors) {
    for (uint64_t& word : descriptor) word = random();
  }
  return descriptors;
}

TEST(Hamming, CountsDifferingBits) {
  const std::vector<Descriptor> two = RandomDescriptors(2);
  size_t expected = 0;
  for (size_t i = 0; i < 4; ++i) expected += std::bitset<64>(two[0][i] ^ two[1][i]).count();
  EXPECT_EQ(HammingDistance(two[0], two[1]), static_cast<int>(expected));
  EXPECT_EQ(HammingDistance(two[0], two[0]), 0);
  EXPECT_EQ(HammingDistance({0, 0, 0, 0}, {~0ULL, ~0ULL, ~0ULL, ~0ULL}), 256);
}

TEST(Hamming, NearestIsTheFirstOfEquals) {
  std::vector<Descriptor> descriptors = RandomDescriptors(50);
  const Descriptor query = descriptors[20];
  descriptors[20][0] ^= 0b111;
  descriptors[30] = descriptors[20];
  descriptors[40] = query;
  descriptors[40][3] ^= 0b1111;
  NearestDescriptor nearest = FindNearest(query, descriptors);
  EXPECT_EQ(nearest.index, 20);
  EXPECT_EQ(nearest.distance, 3);
  EXPECT_EQ(nearest.second_distance, 3);
  descriptors[30][1] ^= 0xff;
  nearest = FindNearest(query, descriptors);
  EXPECT_EQ(nearest.second_distance, 4);
}

TEST(Hamming, FewDescriptors) {
  const std::vector<Descriptor> one = RandomDescriptors(1);
  EXPECT_EQ(FindNearest(one[0], {}).index, -1);
  EXPECT_EQ(FindNearest(one[0], one).distance, 0);
  EXPECT_EQ(FindNearest(one[0], one).second_distance, NearestDescriptor::kNone);
}

}  // namespace
}  // namespace calfvo
