// SPDX-License-Identifier: Apache-2.0
// The operations that only move, add and average, for backends in host memory. The residual stream is f32;
// activations are `Element`, float or BFloat16.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "core/base/thread_pool.h"
#include "nn/backend/backend.h"
#include "nn/backend/host_memory.h"
#include "nn/backend/matrix_layout.h"

namespace calfvo {

template <typename Element>
class HostBackend : public Backend {
 public:
  template <Role role>
  using ElementOf = std::conditional_t<role == Role::kStream, float, Element>;

  // `tiled`: matrices are in panels and tiles if their width allows it.
  explicit HostBackend(int threads, bool tiled = false) : pool_(threads), tiled_(tiled) {}

  size_t ElementSize(Role role) const override {
    return role == Role::kStream ? sizeof(float) : sizeof(Element);
  }
  std::unique_ptr<Buffer> Allocate(size_t bytes) override { return std::make_unique<HostBuffer>(bytes); }
  std::unique_ptr<Buffer> AllocateHost(size_t bytes) override { return Allocate(bytes); }
  std::unique_ptr<VectorWeights> MakeVector(const TensorView& values) override {
    return std::make_unique<HostVector>(values);
  }

  void Upload(std::span<const float> values, const Activation& out) override { UploadTo(values, out); }
  void Upload(std::span<const float> values, const Stream& out) override { UploadTo(values, out); }
  void Download(const Activation& x, std::span<float> values) override { DownloadFrom(x, values); }
  void Download(const Stream& x, std::span<float> values) override { DownloadFrom(x, values); }

  void ToActivation(const Stream& x, const Activation& out) override {
    ForRows(x.rows, [&](int64_t row) {
      ForRuns(x.cols, RowOf(x, row), RowOf(out, row),
              [](int64_t /*column*/, const float* from, Element* to, int64_t count) {
                std::transform(from, from + count, to, FromFloat<Element>);
              });
    });
  }

  void ToStream(const Activation& x, const Stream& out) override {
    ForRows(x.rows, [&](int64_t row) {
      ForRuns(x.cols, RowOf(x, row), RowOf(out, row),
              [](int64_t /*column*/, const Element* from, float* to, int64_t count) {
                for (int64_t i = 0; i < count; ++i) to[i] = ToFloat(from[i]);
              });
    });
  }

  void UploadImages(std::span<const float* const> images, size_t floats, float* out) override {
    for (const float* image : images) out = std::copy_n(image, floats, out);
  }

  void Patchify(const float* images, int64_t count, int size, int patch, const Activation& out) override {
    const int across = size / patch;
    pool_.ParallelFor(count * across * across, [&](int64_t row) {
      const float* image = images + row / (across * across) * 3 * size * size;
      const int64_t top = row / across % across * patch;
      const int64_t left = row % across * patch;
      for (int64_t channel = 0; channel < 3; ++channel) {
        for (int64_t y = 0; y < patch; ++y) {
          const float* from = image + (channel * size + top + y) * size + left;
          Convert(from, RowOf(out, row), (channel * patch + y) * patch, patch);
        }
      }
    });
  }

  void StackPairs(const float* images, int64_t count, int size, const Activation& out) override {
    constexpr int64_t kChannels = 6;
    const int64_t pixels = int64_t{size} * size;
    pool_.ParallelFor((count - 1) * size, [&](int64_t row) {
      const int64_t first = row / size * 3 * pixels + row % size * size;  // of the previous image
      Element* to = RowOf(out, row * size).first;                         // six columns are in rows
      for (int64_t channel = 0; channel < kChannels; ++channel) {
        const float* from = images + first + channel * pixels;
        for (int64_t x = 0; x < size; ++x) to[x * kChannels + channel] = FromFloat<Element>(from[x]);
      }
    });
  }

