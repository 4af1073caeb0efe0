// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/cpu/cpu_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "nn/backend/cpu/int8_rows.h"
#include "nn/backend/cpu/linear_plan.h"
#include "nn/backend/host_backend.h"
#include "nn/tensor/half.h"

namespace calfvo {
namespace {

class PackedLinear final : public LinearWeights {
 public:
  // For `int8` unless it is null.
  PackedLinear(const CpuKernels& kernels, const Int8Kernels* int8_kernels, const TensorView& weight,
               const TensorView& bias)
      : out(weight.shape()[0]),
        in(weight.shape()[1]),
        int8(int8_kernels),
        panel(int8 != nullptr ? int8->panel : kernels.panel),
        row_tile(int8 != nullptr ? int8->row_tile : kernels.row_tile),
        panel_size(int8 != nullptr ? int8->panel_size(in) : kernels.panel_size(in)),
        panels(int8 != nullptr ? int8->packed_size(out, in) : kernels.packed_size(out, in)),
        biases(static_cast<size_t>((out + panel - 1) / panel * panel), 0.0F) {
    const auto pack = int8 != nullptr ? int8->pack : kernels.pack;
    pack(weight.Data<float>().data(), out, in, panels.data());
    std::copy(bias.Data<float>().begin(), bias.Data<float>().end(), biases.begin());
  }

  const int64_t out;
  const int64_t in;
  const Int8Kernels* const int8;
  const int64_t panel;
  const int64_t row_tile;
  const size_t panel_size;
  HostBuffer panels;
  std::vector<float> biases;  // padded to whole panels
};

// Memory for the current task of each thread. It grows before a loop, so that whether a loop allocates does
// not depend on which thread runs which task.
class TaskSpaces {
 public:
  explicit TaskSpaces(int threads) : buffers_(static_cast<size_t>(threads)) {}

  void Reserve(size_t bytes) {
    if (bytes <= capacity_) return;
    capacity_ = 0;  // emplace frees the old buffer even if it throws
    for (std::optional<HostBuffer>& buffer : buffers_) buffer.emplace(bytes);
    capacity_ = bytes;
  }
  std::byte* operator[](int thread) {
    std::optional<HostBuffer>& buffer = buffers_[static_cast<size_t>(thread)];
    return buffer ? buffer->data() : nullptr;
  }

 private:
  std::vector<std::optional<HostBuffer>> buffers_;
  size_t capacity_ = 0;
};

// Linear maps with fewer inputs are not worth it; sums of more could overflow.
constexpr int64_t kLeastInt8Depth = 64;
constexpr int64_t kMostInt8Depth = 65536;

template <typename Element>
class CpuBackend final : public HostBackend<Element> {
 public:
  CpuBackend(const CpuKernels& kernels, int threads)
      : HostBackend<Element>(threads, kernels.tiled), kernels_(kernels), spaces_(pool_.size()) {}

  std::string Description() const override {
    const char* const precision = kernels_.int8 != nullptr ? "int8" : kernels_.bf16 ? "bf16" : "f32";
    return fmt::format("cpu {} ({}), {} threads", precision, kernels_.name, pool_.size());
  }

  std::unique_ptr<LinearWeights> MakeLinear(const TensorView& weight, const TensorView& bias) override {
    const int64_t in = weight.shape()[1];
    const bool int8 = kernels_.int8 != nullptr && in >= kLeastInt8Depth && in <= kMostInt8Depth;
    return std::make_unique<PackedLinear>(kernels_, int8 ? kernels_.int8 : nullptr, weight, bias);
  }
  std::unique_ptr<LinearWeights> MakeExactLinear(const TensorView& weight, const TensorView& bias) override {
    return std::make_unique<PackedLinear>(kernels_, nullptr, weight, bias);
  }

  void Linear(const Activation& x, const LinearWeights& weights, bool gelu, const Activation& out) override {
    Multiply(x, weights, gelu ? Epilogue::kGelu : Epilogue::kStore, out);
  }

  void LinearToStream(const Activation& x, const LinearWeights& weights, bool accumulate,
                      const Stream& out) override {
    Multiply(x, weights, accumulate ? Epilogue::kAddStream : Epilogue::kStream, out);
  }

