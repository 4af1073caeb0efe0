// SPDX-License-Identifier: Apache-2.0
// Writing safetensors files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "nn/tensor/tensor_view.h"

namespace calfvo {

// Streams tensors to a file that appears whole, or not at all, on Commit. Only the header is kept in memory,
// so tensors may be made (converted, say) one at a time:
//
//   SafetensorsWriter writer(path, entries, metadata);
//   for (const auto& entry : writer.entries()) writer.Append(MakeTensor(entry.name).view());
//   writer.Commit();
//
// The same tensors and metadata give the same bytes, in whatever order they are listed: tensors are sorted by
// falling alignment, then by name, and metadata by key. The format allows no gaps, so this order and a header
// padded to a multiple of 64 are what keeps every tensor aligned for its type. Throws Error.
class SafetensorsWriter {
 public:
  struct Entry {
    std::string name;
    DType dtype = DType::kF32;
    Shape shape;
  };

  // Writes the header.
  SafetensorsWriter(const std::filesystem::path& path, std::vector<Entry> entries,
                    const std::map<std::string, std::string>& metadata);

  // In the order in which Append wants them.
  const std::vector<Entry>& entries() const { return entries_; }

  // Writes the tensor of the next entry, whose dtype and shape it must have.
  void Append(const TensorView& view);

  // Throws Error if tensors are still to come.
  void Commit();

 private:
  std::string path_;
  std::vector<Entry> entries_;
  size_t next_ = 0;
  AtomicFile file_;
};

struct NamedTensor {
  std::string name;
  TensorView view;  // borrowed during the call
};

// The whole file at once, for tensors that are all in memory.
void WriteSafetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                      const std::map<std::string, std::string>& metadata);

}  // namespace calfvo
