// SPDX-License-Identifier: Apache-2.0
// How a pickle written by torch.save describes a tensor.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nn/tensor/dtype.h"
#include "nn/tensor/shape.h"
#include "nn/weights/pickle.h"

namespace calfvo {

// A window on a storage. Decoded tensors are consistent in themselves: the window lies inside the storage.
struct TorchTensor {
  std::string_view storage_key;  // decimal digits; borrowed from the pickle
  uint64_t storage_bytes = 0;    // what the storage's record must have
  DType dtype = DType::kF32;
  Shape shape;
  int64_t offset = 0;                              // of the first element, in elements
  std::array<int64_t, Shape::kMaxRank> strides{};  // in elements, none negative

  // Whether the elements follow each other in row-major order.
  bool IsContiguous() const;
};

// A tensor, or why the value is none that can be read ("is a list"): sparse and quantised tensors, unknown
// storage classes, and values that are not tensors at all.
struct TorchTensorOrReason {
  std::optional<TorchTensor> tensor;
  std::string reason;
};

// Understands _rebuild_tensor_v2, _rebuild_tensor_v3 and _rebuild_parameter. Throws Error where a tensor
// contradicts itself; `where` ("model.pth: tensor 'x'") begins the message.
TorchTensorOrReason DecodeTorchTensor(const Pickle& pickle, const PickleNode& node, const std::string& where);

}  // namespace calfvo