  void LayerNorm(const Stream& x, const NormWeights& weights, bool gelu, const Activation& out) override {
    constexpr int64_t kRows = MatrixLayout::kTileRows;
    if (IsInt8(out)) spaces_.Reserve(static_cast<size_t>(x.cols) * sizeof(float));
    pool_.ParallelFor((x.rows + kRows - 1) / kRows, [&](int64_t i, int thread) {
      const int64_t first = i * kRows;
      NormTask task{RowOf(x, first).first,
                    LayoutOf(x),
                    std::min(kRows, x.rows - first),
                    VectorData(*weights.gain),
                    VectorData(*weights.bias),
                    weights.epsilon,
                    gelu,
                    RowOf(out, first).first,
                    LayoutOf(out)};
      if (IsInt8(out)) {
        task.out = Int8Row(out, first);
        kernels_.int8->layer_norm(task, reinterpret_cast<float*>(spaces_[thread]));
      } else {
        kernels_.layer_norm(task);
      }
    });
  }

  void SpatialAttention(const Activation& qkv, int64_t batch, int heads, const Rope* rope,
                        const Activation& out) override {
    AttentionTask common{};
    common.qkv = RowOf(qkv, 0).first;
    common.qkv_layout = LayoutOf(qkv);
    const Activation elements = IsInt8(out) ? TakeElements(out) : out;
    common.out = RowOf(elements, 0).first;
    common.out_layout = LayoutOf(elements);
    common.dim = out.cols;
    common.length = qkv.rows / batch;
    common.head_size = out.cols / heads;
    if (rope != nullptr) {
      common.rope_cos = VectorData(*rope->cos);
      common.rope_sin = VectorData(*rope->sin);
      common.rope_skip = rope->skip;
      common.rope_group = rope->group;
    }
    spaces_.Reserve(kernels_.attention_space(common.length, common.head_size));
    pool_.ParallelFor(batch * heads, [&](int64_t i, int thread) {
      AttentionTask task = common;
      task.row = i / heads * task.length;
      task.head_offset = i % heads * task.head_size;
      task.space = spaces_[thread];
      kernels_.attention(task);
    });
    if (IsInt8(out)) QuantiseRows(elements, out);
  }

  void TemporalAttention(const Activation& qkv, const WindowShape& shape, int heads,
                         const Activation& out) override {
    TemporalTask common{};
    common.qkv = RowOf(qkv, 0).first;
    common.qkv_layout = LayoutOf(qkv);
    const Activation elements = IsInt8(out) ? TakeElements(out) : out;
    common.out = RowOf(elements, 0).first;
    common.out_layout = LayoutOf(elements);
    common.row_step = shape.sequence_length();
    common.dim = out.cols;
    common.frames = shape.frames;
    common.heads = heads;
    common.head_size = out.cols / heads;
    // Enough tasks for all threads, of positions that share lines of the cache with their neighbours' in
    // tiles.
    const int64_t positions =
        std::clamp<int64_t>(shape.windows * shape.tokens / (4 * pool_.size()), 1, MatrixLayout::kTileRows);
    const int64_t tasks = (shape.tokens + positions - 1) / positions;
    spaces_.Reserve(kernels_.temporal_space(common.frames, common.head_size));
    pool_.ParallelFor(shape.windows * tasks, [&](int64_t i, int thread) {
      const int64_t window = i / tasks;
      const int64_t token = i % tasks * positions;
      TemporalTask task = common;
      task.row = shape.TokenRow(window, 0, token);
      task.positions = std::min(positions, shape.tokens - token);
      task.space = spaces_[thread];
      kernels_.temporal(task);
      if (token == 0) {
        for (int64_t slot = 0; slot < shape.slots(); ++slot) {
          ForRuns(out.cols, RowOf(elements, shape.CameraRow(window, slot)),
                  [](int64_t /*column*/, Element* run, int64_t count) {
                    std::fill_n(run, count, FromFloat<Element>(0.0F));
                  });
        }
      }
      if (!IsInt8(out)) return;
      for (int64_t frame = 0; frame < shape.frames; ++frame) {
        for (int64_t position = token; position < token + task.positions; ++position) {
          QuantiseRow(elements, shape.TokenRow(window, frame, position), out);
        }
      }
      for (int64_t slot = 0; token == 0 && slot < shape.slots(); ++slot) {
        QuantiseRow(elements, shape.CameraRow(window, slot), out);
      }
    });
  }

