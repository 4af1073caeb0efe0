// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/cpu_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "backend/host_backend.h"
#include "tensor/half.h"

namespace calfvo {
namespace {

class PackedLinear final : public LinearWeights {
 public:
  PackedLinear(const CpuKernels& kernels, const TensorView& weight, const TensorView& bias)
      : out(weight.shape()[0]),
        in(weight.shape()[1]),
        panels(kernels.packed_size(out, in)),
        biases(static_cast<size_t>((out + kernels.panel - 1) / kernels.panel * kernels.panel), 0.0F) {
    kernels.pack(weight.Data<float>().data(), out, in, panels.data());
    std::copy(bias.Data<float>().begin(), bias.Data<float>().end(), biases.begin());
  }

  const int64_t out;
  const int64_t in;
  HostBuffer panels;
  std::vector<float> biases;  // padded to whole panels
};

// Memory for the task at hand, kept by each thread and grown when a task needs more.
std::byte* ThreadSpace(size_t bytes) {
  thread_local std::optional<HostBuffer> buffer;
  thread_local size_t capacity = 0;
  if (bytes > capacity) {
    capacity = 0;  // what was there is gone also where there is no memory for more
    buffer.emplace(bytes);
    capacity = bytes;
  }
  return buffer->data();
}

template <typename Element>
class CpuBackend final : public HostBackend<Element> {
 public:
  CpuBackend(const CpuKernels& kernels, int threads)
      : HostBackend<Element>(threads, kernels.tiled), kernels_(kernels) {}

  std::string Description() const override {
    return fmt::format("cpu {} ({}), {} threads", kernels_.bf16 ? "bf16" : "f32", kernels_.name,
                       pool_.size());
  }

  std::unique_ptr<LinearWeights> MakeLinear(const TensorView& weight, const TensorView& bias) override {
    return std::make_unique<PackedLinear>(kernels_, weight, bias);
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
    pool_.ParallelFor((x.rows + kRows - 1) / kRows, [&](int64_t i) {
      const int64_t first = i * kRows;
      kernels_.layer_norm({RowOf(x, first).first, LayoutOf(x), std::min(kRows, x.rows - first),
                           VectorData(*weights.gain), VectorData(*weights.bias), weights.epsilon, gelu,
                           RowOf(out, first).first, LayoutOf(out)});
    });
  }

  void SpatialAttention(const Activation& qkv, int64_t batch, int heads, const Rope* rope,
                        const Activation& out) override {
    AttentionTask common{};
    common.qkv = RowOf(qkv, 0).first;
    common.qkv_layout = LayoutOf(qkv);
    common.out = RowOf(out, 0).first;
    common.out_layout = LayoutOf(out);
    common.dim = out.cols;
    common.length = qkv.rows / batch;
    common.head_size = out.cols / heads;
    if (rope != nullptr) {
      common.rope_cos = VectorData(*rope->cos);
      common.rope_sin = VectorData(*rope->sin);
      common.rope_skip = rope->skip;
      common.rope_group = rope->group;
    }
    pool_.ParallelFor(batch * heads, [&](int64_t i) {
      AttentionTask task = common;
      task.row = i / heads * task.length;
      task.head_offset = i % heads * task.head_size;
      task.space = ThreadSpace(kernels_.attention_space(task.length, task.head_size));
      kernels_.attention(task);
    });
  }

  void TemporalAttention(const Activation& qkv, const WindowShape& shape, int heads,
                         const Activation& out) override {
    TemporalTask common{};
    common.qkv = RowOf(qkv, 0).first;
    common.qkv_layout = LayoutOf(qkv);
    common.out = RowOf(out, 0).first;
    common.out_layout = LayoutOf(out);
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
    pool_.ParallelFor(shape.windows * tasks, [&](int64_t i) {
      const int64_t window = i / tasks;
      const int64_t token = i % tasks * positions;
      TemporalTask task = common;
      task.row = shape.TokenRow(window, 0, token);
      task.positions = std::min(positions, shape.tokens - token);
      task.space = ThreadSpace(kernels_.temporal_space(task.frames, task.head_size));
      kernels_.temporal(task);
      if (token > 0) return;
      for (int64_t slot = 0; slot < shape.slots(); ++slot) {
        ForRuns(out.cols, RowOf(out, shape.CameraRow(window, slot)),
                [](int64_t /*column*/, Element* run, int64_t count) {
                  std::fill_n(run, count, FromFloat<Element>(0.0F));
                });
      }
    });
  }

