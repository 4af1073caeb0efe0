// SPDX-License-Identifier: Apache-2.0
// Borrowed matrices in a backend's memory, and how free the backend is in laying them out.
#pragma once

#include <cstddef>
#include <cstdint>

namespace calfvo {

// The residual stream is what layers add to; activations pass between the operations of a layer. Each backend
// chooses the element type of both: f32 and f32, f32 and bf16, or bf16 and bf16.
enum class Role { kStream, kActivation };

class LinearWeights;

// Products may process whole groups of this many rows.
inline constexpr int64_t kRowGroup = 16;
inline int64_t WholeRowGroups(int64_t rows) {
  return (rows + kRowGroup - 1) / kRowGroup * kRowGroup;
}
// Rows to allocate for a matrix whose layout a backend may choose: whole groups, and an odd number of them,
// because columns a power of two apart would compete for the same cache sets.
inline int64_t PaddedRows(int64_t rows) {
  return WholeRowGroups(rows) | kRowGroup;
}

// What a backend may assume when it lays out a matrix. The default is row-major without padding. The writer
// and all readers of a matrix must pass views with the same storage, or Rows of such a view.
struct MatrixStorage {
  // If not 0, memory is allocated for this many rows, PaddedRows of the whole matrix. The backend may keep
  // the elements in any order and overwrite the padding.
  int64_t padded_rows = 0;
  int64_t first_row = 0;  // of the view, in the whole matrix
  // If not null, these weights are the only reader of what Linear, LayerNorm or attention writes here, so the
  // backend may store it in the form that this product reads (8 bits, tiles).
  const LinearWeights* reader = nullptr;
  // The same of what Neighbourhoods writes.
  const LinearWeights* convolution = nullptr;
};

// `data` is row `storage.first_row` of a row-major matrix; other layouts derive their addresses from it.
template <Role role>
struct MatrixView {
  std::byte* data = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  size_t element_size = 0;
  MatrixStorage storage;

  // `count` rows from `first` on, without a reader.
  MatrixView Rows(int64_t first, int64_t count) const {
    return {data + static_cast<size_t>(first * cols) * element_size,
            count,
            cols,
            element_size,
            {.padded_rows = storage.padded_rows, .first_row = storage.first_row + first}};
  }
  // The same memory with rows of another length, of which there may be fewer or more.
  MatrixView Reshaped(int64_t new_rows, int64_t new_cols) const {
    return {
        data, new_rows, new_cols, element_size, {.padded_rows = new_rows == rows ? storage.padded_rows : 0}};
  }
  // The same matrix with `reader` as its only reader.
  MatrixView For(const LinearWeights& reader) const {
    MatrixView view = *this;
    view.storage.reader = &reader;
    return view;
  }
  // The same, for neighbourhoods.
  MatrixView ForConvolution(const LinearWeights& reader) const {
    MatrixView view = *this;
    view.storage.convolution = &reader;
    return view;
  }
};
using Stream = MatrixView<Role::kStream>;
using Activation = MatrixView<Role::kActivation>;

}  // namespace calfvo