  void Neighbourhoods(const Activation& maps, int64_t count, int height, int width, int stride,
                      const Activation& out) override {
    if (!IsInt8(out)) {
      HostBackend<Element>::Neighbourhoods(maps, count, height, width, stride, out);
      return;
    }
    const Int8Kernels& int8 = *kernels_.int8;
    const Element* const pixels = RowOf(maps, 0).first;
    const int64_t rows = count * height * width;
    largest_.resize(std::max(largest_.size(), static_cast<size_t>(rows)));
    ForRows(rows, [&](int64_t row) {
      largest_[static_cast<size_t>(row)] = int8.largest(pixels + row * maps.cols, maps.cols);
    });
    this->ForNeighbourhoods(count, height, width, stride, [&](int64_t row, const auto runs) {
      Int8Part parts[9];
      float largest = 0.0F;
      for (size_t i = 0; i < runs.size(); ++i) {
        const auto [taps, map_row] = runs[i];
        parts[i] = {map_row < 0 ? nullptr : pixels + map_row * maps.cols, taps * maps.cols};
        for (int64_t j = map_row; map_row >= 0 && j < map_row + taps; ++j) {
          largest = std::max(largest, largest_[static_cast<size_t>(j)]);
        }
      }
      int8.quantise(parts, static_cast<int64_t>(runs.size()), largest, Int8Row(out, row));
    });
  }

  // A matrix with a reader, which may be in 8 bits, too.
  void Upload(std::span<const float> values, const Activation& out) override {
    if (!IsInt8(out)) return HostBackend<Element>::Upload(values, out);
    const Activation elements = TakeElements(out);
    HostBackend<Element>::Upload(values, elements);
    for (int64_t row = 0; row < out.rows; ++row) QuantiseRow(elements, row, out);
  }
  void Download(const Activation& x, std::span<float> values) override {
    if (!IsInt8(x)) return HostBackend<Element>::Download(x, values);
    for (int64_t row = 0; row < x.rows; ++row) {
      const uint8_t* bytes = Int8Row(x, row);
      const float scale = Int8Rows{x.cols}.Scale(bytes);
      for (int64_t i = 0; i < x.cols; ++i) {
        values[static_cast<size_t>(row * x.cols + i)] =
            static_cast<float>(static_cast<int>(bytes[i]) - Int8Rows::kZero) * scale;
      }
    }
  }
  using HostBackend<Element>::Upload;
  using HostBackend<Element>::Download;

 private:
  using HostBackend<Element>::pool_;
  using HostBackend<Element>::LayoutOf;
  using HostBackend<Element>::RowOf;
  using HostBackend<Element>::ForRows;
  using HostBackend<Element>::ForRuns;

  // Whether a matrix is in Int8Rows, because its one reader takes them.
  bool IsInt8(const Activation& x) const {
    const LinearWeights* reader = x.storage.reader != nullptr ? x.storage.reader : x.storage.convolution;
    return reader != nullptr && static_cast<const PackedLinear*>(reader)->int8 != nullptr &&
           Int8Rows{x.cols}.Fit(sizeof(Element));
  }
  static bool IsInt8(const Stream& /*x*/) { return false; }
  template <Role role>
  static uint8_t* Int8Row(const MatrixView<role>& x, int64_t row) {
    return reinterpret_cast<uint8_t*>(x.data) + row * Int8Rows{x.cols}.Stride();
  }

  // A matrix of the size of `x`, of elements in rows, until the next one is taken.
  Activation TakeElements(const Activation& x) {
    const size_t bytes = static_cast<size_t>(x.rows * x.cols) * sizeof(Element);
    if (bytes > elements_bytes_) {
      elements_bytes_ = 0;
      elements_.emplace(bytes);
      elements_bytes_ = bytes;
    }
    return {elements_->data(), x.rows, x.cols, sizeof(Element), {}};
  }
  // A row of TakeElements to the same row of Int8Rows.
  void QuantiseRow(const Activation& elements, int64_t row, const Activation& out) const {
    const Int8Part part = {RowOf(elements, row).first, out.cols};
    const float largest = kernels_.int8->largest(part.elements, part.size);
    kernels_.int8->quantise(&part, 1, largest, Int8Row(out, row));
  }

