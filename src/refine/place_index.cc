// SPDX-License-Identifier: Apache-2.0
#include "refine/place_index.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace calfvo {
namespace {

constexpr size_t kWords = 512;
constexpr size_t kFeaturesUsed = 300;  // per image
constexpr size_t kTrainingFeatures = 12000;
constexpr int kRounds = 4;

// The strongest descriptors of an image.
std::span<const Descriptor> Strongest(std::span<const Descriptor> image) {
  return image.first(std::min(image.size(), kFeaturesUsed));
}

// k-majority: the binary form of k-means.
std::vector<Descriptor> LearnWords(const std::vector<Descriptor>& training) {
  std::vector<Descriptor> words(training.begin(),
                                training.begin() + static_cast<ptrdiff_t>(std::min(kWords, training.size())));
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::array<int, 256>> votes(words.size(), std::array<int, 256>{});
    for (const Descriptor& descriptor : training) {
      std::array<int, 256>& vote = votes[static_cast<size_t>(FindNearest(descriptor, words).index)];
      for (size_t bit = 0; bit < 256; ++bit)
        vote[bit] += (descriptor[bit / 64] >> (bit % 64) & 1U) != 0 ? 1 : -1;
    }
    for (size_t w = 0; w < words.size(); ++w) {
      for (size_t bit = 0; bit < 256; ++bit) {
        const uint64_t mask = uint64_t{1} << (bit % 64);
        if (votes[w][bit] > 0) words[w][bit / 64] |= mask;
        if (votes[w][bit] < 0) words[w][bit / 64] &= ~mask;
      }
    }
  }
  return words;
}

}  // namespace

PlaceIndex::PlaceIndex(const std::vector<std::span<const Descriptor>>& images) {
  std::vector<Descriptor> training;
  for (const std::span<const Descriptor> image : images) {
    const std::span<const Descriptor> used = Strongest(image);
    training.insert(training.end(), used.begin(), used.end());
  }
  std::mt19937 random(1);
  for (size_t i = training.size(); i > 1; --i) std::swap(training[i - 1], training[random() % i]);
  if (training.size() > kTrainingFeatures) training.resize(kTrainingFeatures);
  const std::vector<Descriptor> words = LearnWords(training);

  std::vector<double> images_with(words.size(), 0.0);
  for (const std::span<const Descriptor> image : images) {
    std::vector<float>& counts = vectors_.emplace_back(words.size(), 0.0F);
    for (const Descriptor& descriptor : Strongest(image)) {
      ++counts[static_cast<size_t>(FindNearest(descriptor, words).index)];
    }
    for (size_t w = 0; w < words.size(); ++w) images_with[w] += counts[w] > 0.0F ? 1.0 : 0.0;
  }
  for (std::vector<float>& vector : vectors_) {
    double square = 0.0;
    for (size_t w = 0; w < words.size(); ++w) {
      const double rarity = std::log(static_cast<double>(images.size() + 1) / (images_with[w] + 1.0));
      vector[w] = static_cast<float>(std::sqrt(vector[w]) * rarity);
      square += vector[w] * vector[w];
    }
    const auto scale = static_cast<float>(square > 0.0 ? 1.0 / std::sqrt(square) : 0.0);
    for (float& value : vector) value *= scale;
  }
}

double PlaceIndex::Similarity(size_t a, size_t b) const {
  double sum = 0.0;
  for (size_t w = 0; w < vectors_[a].size(); ++w) sum += vectors_[a][w] * vectors_[b][w];
  return sum;
}

}  // namespace calfvo
