// SPDX-License-Identifier: Apache-2.0
// All trainable parameters of a module in one tensor, and their gradients in another.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace calfvo::train {

// Makes the parameters that require gradients views of one flat f32 tensor, and their gradients views of a
// second one, so that clipping, the optimiser, averages and communication are a few operations on whole
// vectors. Values are kept. First come the matrices of blocks, then the other parameters that weight decay
// acts on, then the rest; each begins at a multiple of 256 bytes, and the gaps between them stay zero.
//
// The module must already be on its device and must not be moved afterwards. A backward pass stands between
// ZeroGradients and CollectGradients: it leaves each gradient where it was computed, and all are brought to
// their places at once, where else LibTorch would start one small kernel per parameter.
class FlatParameters {
 public:
  struct Slice {
    std::string name;
    torch::Tensor parameter;
    int64_t begin = 0;  // element of the flat tensors
    int64_t count = 0;
  };

  explicit FlatParameters(torch::nn::Module& module);

  const torch::Tensor& weights() const { return weights_; }
  const torch::Tensor& gradients() const { return gradients_; }
  int64_t size() const { return weights_.numel(); }
  int64_t matrix_size() const { return matrix_size_; }          // [0, matrix_size) are matrices of blocks
  int64_t decay_size() const { return decay_size_; }            // weight decay acts on [0, decay_size)
  int64_t parameter_count() const { return parameter_count_; }  // without gaps
  const std::vector<Slice>& slices() const { return slices_; }  // by `begin`

  void ZeroGradients() const;
  // Those of the parameters that begin in [begin, end), as far as that was not done before; in short, of all.
  void CollectGradients(int64_t begin, int64_t end) const;
  void CollectGradients() const { CollectGradients(0, size()); }

  // Names, places and sizes of all parameters, as text: equal layouts have equal texts.
  std::string Layout() const;

 private:
  std::vector<Slice> slices_;
  torch::Tensor weights_;
  torch::Tensor gradients_;
  int64_t matrix_size_ = 0;
  int64_t decay_size_ = 0;
  int64_t parameter_count_ = 0;
};

// Norms, biases, other vectors and embeddings are not decayed.
bool IsDecayed(const std::string& name, const torch::Tensor& parameter);

// Weights between the layers of a block, as opposed to those at the network's ends and between its stages.
bool IsBlockMatrix(const std::string& name, const torch::Tensor& parameter);

}  // namespace calfvo::train