  void Neighbourhoods(const Activation& maps, int64_t count, int height, int width, int stride,
                      const Activation& out) override {
    if (LayoutOf(maps).order == MatrixOrder::kRows && LayoutOf(out).order == MatrixOrder::kRows) {
      const Element* const pixels = RowOf(maps, 0).first;
      Element* const rows = RowOf(out, 0).first;
      ForNeighbourhoods(count, height, width, stride, [&](int64_t row, std::span<const TapRun> runs) {
        Element* to = rows + row * out.cols;
        for (const TapRun& run : runs) {
          const int64_t elements = run.taps * maps.cols;
          to = run.map_row < 0 ? std::fill_n(to, elements, FromFloat<Element>(0.0F))
                               : std::copy_n(pixels + run.map_row * maps.cols, elements, to);
        }
      });
      return;
    }
    ForNeighbourhoods(count, height, width, stride, [&](int64_t row, std::span<const TapRun> runs) {
      Row<Element> to = RowOf(out, row);
      for (const TapRun& run : runs) {
        for (int64_t i = 0; i < run.taps; ++i) {
          if (run.map_row >= 0) {
            CopyRow(maps.cols, RowOf(maps, run.map_row + i), to);
          } else {
            ForRuns(maps.cols, to, [](int64_t /*column*/, Element* elements, int64_t n) {
              std::fill_n(elements, n, FromFloat<Element>(0.0F));
            });
          }
          to = to.From(maps.cols);
        }
      }
    });
  }

  void AddPrefix(const Stream& patches, const VectorWeights* prefix, int64_t prefix_rows,
                 const VectorWeights* positions, const Stream& out) override {
    for (int64_t row = 0; row < prefix_rows; ++row) {
      Convert(VectorData(*prefix) + row * out.cols, RowOf(out, row), 0, out.cols);
    }
    ForRows(patches.rows, [&](int64_t row) {
      const float* position = positions != nullptr ? VectorData(*positions) + row * out.cols : nullptr;
      ForRuns(out.cols, RowOf(patches, row), RowOf(out, prefix_rows + row),
              [&](int64_t column, const float* from, float* to, int64_t count) {
                for (int64_t i = 0; i < count; ++i) {
                  to[i] = from[i] + (position != nullptr ? position[column + i] : 0.0F);
                }
              });
    });
  }

  void AssembleWindow(std::span<const Activation> frames, const VectorWeights& camera,
                      const VectorWeights& positions, const VectorWeights& times, const WindowShape& shape,
                      int64_t window, const Stream& out) override {
    for (int64_t slot = 0; slot < shape.slots(); ++slot) {
      Convert(VectorData(camera), RowOf(out, shape.CameraRow(window, slot)), 0, out.cols);
    }
    ForRows(shape.frames * shape.tokens, [&](int64_t i) {
      const int64_t frame = i / shape.tokens;
      const int64_t token = i % shape.tokens;
      const float* position = VectorData(positions) + token * out.cols;
      const float* time = VectorData(times) + frame * out.cols;
      ForRuns(out.cols, RowOf(frames[static_cast<size_t>(frame)], token),
              RowOf(out, shape.TokenRow(window, frame, token)),
              [&](int64_t column, const Element* from, float* to, int64_t count) {
                for (int64_t c = 0; c < count; ++c) {
                  to[c] = ToFloat(from[c]) + position[column + c] + time[column + c];
                }
              });
    });
  }

  void KeepCamera(const Stream& x, const WindowShape& shape, const Stream& camera) override {
    for (int64_t window = 0; window < shape.windows; ++window) {
      CopyRow(x.cols, RowOf(x, shape.CameraRow(window, 0)), RowOf(camera, window));
    }
  }

  void RestoreCamera(const Stream& camera, const WindowShape& shape, const Stream& x) override {
    for (int64_t window = 0; window < shape.windows; ++window) {
      for (int64_t slot = 0; slot < shape.slots(); ++slot) {
        CopyRow(x.cols, RowOf(camera, window), RowOf(x, shape.CameraRow(window, slot)));
      }
    }
  }

