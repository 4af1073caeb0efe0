// SPDX-License-Identifier: Apache-2.0
#include "nn/weights/torch_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "core/base/quoted.h"

namespace calfvo {
namespace {

using Kind = PickleNode::Kind;

struct TypeName {
  std::string_view name;
  DType dtype;
};

constexpr TypeName kStorageClasses[] = {
    {"DoubleStorage", DType::kF64},    {"FloatStorage", DType::kF32},        {"HalfStorage", DType::kF16},
    {"BFloat16Storage", DType::kBF16}, {"LongStorage", DType::kI64},         {"IntStorage", DType::kI32},
    {"ShortStorage", DType::kI16},     {"CharStorage", DType::kI8},          {"ByteStorage", DType::kU8},
    {"BoolStorage", DType::kBool},     {"ComplexFloatStorage", DType::kC64},
};

// The names of torch.dtype, which _rebuild_tensor_v3 carries for types that have no storage class.
constexpr TypeName kTorchDTypes[] = {
    {"float64", DType::kF64},
    {"float32", DType::kF32},
    {"float16", DType::kF16},
    {"bfloat16", DType::kBF16},
    {"int64", DType::kI64},
    {"int32", DType::kI32},
    {"int16", DType::kI16},
    {"int8", DType::kI8},
    {"uint64", DType::kU64},
    {"uint32", DType::kU32},
    {"uint16", DType::kU16},
    {"uint8", DType::kU8},
    {"bool", DType::kBool},
    {"complex64", DType::kC64},
    {"float8_e4m3fn", DType::kF8E4M3},
    {"float8_e5m2", DType::kF8E5M2},
    {"float8_e8m0fnu", DType::kF8E8M0},
    {"float8_e4m3fnuz", DType::kF8E4M3Fnuz},
    {"float8_e5m2fnuz", DType::kF8E5M2Fnuz},
};

template <size_t size>
std::optional<DType> FindTorchName(const TypeName (&table)[size], const PickleNode& node) {
  for (const TypeName& row : table) {
    if (Pickle::IsGlobal(node, "torch", row.name)) return row.dtype;
  }
  return std::nullopt;
}

bool IsStorageKey(std::string_view key) {
  return !key.empty() && key.size() <= 20 && key.find_first_not_of("0123456789") == std::string_view::npos &&
         (key[0] != '0' || key == "0");
}

class Decoder {
 public:
  Decoder(const Pickle& pickle, const std::string& where) : pickle_(pickle), where_(where) {}

  TorchTensorOrReason Decode(const PickleNode& node) const {
    const PickleNode* tensor = &node;
    if (IsCallOf(node, "_rebuild_parameter")) {
      const PickleNode& arguments = pickle_[node.arguments];
      if (arguments.items.empty()) Fail("is a parameter without a tensor");
      tensor = &pickle_[arguments.items[0]];
    }
    const bool v3 = IsCallOf(*tensor, "_rebuild_tensor_v3");
    if (!v3 && !IsCallOf(*tensor, "_rebuild_tensor_v2")) return {{}, "is " + pickle_.Describe(*tensor)};
    const PickleNode& arguments = pickle_[tensor->arguments];
    if (arguments.items.size() < (v3 ? 7 : 6)) {
      Fail(
          fmt::format("is rebuilt from {} values; expected at least {}", arguments.items.size(), v3 ? 7 : 6));
    }
    return DecodeWindow(arguments, v3);
  }

 private:
  [[noreturn]] void Fail(std::string_view problem) const { throw Error(where_ + " " + std::string(problem)); }

  bool IsCallOf(const PickleNode& node, std::string_view name) const {
    return node.kind == Kind::kObject && Pickle::IsGlobal(pickle_[node.callable], "torch._utils", name) &&
           pickle_[node.arguments].kind == Kind::kTuple;
  }

  int64_t NonNegative(const PickleNode& node, std::string_view what) const {
    if (node.kind != Kind::kInt || node.integer < 0) {
      Fail(fmt::format("has {} as its {}; expected a whole number from 0", pickle_.Describe(node), what));
    }
    return node.integer;
  }

  std::vector<int64_t> Numbers(const PickleNode& node, std::string_view what) const {
    if (node.kind != Kind::kTuple || node.items.size() > Shape::kMaxRank) {
      Fail(fmt::format("has {} of {} items as its {}; expected a tuple of at most {}", pickle_.Describe(node),
                       node.items.size(), what, Shape::kMaxRank));
    }
    std::vector<int64_t> numbers;
    for (const PickleId id : node.items) numbers.push_back(NonNegative(pickle_[id], what));
    return numbers;
  }

