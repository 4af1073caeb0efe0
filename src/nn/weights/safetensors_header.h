// SPDX-License-Identifier: Apache-2.0
// The JSON header of a safetensors file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "nn/tensor/dtype.h"
#include "nn/tensor/shape.h"

namespace calfvo {

// The format's own limit, and ours; both keep a hostile header from taking much memory.
inline constexpr uint64_t kMaxSafetensorsHeaderSize = 100'000'000;
inline constexpr size_t kMaxSafetensorsEntries = 65'536;

struct SafetensorsHeader {
  struct Entry {
    std::string name;
    DType dtype = DType::kF32;
    Shape shape;
    uint64_t begin = 0;  // bytes after the header; end - begin is the tensor's size
    uint64_t end = 0;
  };

  std::vector<Entry> entries;  // in the header's order
  std::map<std::string, std::string> metadata;
};

// Parses `json` and checks each entry by itself: no duplicate names or fields, nothing unknown, known dtype,
// whole non-negative sizes, end - begin equal to what dtype and shape need. How entries lie in the file is
// the caller's to check. Throws Error; `file_name` is for messages.
SafetensorsHeader ParseSafetensorsHeader(std::string_view json, const std::string& file_name);

}  // namespace calfvo
