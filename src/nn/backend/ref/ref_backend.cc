// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/ref/ref_backend.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "nn/backend/host_backend.h"

namespace calfvo {
namespace {

float Gelu(float x) {
  return 0.5F * x * (1.0F + std::erf(x * std::numbers::sqrt2_v<float> / 2.0F));
}

// Weights transposed to [in, out], so that the inner loop runs along memory.
class RefLinear final : public LinearWeights {
 public:
  RefLinear(const TensorView& weight, const TensorView& bias)
      : in(weight.shape()[1]), out(weight.shape()[0]), transposed(static_cast<size_t>(in * out)) {
    const float* w = weight.Data<float>().data();
    for (int64_t o = 0; o < out; ++o) {
      for (int64_t i = 0; i < in; ++i) transposed[static_cast<size_t>(i * out + o)] = w[o * in + i];
    }
    biases.assign(bias.Data<float>().begin(), bias.Data<float>().end());
  }

  // y[out] = x[in]·Wᵀ + b.
  void Apply(const float* x, float* y) const {
    std::copy(biases.begin(), biases.end(), y);
    for (int64_t i = 0; i < in; ++i) {
      const float* row = transposed.data() + i * out;
      for (int64_t o = 0; o < out; ++o) y[o] += x[i] * row[o];
    }
  }

  const int64_t in;
  const int64_t out;

 private:
  std::vector<float> transposed;
  std::vector<float> biases;
};

// Turns the pairs of one head vector of token `token`.
void ApplyRope(const Rope& rope, int64_t token, float* head) {
  if (token < rope.skip) return;
  const float* cosines = VectorData(*rope.cos) + (token - rope.skip) * rope.pairs;
  const float* sines = VectorData(*rope.sin) + (token - rope.skip) * rope.pairs;
  for (int pair = 0; pair < rope.pairs; ++pair) {
    float* first = head + pair / rope.group * 2 * rope.group + pair % rope.group;
    float* second = first + rope.group;
    const float u = *first;
    const float v = *second;
    *first = u * cosines[pair] - v * sines[pair];
    *second = v * cosines[pair] + u * sines[pair];
  }
}

// Attention of one head over `length` tokens: q, k, v and out are [length, size]. Returns the weights
// [length, length].
std::vector<float> Attend(int64_t length, int64_t size, const float* q, const float* k, const float* v,
                          float* out) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(size));
  std::vector<float> all_weights(static_cast<size_t>(length * length));
  for (int64_t i = 0; i < length; ++i) {
    const std::span<float> weights(all_weights.data() + i * length, static_cast<size_t>(length));
    float most = -INFINITY;
    for (int64_t j = 0; j < length; ++j) {
      float dot = 0.0F;
      for (int64_t c = 0; c < size; ++c) dot += q[i * size + c] * k[j * size + c];
      weights[static_cast<size_t>(j)] = dot * scale;
      most = std::max(most, dot * scale);
    }
    float sum = 0.0F;
    for (float& weight : weights) sum += weight = std::exp(weight - most);
    float* to = out + i * size;
    std::fill_n(to, size, 0.0F);
    for (int64_t j = 0; j < length; ++j) {
      const float weight = weights[static_cast<size_t>(j)] /= sum;
      for (int64_t c = 0; c < size; ++c) to[c] += weight * v[j * size + c];
    }
  }
  return all_weights;
}

class RefBackend final : public HostBackend<float> {
 public:
  explicit RefBackend(int threads, AttentionObserver* observer = nullptr)
      : HostBackend(threads), observer_(observer) {}

  std::string Description() const override { return "ref f32"; }

  std::unique_ptr<LinearWeights> MakeLinear(const TensorView& weight, const TensorView& bias) override {
    return std::make_unique<RefLinear>(weight, bias);
  }

  void Linear(const Activation& x, const LinearWeights& weights, bool gelu, const Activation& out) override {
    const auto& linear = static_cast<const RefLinear&>(weights);
    pool_.ParallelFor(x.rows, [&](int64_t row) {
      float* y = RowPointer<float>(out, row);
      linear.Apply(RowPointer<float>(x, row), y);
      if (gelu) std::transform(y, y + linear.out, y, Gelu);
    });
  }

