// SPDX-License-Identifier: Apache-2.0
// Reading the zip files that torch.save writes since PyTorch 1.6, without PyTorch and without running code.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/tensor/tensor.h"
#include "nn/weights/mapped_file.h"
#include "nn/weights/named_tensors.h"
#include "nn/weights/weight_source.h"

namespace calfvo {

class Pickle;
struct PickleNode;
struct TorchTensor;

struct PthOptions {
  // Compare the checksums of the records that are used with their bytes, which reads the whole file once.
  // Records that state no checksum are taken as they are.
  bool check_crc32 = true;
};

// The state dict of a PyTorch file: the dict under "model" or "state_dict" where the file has one, else the
// whole. Other entries, and values other than tensors, are tolerated; WhyMissing describes the latter.
// Contiguous tensors are views of the mapped file (several may share a storage); transposed and otherwise
// strided ones are copied when the file is opened, at most kMaxCopyFactor times the file's size in all.
//
// A pickle is a program; this one is not run (see pickle.h). What a file can do is describe tensors, which
// are checked against their records, or be refused with an Error.
class PthFile : public WeightSource {
 public:
  static constexpr size_t kMaxCopyFactor = 4;

  explicit PthFile(MappedFile file, const PthOptions& options = {});

  // Borrows `bytes`, which must outlive this; `name` stands for the file in messages.
  PthFile(std::span<const std::byte> bytes, std::string name, const PthOptions& options = {});

  const std::string& file_name() const override { return name_; }
  const std::vector<std::string>& names() const override { return tensors_.names(); }
  const TensorView* Find(std::string_view name) const override { return tensors_.Find(name); }
  const std::map<std::string, std::string>& metadata() const override { return metadata_; }
  std::string WhyMissing(std::string_view name) const override;

  // How many tensors had to be copied because of strides or alignment.
  size_t copied_count() const { return copies_.size(); }

 private:
  [[noreturn]] void Fail(std::string_view problem) const;
  void Load(std::span<const std::byte> bytes, const PthOptions& options);
  const PickleNode& StateDict(const Pickle& pickle) const;
  void AddTensor(std::string_view name, const TorchTensor& tensor, std::span<const std::byte> storage);
  void AddMetadata(const Pickle& pickle, const PickleNode& state_dict);

  std::optional<MappedFile> file_;  // nothing where the bytes are borrowed
  std::string name_;
  size_t copy_budget_ = 0;  // bytes
  std::vector<Tensor> copies_;
  NamedTensors tensors_;
  std::map<std::string, std::string, std::less<>> reasons_;  // by the name of what is not a tensor
  std::map<std::string, std::string> metadata_;
};

// Whether a file that begins so is for PthFile: a zip archive, or PyTorch's older format, which it refuses
// with advice.
bool IsPth(std::string_view text);

}  // namespace calfvo