 private:
  using HostBackend<Element>::pool_;
  using HostBackend<Element>::LayoutOf;
  using HostBackend<Element>::RowOf;
  using HostBackend<Element>::ForRuns;

  // How much more than an equal share the busiest of some threads has, as a part of that.
  static double Excess(int64_t count, int64_t threads) {
    return static_cast<double>((count + threads - 1) / threads * threads) / static_cast<double>(count) - 1.0;
  }

  // Blocks of rows × groups of panels, about two tasks or more for each thread, and four times as many where
  // they need not read the rows again and are not too small: one that is done takes tasks from others, whose
  // core may have to do with something else, too, at half its speed. A thread has its own rows, so that they
  // stay in its core from operation to operation, unless panels can be shared out more equally. How the work
  // is cut does not change any sum.
  template <Role role>
  void Multiply(const Activation& x, const LinearWeights& weights, Epilogue epilogue,
                const MatrixView<role>& y) {
    const auto& packed = static_cast<const PackedLinear&>(weights);
    const int64_t threads = pool_.size();
    const int64_t task_rows = kernels_.task_rows(packed.in);
    const int64_t tiles = (x.rows + kernels_.row_tile - 1) / kernels_.row_tile;
    const int64_t panels = (packed.out + kernels_.panel - 1) / kernels_.panel;
    const bool own_rows =
        panels < threads || Excess(tiles, threads) <= std::max(0.03, Excess(panels, threads));
    const int64_t least_blocks = (x.rows + task_rows - 1) / task_rows;
    const int64_t wanted_blocks =
        own_rows ? (least_blocks + threads - 1) / threads * threads : std::max<int64_t>(least_blocks, 2);
    const int64_t blocks = std::min(wanted_blocks, tiles);
    const int64_t least_groups = own_rows ? (2 * threads + blocks - 1) / blocks : threads;
    constexpr int64_t kLeastWork = 8192;  // of a task, in panels × depth
    const bool rows_stay = LayoutOf(x).order != MatrixOrder::kRows && packed.in <= kernels_.most_depth;
    const int64_t most_groups = rows_stay ? std::min(4 * least_groups, panels * packed.in / kLeastWork) : 0;
    const int64_t wanted_groups = std::max(least_groups, most_groups);
    const int64_t panels_per_group = std::max<int64_t>((panels + wanted_groups - 1) / wanted_groups, 1);
    const int64_t groups = (panels + panels_per_group - 1) / panels_per_group;
    // Tasks of the same rows follow each other: all groups, or a thread's share of them.
    const int64_t share = own_rows ? groups : (groups + threads - 1) / threads;
    const auto block_and_group = [&](int64_t i) {
      const int64_t first_group = i / (blocks * share) * share;
      const int64_t count = std::min(share, groups - first_group);
      const int64_t left = i % (blocks * share);
      return std::pair(left / count, first_group + left % count);
    };
    pool_.ParallelFor(blocks * groups, [&](int64_t i) {
      const auto [block, group] = block_and_group(i);
      const int64_t row = block * tiles / blocks * kernels_.row_tile;
      const int64_t end_row = std::min((block + 1) * tiles / blocks * kernels_.row_tile, x.rows);
      const int64_t panel = group * panels_per_group;
      const int64_t column = panel * kernels_.panel;
      LinearTask task{};
      task.x_layout = LayoutOf(x);
      task.x = RowOf(x, row).first;
      task.rows = end_row - row;
      if (pool_.ShareGoesOn(i, blocks * groups)) {
        const int64_t next_block = block_and_group(i + 1).first;
        task.panel_follows = next_block == block;
        task.rows_after = next_block == block + 1 ? x.rows - end_row : 0;
      }
      task.in = packed.in;
      task.packed = const_cast<PackedLinear&>(packed).panels.data() +
                    static_cast<size_t>(panel) * kernels_.panel_size(packed.in);
      task.bias = packed.biases.data() + column;
      task.out = std::min(panels_per_group * kernels_.panel, packed.out - column);
      task.y = RowOf(y, row).first;
      task.y_layout = LayoutOf(y);
      task.y_column = column;
      task.epilogue = epilogue;
      task.pack_space = ThreadSpace(kernels_.pack_space(packed.in));
      kernels_.linear(task);
    });
  }

  const CpuKernels& kernels_;
};

}  // namespace

std::unique_ptr<Backend> MakeCpuBackend(const CpuKernels& kernels, int threads) {
  if (kernels.bf16) return std::make_unique<CpuBackend<BFloat16>>(kernels, threads);
  return std::make_unique<CpuBackend<float>>(kernels, threads);
}

}  // namespace calfvo
