// SPDX-License-Identifier: Apache-2.0
#include "backend/op_cases.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "calfvo/error.h"
#include "tensor/tensor.h"

namespace calfvo {
namespace {

// Values in about ±1.7 with mean 0 and variance 1, a function of seed and index.
std::vector<float> Noise(size_t count, uint64_t seed, float scale = 1.0F) {
  std::vector<float> values(count);
  uint64_t state = 0x9E3779B97F4A7C15ULL * (seed + 1);
  for (float& value : values) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    value = scale * 1.7320508F * (static_cast<float>(state >> 40) * 0x1p-23F - 1.0F);
  }
  return values;
}

TensorView View(const std::vector<float>& values, std::initializer_list<int64_t> shape) {
  return {values.data(), DType::kF32, Shape(shape)};
}

// Matrices of a case, filled with noise, and what to run on them.
class Case final : public PreparedOp {
 public:
  explicit Case(Backend& backend) : backend_(backend) {}

  template <Role role>
  MatrixView<role> Take(int64_t rows, int64_t cols) {
    const size_t element_size = backend_.ElementSize(role);
    buffers_.push_back(backend_.Allocate(static_cast<size_t>(rows * cols) * element_size));
    const MatrixView<role> matrix{buffers_.back()->data(), rows, cols, element_size};
    backend_.Upload(Noise(static_cast<size_t>(rows * cols), buffers_.size()), matrix);
    return matrix;
  }
  Stream TakeStream(int64_t rows, int64_t cols) { return Take<Role::kStream>(rows, cols); }
  Activation TakeActivation(int64_t rows, int64_t cols) { return Take<Role::kActivation>(rows, cols); }

  template <Role role>
  void SetOutput(const MatrixView<role>& matrix) {
    output_ = [this, matrix] {
      std::vector<float> values(static_cast<size_t>(matrix.rows * matrix.cols));
      backend_.Download(matrix, values);
      return values;
    };
  }
  void SetRun(std::function<void()> run) { run_ = std::move(run); }

  Backend& backend() { return backend_; }
  void Run() override {
    run_();
    backend_.Synchronize();
  }
  std::vector<float> Output() override { return output_(); }

