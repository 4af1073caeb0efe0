// SPDX-License-Identifier: Apache-2.0
#include "nn/tensor/dtype.h"

#include <array>

namespace calfvo {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  uint8_t size;
  uint8_t alignment;
};

// In the order of the enum.
constexpr std::array kRows = {
    Row{DType::kF64, "F64", 8, 8},
    Row{DType::kF32, "F32", 4, 4},
    Row{DType::kF16, "F16", 2, 2},
    Row{DType::kBF16, "BF16", 2, 2},
    Row{DType::kI64, "I64", 8, 8},
    Row{DType::kI32, "I32", 4, 4},
    Row{DType::kI16, "I16", 2, 2},
    Row{DType::kI8, "I8", 1, 1},
    Row{DType::kU64, "U64", 8, 8},
    Row{DType::kU32, "U32", 4, 4},
    Row{DType::kU16, "U16", 2, 2},
    Row{DType::kU8, "U8", 1, 1},
    Row{DType::kBool, "BOOL", 1, 1},
    Row{DType::kC64, "C64", 8, 4},
    Row{DType::kF8E4M3, "F8_E4M3", 1, 1},
    Row{DType::kF8E5M2, "F8_E5M2", 1, 1},
    Row{DType::kF8E8M0, "F8_E8M0", 1, 1},
    Row{DType::kF8E4M3Fnuz, "F8_E4M3FNUZ", 1, 1},
    Row{DType::kF8E5M2Fnuz, "F8_E5M2FNUZ", 1, 1},
};

constexpr bool RowsFollowTheEnum() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<size_t>(kRows[i].dtype) != i) return false;
  }
  return true;
}
static_assert(RowsFollowTheEnum());

const Row& RowOf(DType dtype) {
  return kRows[static_cast<size_t>(dtype)];
}

}  // namespace

std::string_view DTypeName(DType dtype) {
  return RowOf(dtype).name;
}

std::optional<DType> DTypeFromName(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

size_t DTypeSize(DType dtype) {
  return RowOf(dtype).size;
}
size_t DTypeAlignment(DType dtype) {
  return RowOf(dtype).alignment;
}

bool IsFloat(DType dtype) {
  return dtype == DType::kF64 || dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16;
}

}  // namespace calfvo
