// SPDX-License-Identifier: Apache-2.0
// Fields of a binary record, left to right, none beyond its end.
#pragma once

#include <cstdint>
#include <string_view>

#include "calfvo/error.h"
#include "core/base/little_endian.h"

namespace calfvo {

class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  // These throw Error, without a file's name, where the record is too short.
  std::string_view Bytes(uint64_t count) {
    if (count > rest_.size()) throw Error("a record ends before its last field");
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  template <typename T>
  T Number() {
    return ReadLittleEndian<T>(Bytes(sizeof(T)).data());
  }
  // A 32-bit length and as many bytes.
  std::string_view Text() { return Bytes(Number<uint32_t>()); }

 private:
  std::string_view rest_;
};

}  // namespace calfvo