  void MergeCamera(const WindowShape& shape, const Stream& x) override {
    descriptors_.resize(static_cast<size_t>(x.cols));
    for (int64_t window = 0; window < shape.windows; ++window) {
      CameraMean(x, shape, window, descriptors_.data());
      for (int64_t slot = 0; slot < shape.slots(); ++slot) {
        Convert(descriptors_.data(), RowOf(x, shape.CameraRow(window, slot)), 0, x.cols);
      }
    }
  }

  void PoolAndProject(const Stream& x, const WindowShape& shape, const VectorWeights& weight,
                      const VectorWeights& bias, int64_t n, float* values) override {
    const int64_t parts = 1 + shape.frames;
    const int64_t inputs = parts * x.cols;
    descriptors_.resize(static_cast<size_t>(shape.windows * inputs));
    pool_.ParallelFor(shape.windows * parts, [&](int64_t i) {
      const int64_t window = i / parts;
      const int64_t frame = i % parts - 1;
      float* to = descriptors_.data() + i * x.cols;
      if (frame < 0) {
        CameraMean(x, shape, window, to);
        return;
      }
      std::fill_n(to, x.cols, 0.0F);
      for (int64_t token = 0; token < shape.tokens; ++token) {
        AddRow(x, shape.TokenRow(window, frame, token), to);
      }
      for (int64_t c = 0; c < x.cols; ++c) to[c] /= static_cast<float>(shape.tokens);
    });
    pool_.ParallelFor(shape.windows * n, [&](int64_t i) {
      const float* row = VectorData(weight) + i % n * inputs;
      const float* descriptor = descriptors_.data() + i / n * inputs;
      float sums[8] = {};  // independent, so that they are computed side by side
      int64_t c = 0;
      for (; c + 8 <= inputs; c += 8) {
        for (int64_t j = 0; j < 8; ++j) sums[j] += row[c + j] * descriptor[c + j];
      }
      for (; c < inputs; ++c) sums[0] += row[c] * descriptor[c];
      values[i] = VectorData(bias)[i % n] + std::accumulate(sums, sums + 8, 0.0F);
    });
  }

 protected:
  template <Role role>
  MatrixLayout LayoutOf(const MatrixView<role>& x) const {
    static_assert(MatrixLayout::kTileRows == kRowGroup);
    if (!tiled_) return {x.cols};
    return MatrixLayout::ForTiledKernels<ElementOf<role>>(x.cols, x.storage.padded_rows,
                                                          x.storage.reader != nullptr);
  }

  // A row, or the part of it from `column` on.
  template <typename T>
  struct Row {
    T* first;  // of the whole row
    MatrixLayout layout;
    int64_t column = 0;

    T* At(int64_t c) const { return first + layout.ColumnOffset<T>(column + c); }
    int64_t Together(int64_t c) const { return layout.Together<T>(column + c); }
    Row From(int64_t c) const { return {first, layout, column + c}; }
  };
  template <Role role>
  Row<ElementOf<role>> RowOf(const MatrixView<role>& x, int64_t row) const {
    using T = ElementOf<role>;
    const MatrixLayout layout = LayoutOf(x);
    const int64_t before = x.storage.first_row;
    return {RowPointer<T>(x, -before) + layout.template RowOffset<T>(before + row), layout};
  }

  // body(column, run, count) for each run of elements of the first `cols` that lie side by side.
  template <typename T, typename Body>
  static void ForRuns(int64_t cols, const Row<T>& row, const Body& body) {
    for (int64_t column = 0; column < cols;) {
      const int64_t count = std::min(row.Together(column), cols - column);
      body(column, row.At(column), count);
      column += count;
    }
  }
  // body(column, run, other run, count) for those that lie side by side in both rows.
  template <typename T, typename U, typename Body>
  static void ForRuns(int64_t cols, const Row<T>& row, const Row<U>& other, const Body& body) {
    for (int64_t column = 0; column < cols;) {
      const int64_t count = std::min({row.Together(column), other.Together(column), cols - column});
      body(column, row.At(column), other.At(column), count);
      column += count;
    }
  }