  void LinearToStream(const Activation& x, const LinearWeights& weights, bool accumulate,
                      const Stream& out) override {
    const auto& linear = static_cast<const RefLinear&>(weights);
    pool_.ParallelFor(x.rows, [&](int64_t row) {
      std::vector<float> y(static_cast<size_t>(linear.out));
      linear.Apply(RowPointer<float>(x, row), y.data());
      float* to = RowPointer<float>(out, row);
      for (int64_t o = 0; o < linear.out; ++o)
        to[o] = y[static_cast<size_t>(o)] + (accumulate ? to[o] : 0.0F);
    });
  }

  void LayerNorm(const Stream& x, const NormWeights& weights, bool gelu, const Activation& out) override {
    const float* gain = VectorData(*weights.gain);
    const float* bias = VectorData(*weights.bias);
    pool_.ParallelFor(x.rows, [&](int64_t row) {
      const float* from = RowPointer<float>(x, row);
      float* to = RowPointer<float>(out, row);
      double mean = 0.0;
      for (int64_t i = 0; i < x.cols; ++i) mean += from[i];
      mean /= static_cast<double>(x.cols);
      double variance = 0.0;
      for (int64_t i = 0; i < x.cols; ++i) variance += (from[i] - mean) * (from[i] - mean);
      variance /= static_cast<double>(x.cols);
      const double scale = 1.0 / std::sqrt(variance + static_cast<double>(weights.epsilon));
      for (int64_t i = 0; i < x.cols; ++i) {
        to[i] = static_cast<float>((from[i] - mean) * scale) * gain[i] + bias[i];
        if (gelu) to[i] = Gelu(to[i]);
      }
    });
  }

  void SpatialAttention(const Activation& qkv, int64_t batch, int heads, const Rope* rope,
                        const Activation& out) override {
    const int64_t length = qkv.rows / batch;
    if (observer_ != nullptr) observer_->BeginAttention(heads);
    pool_.ParallelFor(batch * heads, [&](int64_t i) {
      const int64_t first_row = i / heads * length;
      AttendRows(
          qkv, i % heads, heads, length, rope, [&](int64_t t) { return first_row + t; }, out);
    });
  }

  void TemporalAttention(const Activation& qkv, const WindowShape& shape, int heads,
                         const Activation& out) override {
    for (int64_t window = 0; window < shape.windows; ++window) {
      for (int64_t slot = 0; slot < shape.slots(); ++slot) {
        std::fill_n(RowPointer<float>(out, shape.CameraRow(window, slot)), out.cols, 0.0F);
      }
    }
    if (observer_ != nullptr) observer_->BeginAttention(heads);
    pool_.ParallelFor(shape.windows * shape.tokens * heads, [&](int64_t i) {
      const int64_t window = i / heads / shape.tokens;
      const int64_t token = i / heads % shape.tokens;
      AttendRows(
          qkv, i % heads, heads, shape.frames, nullptr,
          [&](int64_t frame) { return shape.TokenRow(window, frame, token); }, out);
    });
  }

 private:
  // Attention of one head over the rows row_of(0), …, row_of(length − 1) of qkv, into the same rows of out.
  template <typename RowOf>
  void AttendRows(const Activation& qkv, int64_t head, int heads, int64_t length, const Rope* rope,
                  const RowOf& row_of, const Activation& out) const {
    const int64_t dim = qkv.cols / 3;
    const int64_t size = dim / heads;
    std::vector<float> parts[3];  // q, k, v
    for (int64_t part = 0; part < 3; ++part) {
      parts[part].resize(static_cast<size_t>(length * size));
      for (int64_t t = 0; t < length; ++t) {
        const float* from = RowPointer<float>(qkv, row_of(t)) + part * dim + head * size;
        float* to = parts[part].data() + t * size;
        std::copy_n(from, size, to);
        if (rope != nullptr && part < 2) ApplyRope(*rope, t, to);
      }
    }
    std::vector<float> result(static_cast<size_t>(length * size));
    const std::vector<float> weights =
        Attend(length, size, parts[0].data(), parts[1].data(), parts[2].data(), result.data());
    std::vector<int64_t> rows;
    for (int64_t t = 0; t < length; ++t) {
      std::copy_n(result.data() + t * size, size, RowPointer<float>(out, row_of(t)) + head * size);
      rows.push_back(row_of(t));
    }
    if (observer_ != nullptr) observer_->Attended(rows, weights);
  }

  AttentionObserver* const observer_;
};

}  // namespace

std::unique_ptr<Backend> MakeRefBackend(int threads) {
  return std::make_unique<RefBackend>(threads);
}

std::unique_ptr<Backend> MakeObservedBackend(AttentionObserver& observer) {
  return std::make_unique<RefBackend>(1, &observer);
}

}  // namespace calfvo