  void QuantiseRows(const Activation& elements, const Activation& out) {
    ForRows(out.rows, [&](int64_t row) { QuantiseRow(elements, row, out); });
  }

  template <Role role>
  void Multiply(const Activation& x, const LinearWeights& weights, Epilogue epilogue,
                const MatrixView<role>& y) {
    const auto& packed = static_cast<const PackedLinear&>(weights);
    const Int8Kernels* const int8 = packed.int8;
    const MatrixLayout x_layout = LayoutOf(x);
    const bool x_is_int8 = IsInt8(x);
    const bool y_is_int8 = IsInt8(y);
    if constexpr (role == Role::kActivation) {
      if (y_is_int8 && int8 == nullptr) {
        const Activation elements = TakeElements(y);
        Multiply(x, weights, epilogue, elements);
        QuantiseRows(elements, y);
        return;
      }
    }
    const int64_t int8_out = y_is_int8 ? packed.out : 0;
    const int64_t panels = (packed.out + packed.panel - 1) / packed.panel;
    const LinearPlan plan(
        {.rows = x.rows,
         .depth = packed.in,
         .columns = packed.out,
         .row_tile = packed.row_tile,
         // One for all, if the scales of rows depend on all columns.
         .panel = y_is_int8 ? panels * packed.panel : packed.panel,
         .task_rows = int8 != nullptr ? int8->task_rows(packed.in, int8_out) : kernels_.task_rows(packed.in),
         .rows_stay_cached = x_layout.order != MatrixOrder::kRows && packed.in <= kernels_.most_depth,
         .threads = pool_.size()});
    spaces_.Reserve(int8 != nullptr ? int8->space(packed.in, int8_out) : kernels_.pack_space(packed.in));
    pool_.ParallelFor(plan.size(), [&](int64_t i, int thread) {
      const LinearPlan::Task part = plan[i];
      const int64_t end_row = part.first_row + part.rows;
      LinearTask task{};
      task.x_layout = x_layout;
      task.x =
          x_is_int8 ? static_cast<const void*>(Int8Row(x, part.first_row)) : RowOf(x, part.first_row).first;
      task.rows = part.rows;
      if (pool_.ShareGoesOn(i, plan.size())) {
        const int64_t next_row = plan[i + 1].first_row;
        task.panel_follows = next_row == part.first_row;
        task.rows_after = next_row == end_row ? x.rows - end_row : 0;
      }
      task.in = packed.in;
      task.packed = const_cast<PackedLinear&>(packed).panels.data() +
                    static_cast<size_t>(part.first_column / packed.panel) * packed.panel_size;
      task.bias = packed.biases.data() + part.first_column;
      task.out = part.columns;
      task.y = y_is_int8 ? static_cast<void*>(Int8Row(y, part.first_row)) : RowOf(y, part.first_row).first;
      task.y_layout = LayoutOf(y);
      task.y_column = part.first_column;
      task.epilogue = epilogue;
      task.x_is_int8 = x_is_int8;
      task.y_is_int8 = y_is_int8;
      task.pack_space = spaces_[thread];
      (int8 != nullptr ? int8->linear : kernels_.linear)(task);
    });
  }

  const CpuKernels& kernels_;
  TaskSpaces spaces_;
  std::optional<HostBuffer> elements_;  // of TakeElements
  size_t elements_bytes_ = 0;
  std::vector<float> largest_;  // magnitude of each pixel of the maps of a convolution
};

}  // namespace

std::unique_ptr<Backend> MakeCpuBackend(const CpuKernels& kernels, int threads) {
  if (kernels.bf16) return std::make_unique<CpuBackend<BFloat16>>(kernels, threads);
  return std::make_unique<CpuBackend<float>>(kernels, threads);
}

}  // namespace calfvo
