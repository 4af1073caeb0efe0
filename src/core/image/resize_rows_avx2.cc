// SPDX-License-Identifier: Apache-2.0
#include "core/image/resize_rows_avx2.h"

#include <immintrin.h>

#include <cstring>

namespace calfvo {
namespace {

// A weight below 2^23 is 256·high + low with 16-bit high and 8-bit low, so that both parts fit the
// instruction that multiplies 16-bit numbers and adds pairs of products. Sums may wrap on the way; the last
// one cannot.
struct Sums {
  __m256i high = _mm256_setzero_si256();
  __m256i low = _mm256_setzero_si256();

  void Add(__m256i pixel_pairs, __m256i high_pairs, __m256i low_pairs) {
    high = _mm256_add_epi32(high, _mm256_madd_epi16(pixel_pairs, high_pairs));
    low = _mm256_add_epi32(low, _mm256_madd_epi16(pixel_pairs, low_pairs));
  }

  __m256i Total() const { return _mm256_add_epi32(_mm256_slli_epi32(high, 8), low); }
};

__m128i Shifted(__m128i sums) {
  return _mm_srai_epi32(_mm_add_epi32(sums, _mm_set1_epi32(portable::kResampleHalf)),
                        portable::kResampleBits);
}

__m256i Shifted(__m256i sums) {
  return _mm256_srai_epi32(_mm256_add_epi32(sums, _mm256_set1_epi32(portable::kResampleHalf)),
                           portable::kResampleBits);
}

__m256i LoadTwice(const void* bytes) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(bytes)));
}

}  // namespace

void AlongXAvx2(const ResampleWeights& weights, const std::array<const uint8_t*, kRowsAtOnce>& in,
                const std::array<uint8_t*, kRowsAtOnce>& out) {
  // Out of four pixels RGBRGBRGBRGB: R R G G B B of the first two in the lower half, of the others in the
  // upper half, each widened to 16 bits; −1 gives a zero.
  const __m256i pixel_order = _mm256_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1,  //
                                               6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1);
  // Out of four 32-bit weights, the pairs that belong to them.
  const __m256i high_order = _mm256_setr_epi8(1, 2, 5, 6, 1, 2, 5, 6, 1, 2, 5, 6, 1, 2, 5, 6,  //
                                              9, 10, 13, 14, 9, 10, 13, 14, 9, 10, 13, 14, 9, 10, 13, 14);
  const __m256i low_order = _mm256_setr_epi8(0, -1, 4, -1, 0, -1, 4, -1, 0, -1, 4, -1, 0, -1, 4, -1,  //
                                             8, -1, 12, -1, 8, -1, 12, -1, 8, -1, 12, -1, 8, -1, 12, -1);
  for (size_t i = 0; i < weights.windows.size(); ++i) {
    const int32_t* weight = weights.of(i);
    const auto start = static_cast<ptrdiff_t>(weights.windows[i].first) * 3;
    std::array<Sums, kRowsAtOnce> sums;
    for (ptrdiff_t k = 0; k < weights.windows[i].count; k += 4) {
      const __m256i four_weights = LoadTwice(weight + k);
      const __m256i high = _mm256_shuffle_epi8(four_weights, high_order);
      const __m256i low = _mm256_shuffle_epi8(four_weights, low_order);
      for (size_t row = 0; row < kRowsAtOnce; ++row) {
        const __m256i pixels = LoadTwice(in[row] + start + k * 3);
        sums[row].Add(_mm256_shuffle_epi8(pixels, pixel_order), high, low);
      }
    }
    __m128i made[kRowsAtOnce];
    for (size_t row = 0; row < kRowsAtOnce; ++row) {
      const __m256i total = sums[row].Total();
      made[row] = Shifted(_mm_add_epi32(_mm256_castsi256_si128(total), _mm256_extracti128_si256(total, 1)));
    }
    const __m128i bytes =
        _mm_packus_epi16(_mm_packs_epi32(made[0], made[1]), _mm_packs_epi32(made[2], made[3]));
    std::array<uint8_t, 16> rgb_and_nothing;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(rgb_and_nothing.data()), bytes);
    for (size_t row = 0; row < kRowsAtOnce; ++row) {
      std::memcpy(out[row] + i * 3, rgb_and_nothing.data() + row * 4, 4);
    }
  }
}

void AlongYAvx2(const int32_t* weights, std::span<const uint8_t* const> rows, size_t bytes, uint8_t* out) {
  for (size_t block = 0; block < bytes; block += kRowBlock) {
    __m256i sums[4] = {};
    for (size_t k = 0; k < rows.size(); ++k) {
      const __m256i weight = _mm256_set1_epi32(weights[k]);
      for (size_t i = 0; i < 4; ++i) {
        const auto* eight = reinterpret_cast<const __m128i*>(rows[k] + block + i * 8);
        const __m256i pixels = _mm256_cvtepu8_epi32(_mm_loadl_epi64(eight));
        sums[i] = _mm256_add_epi32(sums[i], _mm256_mullo_epi32(pixels, weight));
      }
    }
    for (__m256i& sum : sums) sum = Shifted(sum);
    // Packing works within halves: the groups of four come out as 0 2 4 6 1 3 5 7.
    const __m256i packed =
        _mm256_packus_epi16(_mm256_packs_epi32(sums[0], sums[1]), _mm256_packs_epi32(sums[2], sums[3]));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + block), _mm256_permutevar8x32_epi32(packed, order));
  }
}

}  // namespace calfvo