 private:
  Backend& backend_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::function<void()> run_;
  std::function<std::vector<float>()> output_;
};

enum class LinearKind { kPlain, kGelu, kStream, kAdd };

OpCase LinearCase(int64_t rows, int64_t in, int64_t out, LinearKind kind) {
  constexpr const char* kNames[] = {"", "+gelu", " to stream", " += stream"};
  const double gflop = 2e-9 * static_cast<double>(rows * in * out);
  const double bound_bf16 =
      in < 16 ? 2e-2 : 6e-3;  // few products, so that their rounding does not average out
  return {fmt::format("linear {}x{}x{}{}", rows, in, out, kNames[static_cast<int>(kind)]), gflop, 2e-6,
          bound_bf16, [=](Backend& backend) -> std::unique_ptr<PreparedOp> {
            auto test = std::make_unique<Case>(backend);
            const float scale = 1.0F / std::sqrt(static_cast<float>(in));
            const std::vector<float> weight = Noise(static_cast<size_t>(in * out), 99, scale);
            const std::vector<float> bias = Noise(static_cast<size_t>(out), 98);
            const std::shared_ptr<LinearWeights> weights =
                backend.MakeLinear(View(weight, {out, in}), View(bias, {out}));
            const Activation x = test->TakeActivation(rows, in);
            if (kind == LinearKind::kPlain || kind == LinearKind::kGelu) {
              const Activation y = test->TakeActivation(rows, out);
              test->SetRun([&backend, x, weights, y, kind] {
                backend.Linear(x, *weights, kind == LinearKind::kGelu, y);
              });
              test->SetOutput(y);
            } else {
              const Stream y = test->TakeStream(rows, out);
              test->SetRun([&backend, x, weights, y, kind] {
                backend.LinearToStream(x, *weights, kind == LinearKind::kAdd, y);
              });
              test->SetOutput(y);
            }
            return test;
          }};
}

OpCase NormCase(int64_t rows, int64_t cols, bool gelu) {
  return {fmt::format("layer norm {}x{}{}", rows, cols, gelu ? "+gelu" : ""), 0.0, 2e-6, 4e-3,
          [=](Backend& backend) -> std::unique_ptr<PreparedOp> {
            auto test = std::make_unique<Case>(backend);
            const std::vector<float> gain = Noise(static_cast<size_t>(cols), 97);
            const std::vector<float> bias = Noise(static_cast<size_t>(cols), 96);
            auto weights = std::make_shared<NormWeights>();
            weights->gain = backend.MakeVector(View(gain, {cols}));
            weights->bias = backend.MakeVector(View(bias, {cols}));
            weights->epsilon = 1e-6F;
            const Stream x = test->TakeStream(rows, cols);
            const Activation y = test->TakeActivation(rows, cols);
            test->SetRun([&backend, x, weights, y, gelu] { backend.LayerNorm(x, *weights, gelu, y); });
            test->SetOutput(y);
            return test;
          }};
}

enum class RopeKind { kNone, kGrid, kWholeHead };

OpCase SpatialCase(int64_t batch, int64_t length, int64_t dim, int heads, RopeKind rope_kind) {
  constexpr const char* kNames[] = {"", " rope", " rope after 5"};
  const double gflop = 4e-9 * static_cast<double>(batch * length * length * dim);
  return {fmt::format("spatial attention {}x{}x{}/{}{}", batch, length, dim, heads,
                      kNames[static_cast<int>(rope_kind)]),
          gflop, 1e-5, 1e-2, [=](Backend& backend) -> std::unique_ptr<PreparedOp> {
            auto test = std::make_unique<Case>(backend);
            auto rope = std::make_shared<Rope>();
            if (rope_kind != RopeKind::kNone) {
              rope->pairs = static_cast<int>(dim) / heads / 2;
              rope->skip = rope_kind == RopeKind::kWholeHead ? 5 : 0;
              rope->group = rope_kind == RopeKind::kWholeHead ? rope->pairs : rope->pairs / 2;
              std::vector<float> cosines =
                  Noise(static_cast<size_t>((length - rope->skip) * rope->pairs), 95);
              std::vector<float> sines(cosines.size());
              for (size_t i = 0; i < cosines.size(); ++i) {
                sines[i] = std::sin(cosines[i]);
                cosines[i] = std::cos(cosines[i]);
              }
              const auto size = static_cast<int64_t>(cosines.size());
              rope->cos = backend.MakeVector(View(cosines, {size}));
              rope->sin = backend.MakeVector(View(sines, {size}));
            }
            const Activation qkv = test->TakeActivation(batch * length, 3 * dim);
            const Activation out = test->TakeActivation(batch * length, dim);
            test->SetRun([&backend, qkv, batch, heads, rope, out] {
              backend.SpatialAttention(qkv, batch, heads, rope->pairs > 0 ? rope.get() : nullptr, out);
            });
            test->SetOutput(out);
            return test;
          }};
}

OpCase TemporalCase(int64_t windows, int64_t frames, int64_t tokens, int64_t dim, int heads) {
  const WindowShape shape{windows, frames, tokens, true};
  const double gflop = 4e-9 * static_cast<double>(windows * tokens * frames * frames * dim);
  return {fmt::format("temporal attention {}x{}x{}x{}/{}", windows, frames, tokens, dim, heads), gflop, 1e-5,
          1e-2, [=](Backend& backend) -> std::unique_ptr<PreparedOp> {
            auto test = std::make_unique<Case>(backend);
            const Activation qkv = test->TakeActivation(shape.rows(), 3 * dim);
            const Activation out = test->TakeActivation(shape.rows(), dim);
            test->SetRun(
                [&backend, qkv, shape, heads, out] { backend.TemporalAttention(qkv, shape, heads, out); });
            test->SetOutput(out);
            return test;
          }};
}

constexpr int64_t kMaps = 2;

OpCase NeighbourCase(int side, int64_t channels, int stride) {
  const int out_side = (side - 1) / stride + 1;
  return {fmt::format("neighbourhoods {}x{}x{}/{}", side, side, channels, stride), 0.0, 0.0, 4e-3,
          [=](Backend& backend) -> std::unique_ptr<PreparedOp> {
            auto test = std::make_unique<Case>(backend);
            const Activation maps = test->TakeActivation(kMaps * side * side, channels);
            const Activation out = test->TakeActivation(kMaps * out_side * out_side, 9 * channels);
            test->SetRun([&backend, maps, side, stride, out] {
              backend.Neighbourhoods(maps, kMaps, side, side, stride, out);
            });
            test->SetOutput(out);
            return test;
          }};
}

std::vector<OpCase> ModelCases(int64_t dim, int heads, int64_t hidden) {
  const int64_t window_rows = 8 * 197;
  return {
      LinearCase(3 * 196, dim, 3 * dim, LinearKind::kPlain),
      LinearCase(3 * 196, dim, hidden, LinearKind::kGelu),
      LinearCase(window_rows, dim, 3 * dim, LinearKind::kPlain),
      LinearCase(window_rows, dim, dim, LinearKind::kAdd),
      LinearCase(window_rows, dim, hidden, LinearKind::kGelu),
      LinearCase(window_rows, hidden, dim, LinearKind::kAdd),
      NormCase(window_rows, dim, false),
      SpatialCase(3, 196, dim, heads, RopeKind::kGrid),
      SpatialCase(8, 197, dim, heads, RopeKind::kNone),
      TemporalCase(1, 8, 196, dim, heads),
  };
}

std::vector<OpCase> OddCases() {
  std::vector<OpCase> cases = {
      LinearCase(1, 1, 1, LinearKind::kPlain),
      LinearCase(1, 1024, 98, LinearKind::kStream),
      LinearCase(13, 54, 32, LinearKind::kStream),
      LinearCase(97, 33, 65, LinearKind::kGelu),
      LinearCase(25, 588, 17, LinearKind::kAdd),
      LinearCase(200, 7, 129, LinearKind::kPlain),
      LinearCase(70, 1500, 100, LinearKind::kAdd),
      LinearCase(33, 2100, 50, LinearKind::kStream),
      LinearCase(300, 4100, 20, LinearKind::kGelu),
      NormCase(1, 1, false),
      NormCase(3, 24, true),
      NormCase(17, 1000, false),
      SpatialCase(1, 1, 8, 1, RopeKind::kNone),
      SpatialCase(2, 5, 24, 3, RopeKind::kNone),
      SpatialCase(1, 201, 64, 2, RopeKind::kWholeHead),
      SpatialCase(2, 49, 48, 2, RopeKind::kGrid),
      SpatialCase(1, 1569, 32, 2, RopeKind::kNone),
      SpatialCase(1, 37, 15, 3, RopeKind::kNone),
      SpatialCase(2, 201, 128, 2, RopeKind::kWholeHead),
      SpatialCase(1, 433, 128, 2, RopeKind::kNone),
      SpatialCase(2, 33, 192, 3, RopeKind::kGrid),
      NeighbourCase(7, 3, 2),
      NeighbourCase(14, 6, 1),
      NeighbourCase(1, 5, 2),
  };
  cases.push_back(TemporalCase(1, 20, 3, 21, 3));
  for (const int64_t frames : {2, 5, 7, 8, 9, 16}) cases.push_back(TemporalCase(2, frames, 9, 192, 3));
  for (int64_t frames = 2; frames <= 16; ++frames) cases.push_back(TemporalCase(2, frames, 9, 24, 3));
  return cases;
}

}  // namespace

double RelativeError(std::span<const float> ours, std::span<const float> expected) {
  if (ours.size() != expected.size()) throw Error("results of different sizes");
  double difference = 0.0;
  double norm = 0.0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference += std::pow(static_cast<double>(ours[i]) - static_cast<double>(expected[i]), 2);
    norm += std::pow(static_cast<double>(expected[i]), 2);
  }
  return norm > 0.0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

std::vector<OpCase> OpCases(const std::string& scale) {
  if (scale == "calfvo-l") return ModelCases(1024, 16, 4096);
  if (scale == "calfvo-s") return ModelCases(256, 4, 1024);
  if (scale == "odd") return OddCases();
  throw Error(fmt::format("unknown list of cases '{}'", scale));
}

}  // namespace calfvo
