// SPDX-License-Identifier: Apache-2.0
// ROS 2 messages as bytes: CDR (XCDR1), little-endian. Fields are appended in the order of the message's
// definition; numbers are aligned to their size, counted from after the four bytes of the header.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/little_endian.h"

namespace calfvo {

class CdrWriter {
 public:
  template <typename T>
  CdrWriter& Number(std::type_identity_t<T> value) {
    bytes_.append((sizeof(T) - (bytes_.size() - kHeaderBytes) % sizeof(T)) % sizeof(T), '\0');
    AppendLittleEndian<T>(value, &bytes_);
    return *this;
  }
  CdrWriter& Text(std::string_view text) {
    Number<uint32_t>(static_cast<uint32_t>(text.size() + 1));
    bytes_.append(text) += '\0';
    return *this;
  }
  // A sequence's length; its elements follow.
  CdrWriter& Length(size_t count) { return Number<uint32_t>(static_cast<uint32_t>(count)); }
  CdrWriter& Doubles(std::span<const double> values) {
    for (const double value : values) Number<double>(value);
    return *this;
  }
  // A sequence of bytes.
  CdrWriter& Bytes(std::string_view bytes) {
    Length(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  // Seconds and nanoseconds since 1970, as ROS 2 has them: before 1970, seconds are negative.
  CdrWriter& Time(int64_t time_ns) {
    constexpr int64_t kSecond = 1'000'000'000;
    const int64_t rest = (time_ns % kSecond + kSecond) % kSecond;
    Number<int32_t>(static_cast<int32_t>((time_ns - rest) / kSecond));
    return Number<uint32_t>(static_cast<uint32_t>(rest));
  }

  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr size_t kHeaderBytes = 4;
  std::string bytes_ = std::string("\x00\x01\x00\x00", kHeaderBytes);
};

}  // namespace calfvo