  // Arguments: storage, offset, size, stride, requires_grad, hooks, and for v3 the dtype.
  TorchTensorOrReason DecodeWindow(const PickleNode& arguments, bool v3) const {
    const PickleNode& persistent = pickle_[arguments.items[0]];
    if (persistent.kind != Kind::kPersistent) {
      Fail(fmt::format("has {} for a storage", pickle_.Describe(persistent)));
    }
    const PickleNode& storage = pickle_[persistent.items[0]];
    if (storage.kind != Kind::kTuple || storage.items.size() != 5 ||
        pickle_[storage.items[0]].kind != Kind::kText || pickle_[storage.items[0]].text != "storage" ||
        pickle_[storage.items[2]].kind != Kind::kText) {
      Fail("has a storage that is not ('storage', class, key, location, count)");
    }
    TorchTensor tensor;
    tensor.storage_key = pickle_[storage.items[2]].text;
    if (!IsStorageKey(tensor.storage_key)) {
      Fail(fmt::format("has the storage key {}; expected a decimal number", Quoted(tensor.storage_key)));
    }
    const PickleNode& storage_class = pickle_[storage.items[1]];
    std::optional<DType> storage_dtype = FindTorchName(kStorageClasses, storage_class);
    std::optional<DType> dtype = storage_dtype;
    if (v3) {
      const PickleNode& dtype_node = pickle_[arguments.items[6]];
      dtype = FindTorchName(kTorchDTypes, dtype_node);
      if (!dtype) return {{}, "has the dtype " + pickle_.Describe(dtype_node) + ", which is not supported"};
      if (Pickle::IsGlobal(storage_class, "torch.storage", "UntypedStorage")) storage_dtype = DType::kU8;
    }
    if (!storage_dtype) {
      return {{}, "has the storage class " + pickle_.Describe(storage_class) + ", which is not supported"};
    }
    tensor.dtype = *dtype;

    const int64_t count = NonNegative(pickle_[storage.items[4]], "storage's count");
    if (__builtin_mul_overflow(static_cast<uint64_t>(count), DTypeSize(*storage_dtype),
                               &tensor.storage_bytes)) {
      Fail(fmt::format("has a storage of {} elements of {}", count, DTypeName(*storage_dtype)));
    }
    tensor.offset = NonNegative(pickle_[arguments.items[1]], "offset");
    const std::vector<int64_t> sizes = Numbers(pickle_[arguments.items[2]], "shape");
    const std::vector<int64_t> strides = Numbers(pickle_[arguments.items[3]], "strides");
    if (const auto problem = Shape::Check(sizes)) {
      Fail(fmt::format("has shape {}, which {}", SizesToString(sizes), *problem));
    }
    tensor.shape = Shape(sizes);
    if (strides.size() != sizes.size()) {
      Fail(fmt::format("has shape {} but strides {}", SizesToString(sizes), SizesToString(strides)));
    }
    std::copy(strides.begin(), strides.end(), tensor.strides.begin());
    CheckWindow(tensor);
    return {std::move(tensor), {}};
  }

  void CheckWindow(const TorchTensor& tensor) const {
    const uint64_t count = tensor.storage_bytes / DTypeSize(tensor.dtype);
    int64_t last = tensor.offset;
    bool inside = true;
    for (size_t i = 0; i < tensor.shape.rank() && tensor.shape.element_count() > 0; ++i) {
      int64_t reach = 0;
      inside = inside && !__builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &reach) &&
               !__builtin_add_overflow(last, reach, &last);
    }
    inside = inside && (tensor.shape.element_count() > 0 ? static_cast<uint64_t>(last) < count
                                                         : static_cast<uint64_t>(last) <= count);
    if (inside) return;
    Fail(fmt::format("reaches beyond its storage of {} elements: shape {}, strides {}, offset {}", count,
                     tensor.shape.ToString(), SizesToString({tensor.strides.data(), tensor.shape.rank()}),
                     tensor.offset));
  }

  const Pickle& pickle_;
  const std::string& where_;
};

}  // namespace

bool TorchTensor::IsContiguous() const {
  if (shape.element_count() == 0) return true;
  int64_t expected = 1;
  for (size_t i = shape.rank(); i-- > 0;) {
    if (shape[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

TorchTensorOrReason DecodeTorchTensor(const Pickle& pickle, const PickleNode& node,
                                      const std::string& where) {
  return Decoder(pickle, where).Decode(node);
}

}  // namespace calfvo
