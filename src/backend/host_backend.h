// SPDX-License-Identifier: Apache-2.0
// The operations that only move, add and average, for backends in host memory. The stream is f32; activations
// are `Element`, float or BFloat16.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "backend/activation_layout.h"
#include "backend/backend.h"
#include "backend/host_memory.h"
#include "base/thread_pool.h"

namespace calfvo {

template <typename Element>
class HostBackend : public Backend {
 public:
  // `tiled`: activations with a reader are in tiles, where their width allows.
  explicit HostBackend(int threads, bool tiled = false) : pool_(threads), tiled_(tiled) {}

  size_t ElementSize(Role role) const override {
    return role == Role::kStream ? sizeof(float) : sizeof(Element);
  }
  std::unique_ptr<Buffer> Allocate(size_t bytes) override { return std::make_unique<HostBuffer>(bytes); }
  std::unique_ptr<Buffer> AllocateHost(size_t bytes) override { return Allocate(bytes); }
  std::unique_ptr<VectorWeights> MakeVector(const TensorView& values) override {
    return std::make_unique<HostVector>(values);
  }

  void Upload(std::span<const float> values, const Activation& out) override {
    for (int64_t row = 0; row < out.rows; ++row) ConvertRow(values.data() + row * out.cols, out, row);
  }
  void Upload(std::span<const float> values, const Stream& out) override {
    std::copy(values.begin(), values.end(), RowPointer<float>(out, 0));
  }
  void Download(const Activation& x, std::span<float> values) override {
    for (int64_t row = 0; row < x.rows; ++row) {
      ForRuns(x, row, [&](int64_t column, const Element* run, int64_t count) {
        std::transform(run, run + count, values.data() + row * x.cols + column,
                       [](Element element) { return ToFloat(element); });
      });
    }
  }
  void Download(const Stream& x, std::span<float> values) override {
    std::copy_n(RowPointer<float>(x, 0), x.rows * x.cols, values.begin());
  }

  void ToActivation(const Stream& x, const Activation& out) override {
    ForRows(x.rows, [&](int64_t row) { ConvertRow(RowPointer<float>(x, row), out, row); });
  }

  void ToStream(const Activation& x, const Stream& out) override {
    ForRows(x.rows, [&](int64_t row) {
      const Element* from = RowPointer<Element>(x, row);
      float* to = RowPointer<float>(out, row);
      for (int64_t i = 0; i < x.cols; ++i) to[i] = ToFloat(from[i]);
    });
  }

  void UploadPictures(std::span<const float* const> pictures, size_t floats, float* out) override {
    for (const float* picture : pictures) out = std::copy_n(picture, floats, out);
  }

  void Patchify(const float* pictures, int64_t count, int size, int patch, const Activation& out) override {
    const int across = size / patch;
    pool_.ParallelFor(count * across * across, [&](int64_t row) {
      const float* image = pictures + row / (across * across) * 3 * size * size;
      const int64_t top = row / across % across * patch;
      const int64_t left = row % across * patch;
      Element* to = RowPointer<Element>(out, row);
      for (int64_t channel = 0; channel < 3; ++channel) {
        for (int64_t y = 0; y < patch; ++y) {
          const float* from = image + (channel * size + top + y) * size + left;
          for (int64_t x = 0; x < patch; ++x) *to++ = FromFloat<Element>(from[x]);
        }
      }
    });
  }

  void StackPairs(const float* pictures, int64_t count, int size, const Activation& out) override {
    const int64_t pixels = int64_t{size} * size;
    pool_.ParallelFor((count - 1) * size, [&](int64_t row) {
      const int64_t pair = row / size;
      const float* previous = pictures + pair * 3 * pixels;
      const float* current = previous + 3 * pixels;
      for (int64_t pixel = row % size * size; pixel < (row % size + 1) * size; ++pixel) {
        Element* to = RowPointer<Element>(out, pair * pixels + pixel);
        for (int64_t channel = 0; channel < 3; ++channel) {
          to[channel] = FromFloat<Element>(previous[channel * pixels + pixel]);
          to[3 + channel] = FromFloat<Element>(current[channel * pixels + pixel]);
        }
      }
    });
  }

  void Neighbourhoods(const Activation& maps, int64_t count, int height, int width, int stride,
                      const Activation& out) override {
    const int64_t out_width = (width - 1) / stride + 1;
    const int64_t out_height = (height - 1) / stride + 1;
    ForRows(count * out_height * out_width, [&](int64_t row) {
      const Activation map =
          maps.Rows(row / (out_height * out_width) * height * width, int64_t{height} * width);
      const int64_t centre_y = row / out_width % out_height * stride;
      const int64_t centre_x = row % out_width * stride;
      Element* to = RowPointer<Element>(out, row);
      for (int64_t tap = 0; tap < 9; ++tap) {
        const int64_t y = centre_y + tap / 3 - 1;
        const int64_t x = centre_x + tap % 3 - 1;
        if (y >= 0 && y < height && x >= 0 && x < width) {
          std::copy_n(RowPointer<Element>(map, y * width + x), map.cols, to + tap * map.cols);
        } else {
          std::fill_n(to + tap * map.cols, map.cols, FromFloat<Element>(0.0F));
        }
      }
    });
  }

