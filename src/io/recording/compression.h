// SPDX-License-Identifier: Apache-2.0
// Compressed chunks of recordings: zstd and LZ4 frames (MCAP, rosbag2), bzip2 and LZ4 (ROS 1 bags).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace calfvo {

enum class Compression { kNone, kZstd, kLz4, kBz2 };

// "", "zstd", "lz4" or "bz2" (ROS 1 also writes "none" for ""); throws Error naming another one.
Compression CompressionFromName(std::string_view name);
std::string_view CompressionName(Compression compression);

// The same bytes give the same result. Not for kBz2.
std::string Compress(Compression compression, std::string_view bytes);

// Fills `to`, whose size is the number of bytes expected: memory does not depend on what `bytes` claim to
// hold. Throws Error where they hold fewer or more, or are damaged.
void Decompress(Compression compression, std::string_view bytes, std::string* to);

}  // namespace calfvo