  // body(row) for each row, many rows to a task: each is little work.
  template <typename Body>
  void ForRows(int64_t rows, const Body& body) {
    constexpr int64_t kRowsPerTask = 64;
    pool_.ParallelFor((rows + kRowsPerTask - 1) / kRowsPerTask, [&](int64_t task) {
      const int64_t end = std::min(rows, (task + 1) * kRowsPerTask);
      for (int64_t row = task * kRowsPerTask; row < end; ++row) body(row);
    });
  }

  // Some of the nine taps of a neighbourhood: pixels side by side, from `map_row` of the maps on, or −1 if
  // they are outside.
  struct TapRun {
    int64_t taps;
    int64_t map_row;
  };
  // body(row, runs) for each neighbourhood, with its taps in order.
  template <typename Body>
  void ForNeighbourhoods(int64_t count, int height, int width, int stride, const Body& body) {
    constexpr int64_t kSide = 3;
    const int64_t out_width = (width - 1) / stride + 1;
    const int64_t out_height = (height - 1) / stride + 1;
    pool_.ParallelFor(count * out_height, [&](int64_t line) {
      const int64_t map = line / out_height;
      const int64_t top = line % out_height * stride - 1;
      for (int64_t x = 0; x < out_width; ++x) {
        const int64_t left = x * stride - 1;
        const int64_t begin = std::max<int64_t>(0, -left);
        const int64_t end = std::min(kSide, width - left);
        TapRun runs[kSide * kSide];
        size_t size = 0;
        for (int64_t y = top; y < top + kSide; ++y) {
          if (y < 0 || y >= height) {
            runs[size++] = {kSide, -1};
            continue;
          }
          if (begin > 0) runs[size++] = {begin, -1};
          runs[size++] = {end - begin, (map * height + y) * width + left + begin};
          if (end < kSide) runs[size++] = {kSide - end, -1};
        }
        body(line * out_width + x, std::span<const TapRun>(runs, size));
      }
    });
  }

  ThreadPool pool_;

 private:
  // `count` values to a row, from `column` on.
  template <typename T>
  static void Convert(const float* from, const Row<T>& to, int64_t column, int64_t count) {
    ForRuns(count, to.From(column), [&](int64_t at, T* run, int64_t n) {
      std::transform(from + at, from + at + n, run, FromFloat<T>);
    });
  }
  template <typename T>
  static void CopyRow(int64_t cols, const Row<T>& from, const Row<T>& to) {
    ForRuns(cols, from, to, [](int64_t /*column*/, const T* run, T* other, int64_t count) {
      std::copy_n(run, count, other);
    });
  }
  template <Role role>
  void UploadTo(std::span<const float> values, const MatrixView<role>& out) const {
    for (int64_t row = 0; row < out.rows; ++row) {
      Convert(values.data() + row * out.cols, RowOf(out, row), 0, out.cols);
    }
  }
  template <Role role>
  void DownloadFrom(const MatrixView<role>& x, std::span<float> values) const {
    for (int64_t row = 0; row < x.rows; ++row) {
      ForRuns(x.cols, RowOf(x, row), [&](int64_t column, const auto* run, int64_t count) {
        std::transform(run, run + count, values.data() + row * x.cols + column,
                       [](auto element) { return ToFloat(element); });
      });
    }
  }

  void AddRow(const Stream& x, int64_t row, float* to) const {
    ForRuns(x.cols, RowOf(x, row), [&](int64_t column, const float* run, int64_t count) {
      for (int64_t c = 0; c < count; ++c) to[column + c] += run[c];
    });
  }

  void CameraMean(const Stream& x, const WindowShape& shape, int64_t window, float* to) const {
    std::fill_n(to, x.cols, 0.0F);
    for (int64_t slot = 0; slot < shape.slots(); ++slot) AddRow(x, shape.CameraRow(window, slot), to);
    for (int64_t c = 0; c < x.cols; ++c) to[c] /= static_cast<float>(shape.slots());
  }

  const bool tiled_;
  std::vector<float> descriptors_;
};

}  // namespace calfvo
