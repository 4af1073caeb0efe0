// SPDX-License-Identifier: Apache-2.0
// Named tensors of a file, whatever its format.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nn/tensor/tensor_view.h"

namespace calfvo {

// An open file of weights. It owns the bytes (most often a mapping of the file); the views it hands out live
// as long as it does. Everything that can be wrong with the file was found when it was opened, except values:
// NaN and infinity are the reader's to judge. Immutable, hence safe to share among threads.
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  WeightSource() = default;
  WeightSource(const WeightSource&) = delete;
  WeightSource& operator=(const WeightSource&) = delete;

  // The file, for messages.
  virtual const std::string& file_name() const = 0;

  // All tensors, in the file's order, without duplicates.
  virtual const std::vector<std::string>& names() const = 0;

  // The tensor of that name, or null.
  virtual const TensorView* Find(std::string_view name) const = 0;

  // The file's own metadata. safetensors: `__metadata__`. PyTorch: the numbers and texts beside the
  // state dict, one level deep, as "epoch" or "args.model".
  virtual const std::map<std::string, std::string>& metadata() const = 0;

  // Why `name` is not among the tensors although the file mentions it ("is a sparse tensor"), or "".
  virtual std::string WhyMissing(std::string_view name) const;

  // Like Find, but throws Error naming the file and the tensor where there is none.
  const TensorView& Get(std::string_view name) const;
};

// Opens a safetensors or a PyTorch zip file, recognised by content and not by name. Throws Error for anything
// else, with advice where the content is a known mistake (a Git LFS pointer, a web page, an old PyTorch
// file).
std::unique_ptr<WeightSource> OpenWeights(const std::filesystem::path& path);

}  // namespace calfvo
