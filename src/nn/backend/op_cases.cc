// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/op_cases.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "calfvo/error.h"
#include "nn/tensor/tensor.h"

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

// Matrices of a case, filled with noise, and the operation on them.
class Case final : public PreparedOp {
 public:
  explicit Case(Backend& backend) : backend_(backend) {}

  template <Role role>
  MatrixView<role> Take(int64_t rows, int64_t cols, const LinearWeights* reader = nullptr) {
    const size_t element_size = backend_.ElementSize(role);
    const int64_t padded_rows = PaddedRows(rows);
    const auto whole_size = static_cast<size_t>(padded_rows * cols);
    buffers_.push_back(backend_.Allocate(whole_size * element_size));
    MatrixView<role> matrix{
        buffers_.back()->data(), padded_rows, cols, element_size, {.padded_rows = padded_rows}};
    // The padding must not affect results.
    backend_.Upload(std::vector<float>(whole_size, NAN), matrix);
    matrix.rows = rows;
    if (reader != nullptr) matrix = matrix.For(*reader);
    backend_.Upload(Noise(static_cast<size_t>(rows * cols), buffers_.size()), matrix);
    return matrix;
  }
  Stream TakeStream(int64_t rows, int64_t cols) { return Take<Role::kStream>(rows, cols); }
  Activation TakeActivation(int64_t rows, int64_t cols, const LinearWeights* reader = nullptr) {
    return Take<Role::kActivation>(rows, cols, reader);
  }
  // With some product as its only reader, if `has_reader`.
  Activation TakeOutput(int64_t rows, int64_t cols, bool has_reader) {
    return TakeActivation(rows, cols, has_reader ? &TakeLinear(1, cols) : nullptr);
  }

  const LinearWeights& TakeLinear(int64_t out, int64_t in) {
    const float scale = 1.0F / std::sqrt(static_cast<float>(in));
    const std::vector<float> weight = Noise(static_cast<size_t>(in * out), 99, scale);
    const std::vector<float> bias = Noise(static_cast<size_t>(out), 98);
    linears_.push_back(backend_.MakeLinear(View(weight, {out, in}), View(bias, {out})));
    return *linears_.back();
  }
  const NormWeights& TakeNorm(int64_t cols) {
    const std::vector<float> gain = Noise(static_cast<size_t>(cols), 97);
    const std::vector<float> bias = Noise(static_cast<size_t>(cols), 96);
    norm_.gain = backend_.MakeVector(View(gain, {cols}));
    norm_.bias = backend_.MakeVector(View(bias, {cols}));
    norm_.epsilon = 1e-6F;
    return norm_;
  }

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
  std::vector<std::unique_ptr<LinearWeights>> linears_;
  NormWeights norm_;
  std::function<void()> run_;
  std::function<std::vector<float>()> output_;
};

enum class LinearKind { kPlain, kGelu, kStream, kAdd };

// Which activations of a case have one reader (MatrixStorage::reader).
enum class Readers { kNone, kOfX, kOfAll };

const char* ReadersName(Readers readers) {
  constexpr const char* kNames[] = {"", ", x for one", ", for one"};
  return kNames[static_cast<int>(readers)];
}

OpCase LinearCase(int64_t rows, int64_t in, int64_t out, LinearKind kind, Readers readers = Readers::kNone) {
  constexpr const char* kNames[] = {"", "+gelu", " to stream", " += stream"};
  const double gflop = 2e-9 * static_cast<double>(rows * in * out);
  const double bound_bf16 =
      in < 16 ? 2e-2 : 6e-3;  // few products, so that their rounding does not average out
  return {
      fmt::format("linear {}x{}x{}{}{}", rows, in, out, kNames[static_cast<int>(kind)], ReadersName(readers)),
      gflop,
      2e-6,
      bound_bf16,
      2e-2,
      [=](Backend& backend) -> std::unique_ptr<PreparedOp> {
        auto test = std::make_unique<Case>(backend);
        const LinearWeights& weights = test->TakeLinear(out, in);
        const Activation x = test->TakeActivation(rows, in, readers != Readers::kNone ? &weights : nullptr);
        if (kind == LinearKind::kPlain || kind == LinearKind::kGelu) {
          const Activation y = test->TakeOutput(rows, out, readers == Readers::kOfAll);
          test->SetRun(
              [&backend, x, &weights, y, kind] { backend.Linear(x, weights, kind == LinearKind::kGelu, y); });
          test->SetOutput(y);
        } else {
          const Stream y = test->TakeStream(rows, out);
          test->SetRun([&backend, x, &weights, y, kind] {
            backend.LinearToStream(x, weights, kind == LinearKind::kAdd, y);
          });
          test->SetOutput(y);
        }
        return test;
      }};
}

