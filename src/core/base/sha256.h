// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), to name model files by their content.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace calfvo {

class Sha256 {
 public:
  void Add(std::string_view bytes);
  // 64 lower-case hexadecimal digits of everything added. Call once.
  std::string Finish();

 private:
  void Compress(const uint8_t* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> block_ = {};
  size_t filled_ = 0;
  uint64_t bytes_ = 0;
};

// Of a file's content; throws Error when it cannot be read.
std::string Sha256OfFile(const std::filesystem::path& path);

}  // namespace calfvo