  void AddPrefix(const Stream& patches, const VectorWeights* prefix, int64_t prefix_rows,
                 const VectorWeights* positions, const Stream& out) override {
    if (prefix_rows > 0) {
      std::copy_n(VectorData(*prefix), prefix_rows * out.cols, RowPointer<float>(out, 0));
    }
    ForRows(patches.rows, [&](int64_t row) {
      const float* from = RowPointer<float>(patches, row);
      float* to = RowPointer<float>(out, prefix_rows + row);
      for (int64_t i = 0; i < out.cols; ++i) {
        to[i] = from[i] + (positions != nullptr ? VectorData(*positions)[row * out.cols + i] : 0.0F);
      }
    });
  }

  void AssembleWindow(std::span<const Activation> frames, const VectorWeights& camera,
                      const VectorWeights& positions, const VectorWeights& times, const WindowShape& shape,
                      int64_t window, const Stream& out) override {
    for (int64_t slot = 0; slot < shape.slots(); ++slot) {
      std::copy_n(VectorData(camera), out.cols, RowPointer<float>(out, shape.CameraRow(window, slot)));
    }
    ForRows(shape.frames * shape.tokens, [&](int64_t i) {
      const int64_t frame = i / shape.tokens;
      const int64_t token = i % shape.tokens;
      const Element* from = RowPointer<Element>(frames[static_cast<size_t>(frame)], token);
      const float* position = VectorData(positions) + token * out.cols;
      const float* time = VectorData(times) + frame * out.cols;
      float* to = RowPointer<float>(out, shape.TokenRow(window, frame, token));
      for (int64_t c = 0; c < out.cols; ++c) to[c] = ToFloat(from[c]) + position[c] + time[c];
    });
  }

  void KeepCamera(const Stream& x, const WindowShape& shape, const Stream& camera) override {
    for (int64_t window = 0; window < shape.windows; ++window) {
      std::copy_n(RowPointer<float>(x, shape.CameraRow(window, 0)), x.cols,
                  RowPointer<float>(camera, window));
    }
  }

  void RestoreCamera(const Stream& camera, const WindowShape& shape, const Stream& x) override {
    for (int64_t window = 0; window < shape.windows; ++window) {
      for (int64_t slot = 0; slot < shape.slots(); ++slot) {
        std::copy_n(RowPointer<float>(camera, window), x.cols,
                    RowPointer<float>(x, shape.CameraRow(window, slot)));
      }
    }
  }

  void MergeCamera(const WindowShape& shape, const Stream& x) override {
    descriptors_.resize(static_cast<size_t>(x.cols));
    for (int64_t window = 0; window < shape.windows; ++window) {
      CameraMean(x, shape, window, descriptors_.data());
      for (int64_t slot = 0; slot < shape.slots(); ++slot) {
        std::copy_n(descriptors_.data(), x.cols, RowPointer<float>(x, shape.CameraRow(window, slot)));
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
        const float* from = RowPointer<float>(x, shape.TokenRow(window, frame, token));
        for (int64_t c = 0; c < x.cols; ++c) to[c] += from[c];
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
  // Writers and the reader of an activation find the same.
  ActivationLayout LayoutOf(const Activation& x) const {
    static_assert(ActivationLayout::kTileRows == kRowGroup);
    return {x.cols, tiled_ && x.reader != nullptr && ActivationLayout::IsWhole(x.cols),
            WholeRowGroups(x.rows) * ActivationLayout::kPartColumns};
  }

  // body(column, run, count) for each run of elements of a row that lie side by side.
  template <typename Body>
  void ForRuns(const Activation& x, int64_t row, const Body& body) const {
    const ActivationLayout layout = LayoutOf(x);
    Element* first = RowPointer<Element>(x, 0) + layout.RowOffset(row);
    for (int64_t column = 0; column < x.cols; column += layout.Together(column)) {
      body(column, first + layout.ColumnOffset(column), layout.Together(column));
    }
  }

  ThreadPool pool_;

 private:
  void ConvertRow(const float* from, const Activation& out, int64_t row) const {
    ForRuns(out, row, [&](int64_t column, Element* run, int64_t count) {
      std::transform(from + column, from + column + count, run, FromFloat<Element>);
    });
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

  static void CameraMean(const Stream& x, const WindowShape& shape, int64_t window, float* to) {
    std::fill_n(to, x.cols, 0.0F);
    for (int64_t slot = 0; slot < shape.slots(); ++slot) {
      const float* from = RowPointer<float>(x, shape.CameraRow(window, slot));
      for (int64_t c = 0; c < x.cols; ++c) to[c] += from[c];
    }
    for (int64_t c = 0; c < x.cols; ++c) to[c] /= static_cast<float>(shape.slots());
  }

  const bool tiled_;
  std::vector<float> descriptors_;
};

}  // namespace calfvo