OpCase NormCase(int64_t rows, int64_t cols, bool gelu, Readers readers = Readers::kNone) {
  return {fmt::format("layer norm {}x{}{}{}", rows, cols, gelu ? "+gelu" : "", ReadersName(readers)),
          0.0,
          2e-6,
          4e-3,
          1e-2,
          [=](Backend& backend) -> std::unique_ptr<PreparedOp> {
            auto test = std::make_unique<Case>(backend);
            const NormWeights& weights = test->TakeNorm(cols);
            const Stream x = test->TakeStream(rows, cols);
            const Activation y = test->TakeOutput(rows, cols, readers != Readers::kNone);
            test->SetRun([&backend, x, &weights, y, gelu] { backend.LayerNorm(x, weights, gelu, y); });
            test->SetOutput(y);
            return test;
          }};
}

enum class RopeKind { kNone, kGrid, kWholeHead };

OpCase SpatialCase(int64_t batch, int64_t length, int64_t dim, int heads, RopeKind rope_kind,
                   Readers readers = Readers::kNone) {
  constexpr const char* kNames[] = {"", " rope", " rope after 5"};
  const double gflop = 4e-9 * static_cast<double>(batch * length * length * dim);
  return {fmt::format("spatial attention {}x{}x{}/{}{}{}", batch, length, dim, heads,
                      kNames[static_cast<int>(rope_kind)], ReadersName(readers)),
          gflop,
          1e-5,
          1e-2,
          2e-2,
          [=](Backend& backend) -> std::unique_ptr<PreparedOp> {
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
            const Activation out = test->TakeOutput(batch * length, dim, readers != Readers::kNone);
            test->SetRun([&backend, qkv, batch, heads, rope, out] {
              backend.SpatialAttention(qkv, batch, heads, rope->pairs > 0 ? rope.get() : nullptr, out);
            });
            test->SetOutput(out);
            return test;
          }};
}

OpCase TemporalCase(int64_t windows, int64_t frames, int64_t tokens, int64_t dim, int heads,
                    Readers readers = Readers::kNone) {
  const WindowShape shape{windows, frames, tokens, true};
  const double gflop = 4e-9 * static_cast<double>(windows * tokens * frames * frames * dim);
  return {fmt::format("temporal attention {}x{}x{}x{}/{}{}", windows, frames, tokens, dim, heads,
                      ReadersName(readers)),
          gflop,
          1e-5,
          1e-2,
          2e-2,
          [=](Backend& backend) -> std::unique_ptr<PreparedOp> {
            auto test = std::make_unique<Case>(backend);
            const Activation qkv = test->TakeActivation(shape.rows(), 3 * dim);
            const Activation out = test->TakeOutput(shape.rows(), dim, readers != Readers::kNone);
            test->SetRun(
                [&backend, qkv, shape, heads, out] { backend.TemporalAttention(qkv, shape, heads, out); });
            test->SetOutput(out);
            return test;
          }};
}

// x += fc2(gelu(fc1(norm(x)))).
OpCase FeedForwardCase(int64_t rows, int64_t dim, int64_t hidden, Readers readers) {
  const double gflop = 4e-9 * static_cast<double>(rows * dim * hidden);
  return {fmt::format("linear feed-forward {}x{}x{}{}", rows, dim, hidden, ReadersName(readers)),
          gflop,
          4e-6,
          1e-2,
          2e-2,
          [=](Backend& backend) -> std::unique_ptr<PreparedOp> {
            auto test = std::make_unique<Case>(backend);
            const NormWeights& norm = test->TakeNorm(dim);
            const LinearWeights& fc1 = test->TakeLinear(hidden, dim);
            const LinearWeights& fc2 = test->TakeLinear(dim, hidden);
            const bool has_readers = readers != Readers::kNone;
            const Stream x = test->TakeStream(rows, dim);
            const Activation normed = test->TakeActivation(rows, dim, has_readers ? &fc1 : nullptr);
            const Activation inner = test->TakeActivation(rows, hidden, has_readers ? &fc2 : nullptr);
            test->SetRun([&backend, &norm, &fc1, &fc2, x, normed, inner] {
              backend.LayerNorm(x, norm, /*gelu=*/false, normed);
              backend.Linear(normed, fc1, /*gelu=*/true, inner);
              backend.LinearToStream(inner, fc2, /*accumulate=*/true, x);
            });
            test->SetOutput(x);
            return test;
          }};
}

