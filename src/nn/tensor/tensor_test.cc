// SPDX-License-Identifier: Apache-2.0
#include "nn/tensor/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(DType, NamesAndSizes) {
  for (int i = 0; i <= static_cast<int>(DType::kF8E5M2Fnuz); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(DTypeFromName(DTypeName(dtype)), dtype);
    EXPECT_EQ(DTypeSize(dtype) % DTypeAlignment(dtype), 0U);
  }
  EXPECT_EQ(DTypeSize(DType::kBF16), 2U);
  EXPECT_EQ(DTypeFromName("F4"), std::nullopt);
  EXPECT_EQ(DTypeFromName("f32"), std::nullopt);
}

TEST(Shape, CountsAndPrints) {
  EXPECT_EQ(Shape().element_count(), 1);
  EXPECT_EQ(Shape().ToString(), "[]");
  EXPECT_EQ(Shape({2, 3}).ToString(), "[2, 3]");
  EXPECT_EQ(Shape({2, 3}).element_count(), 6);
  EXPECT_EQ(Shape({2, 0, 3}).element_count(), 0);
  EXPECT_EQ(Shape({2, 3}), Shape({2, 3}));
  EXPECT_NE(Shape({2, 3}), Shape({2, 3, 1}));
  EXPECT_NE(Shape(), Shape({1}));
}

TEST(Shape, RefusesWhatCannotBeCounted) {
  const int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(ErrorFrom([] { Shape({2, -1}); }), "shape [2, -1] has a size of -1; expected none below 0");
  EXPECT_THAT(ErrorFrom([&] { Shape({huge, huge}); }), HasSubstr("more elements than 64 bits can count"));
  EXPECT_THAT(ErrorFrom([&] { Shape({0, huge, huge}); }), HasSubstr("more elements than 64 bits can count"));
  EXPECT_THAT(ErrorFrom([] { Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}); }), HasSubstr("has 9 dimensions"));
}

TEST(TensorView, ChecksTypeAndAlignment) {
  alignas(8) const float values[4] = {1, 2, 3, 4};
  const TensorView view(values, DType::kF32, {2, 2});
  EXPECT_THAT(view.Data<float>(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(view.byte_size(), 16U);
  EXPECT_EQ(ErrorFrom([&] { view.Data<int32_t>(); }),
            "a tensor of F32 [2, 2] was read as another type, of 4 bytes");
  const char* unaligned = reinterpret_cast<const char*>(values) + 1;
  EXPECT_THAT(ErrorFrom([&] { TensorView(unaligned, DType::kF32, {1}); }), HasSubstr("aligned to 4 bytes"));
  EXPECT_EQ(TensorView(unaligned, DType::kBool, {1}).Data<uint8_t>().size(), 1U);
  EXPECT_TRUE(TensorView().Data<float>().empty());
}

TEST(Tensor, OwnsAlignedZeros) {
  static_assert(!std::is_copy_constructible_v<Tensor> && std::is_nothrow_move_constructible_v<Tensor>);
  for (const int64_t size : {0, 1, 7, 1000}) {
    Tensor tensor(DType::kF32, {size});
    const TensorView view = tensor.view();
    const Tensor moved = std::move(tensor);
    EXPECT_EQ(view.bytes().data(), moved.view().bytes().data());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(view.bytes().data()) % Tensor::kAlignment, 0U);
    for (const float value : moved.Data<float>()) EXPECT_EQ(value, 0);
  }
}

TEST(Tensor, TooLargeIsAnError) {
  EXPECT_THAT(ErrorFrom([] { Tensor::Uninitialized(DType::kF64, {int64_t{1} << 62}); }),
              HasSubstr("no memory for a tensor of F64 [4611686018427387904]"));
}

TEST(Tensor, ConvertsAmongFloats) {
  Tensor original(DType::kF32, {5});
  const std::vector<float> values = {0, -1.5, 0.25, 1024, 3};
  std::copy(values.begin(), values.end(), original.MutableData<float>().begin());
  for (const DType dtype : {DType::kF64, DType::kF32, DType::kF16, DType::kBF16}) {
    const Tensor converted = ConvertTo(dtype, original.view());
    EXPECT_EQ(converted.dtype(), dtype);
    EXPECT_THAT(ToF32(converted.view()).Data<float>(), testing::ElementsAreArray(values));
    for (const DType second : {DType::kF64, DType::kF16, DType::kBF16}) {
      const Tensor again = ConvertTo(second, converted.view());
      EXPECT_THAT(ToF32(again.view()).Data<float>(), testing::ElementsAreArray(values));
    }
  }
  EXPECT_EQ(ErrorFrom([] { ToF32(Tensor(DType::kI64, {2}).view()); }),
            "cannot convert I64 [2] to F32; expected F64, F32, F16 or BF16 on both sides");
}

}  // namespace
}  // namespace calfvo
