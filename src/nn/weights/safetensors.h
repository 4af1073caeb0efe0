// SPDX-License-Identifier: Apache-2.0
// Reading safetensors files: 8 bytes of header length, a JSON header, and the tensors' bytes.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/tensor/tensor.h"
#include "nn/weights/mapped_file.h"
#include "nn/weights/named_tensors.h"
#include "nn/weights/weight_source.h"

namespace calfvo {

// Views point straight into the mapped file. The format does not promise alignment: a tensor that does not
// lie on a multiple of its element size is copied when the file is opened, and only that one. Files written
// by SafetensorsWriter need no copies.
//
// The constructors check the header (see safetensors_header.h) and the layout: sorted by offset, tensors
// follow each other without holes or overlaps from the end of the header to the end of the file. Throw Error.
class SafetensorsFile : public WeightSource {
 public:
  explicit SafetensorsFile(MappedFile file);

  // Borrows `bytes`, which must outlive this; `name` stands for the file in messages.
  SafetensorsFile(std::span<const std::byte> bytes, std::string name);

  const std::string& file_name() const override { return name_; }
  const std::vector<std::string>& names() const override { return tensors_.names(); }
  const TensorView* Find(std::string_view name) const override { return tensors_.Find(name); }
  const std::map<std::string, std::string>& metadata() const override { return metadata_; }

  // How many tensors had to be copied for alignment.
  size_t copied_count() const { return copies_.size(); }

 private:
  void Load(std::span<const std::byte> bytes);

  std::optional<MappedFile> file_;  // nothing where the bytes are borrowed
  std::string name_;
  std::vector<Tensor> copies_;
  NamedTensors tensors_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace calfvo