constexpr int64_t kMaps = 2;

OpCase NeighbourCase(int side, int64_t channels, int stride) {
  const int out_side = (side - 1) / stride + 1;
  return {fmt::format("neighbourhoods {}x{}x{}/{}", side, side, channels, stride),
          0.0,
          0.0,
          4e-3,
          4e-3,
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

// With readers where the network has them.
std::vector<OpCase> ModelCases(int64_t dim, int heads, int64_t hidden) {
  const int64_t window_rows = 8 * 197;
  return {
      LinearCase(3 * 196, dim, 3 * dim, LinearKind::kPlain, Readers::kOfX),
      LinearCase(3 * 196, dim, hidden, LinearKind::kGelu, Readers::kOfAll),
      LinearCase(window_rows, dim, 3 * dim, LinearKind::kPlain, Readers::kOfX),
      LinearCase(window_rows, dim, dim, LinearKind::kAdd, Readers::kOfX),
      LinearCase(window_rows, dim, hidden, LinearKind::kGelu, Readers::kOfAll),
      LinearCase(window_rows, hidden, dim, LinearKind::kAdd, Readers::kOfX),
      NormCase(window_rows, dim, false, Readers::kOfAll),
      SpatialCase(3, 196, dim, heads, RopeKind::kGrid, Readers::kOfAll),
      SpatialCase(8, 197, dim, heads, RopeKind::kNone, Readers::kOfAll),
      TemporalCase(1, 8, 196, dim, heads, Readers::kOfAll),
  };
}

// Each with readers and without.
void AddReaderCases(std::vector<OpCase>& cases) {
  for (const Readers readers : {Readers::kNone, Readers::kOfAll}) {
    for (const int64_t rows : {1, 15, 16, 17, 33}) {
      cases.push_back(LinearCase(rows, 64, 96, LinearKind::kGelu, readers));
      cases.push_back(LinearCase(rows, 96, 80, LinearKind::kAdd, readers));
      cases.push_back(NormCase(rows, 96, false, readers));
      cases.push_back(FeedForwardCase(rows, 64, 224, readers));
    }
    cases.push_back(LinearCase(49, 80, 64, LinearKind::kPlain, readers));
    cases.push_back(LinearCase(100, 1056, 128, LinearKind::kStream, readers));
    cases.push_back(LinearCase(450, 2048, 160, LinearKind::kPlain, readers));
    cases.push_back(LinearCase(70, 3072, 33, LinearKind::kAdd, readers));
    cases.push_back(NormCase(18, 40, true, readers));
    cases.push_back(FeedForwardCase(40, 48, 64, readers));
    cases.push_back(FeedForwardCase(30, 64, 1120, readers));
    cases.push_back(FeedForwardCase(450, 96, 2048, readers));
    for (const int64_t head_size : {15, 24, 48, 64}) {
      cases.push_back(SpatialCase(3, 17, 4 * head_size, 4, RopeKind::kNone, readers));
      cases.push_back(SpatialCase(2, 33, 32 * head_size, 32, RopeKind::kNone, readers));
      cases.push_back(TemporalCase(2, 5, 3, 4 * head_size, 4, readers));
      cases.push_back(TemporalCase(1, 8, 9, 32 * head_size, 32, readers));
    }
    cases.push_back(SpatialCase(1, 1, 64, 2, RopeKind::kNone, readers));
    cases.push_back(SpatialCase(2, 15, 96, 4, RopeKind::kGrid, readers));
  }
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
  AddReaderCases(cases);
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
