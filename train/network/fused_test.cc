// SPDX-License-Identifier: Apache-2.0
// The CUDA kernels, forward and backward, against the same operations composed on the CPU in f32.
#include "network/fused.h"
#include "network/cuda_kernels.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "network/image_input.h"
#include "network/layers.h"
#include "network/temporal_attention.h"
#include "network/train_network.h"

namespace calfvo::train {
namespace {

using Tensors = std::vector<at::Tensor>;

class Kernels : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    if (!at::hasCUDA()) GTEST_SKIP() << "no CUDA device";
    torch::manual_seed(1);
  }

  double bound() const { return GetParam() == at::kFloat ? 2e-5 : 2e-2; }

  // Outputs, then the gradients of the inputs, of `function` on `device`.
  static Tensors Run(const std::function<Tensors(const Tensors&)>& function, const Tensors& inputs,
                     at::Device device, at::ScalarType dtype, size_t rounded) {
    Tensors moved;
    for (size_t i = 0; i < inputs.size(); ++i) {
      // Both sides start from values that `dtype` holds; parameters stay f32.
      at::Tensor input = i < rounded ? inputs[i].to(dtype) : inputs[i];
      if (device.is_cpu()) input = input.to(at::kFloat);
      moved.push_back(input.to(device).detach().requires_grad_());
    }
    Tensors results = function(moved);
    at::Tensor loss;
    for (size_t i = 0; i < results.size(); ++i) {
      const at::Tensor weights = at::randn(results[i].sizes(), at::detail::createCPUGenerator(i), at::kFloat);
      const at::Tensor term = (results[i].to(at::kFloat) * weights.to(device)).sum();
      loss = loss.defined() ? loss + term : term;
    }
    loss.backward();
    for (const at::Tensor& input : moved) results.push_back(input.grad());
    return results;
  }

  // The first `rounded` inputs are of the element type under test, the others parameters.
  void Compare(const std::function<Tensors(const Tensors&)>& function, const Tensors& inputs,
               size_t rounded) {
    const Tensors expected = Run(function, inputs, at::kCPU, GetParam(), rounded);
    const Tensors ours = Run(function, inputs, at::kCUDA, GetParam(), rounded);
    ASSERT_EQ(ours.size(), expected.size());
    for (size_t i = 0; i < ours.size(); ++i) {
      const at::Tensor difference = ours[i].to(at::kCPU, at::kFloat) - expected[i];
      const double error = difference.abs().max().item<double>() / expected[i].abs().max().item<double>();
      EXPECT_LE(error, bound()) << "result " << i;
    }
  }
};

TEST_P(Kernels, TemporalAttention) {
  for (const int64_t frames : {1, 3, 8, 9, 16}) {
    for (const int64_t head_size : {8, 32, 40, 64}) {
      SCOPED_TRACE(testing::Message() << frames << " frames, heads of " << head_size);
      const at::Tensor qkv = at::randn({2, frames, 5, 3, 3, head_size});
      ASSERT_TRUE(FusedTemporalAttention(qkv.to(at::kCUDA)).has_value());
      Compare([](const Tensors& in) { return Tensors{TemporalAttention(in[0])}; }, {qkv}, 1);
    }
  }
}

// Columns that fill no tile, one, and several; rows for less than a block of column sums, and for many.
TEST_P(Kernels, Linear) {
  for (const int64_t out : {8, 40, 256, 264, 768, 1024}) {
    for (const int64_t rows : {1, 5, 9001}) {
      SCOPED_TRACE(testing::Message() << rows << " rows of " << out);
      const Tensors inputs = {at::randn({rows, 2, 16}), at::randn({out, 16}) / 4, at::randn({out})};
      const LinearLayer on_device{inputs[1].to(at::kCUDA), inputs[2].to(at::kCUDA)};
      ASSERT_TRUE(FusedLinear(inputs[0].to(at::kCUDA, GetParam()), on_device).has_value());
      Compare([](const Tensors& in) { return Tensors{LinearLayer{in[1], in[2]}(in[0])}; }, inputs, 1);
    }
  }
}

TEST_P(Kernels, LinearThenGelu) {
  for (const int64_t out : {8, 264, 1024}) {
    for (const int64_t rows : {1, 9001}) {
      SCOPED_TRACE(testing::Message() << rows << " rows of " << out);
      const Tensors inputs = {at::randn({rows, 2, 16}), at::randn({out, 16}) / 4, at::randn({out})};
      const LinearLayer on_device{inputs[1].to(at::kCUDA), inputs[2].to(at::kCUDA)};
      ASSERT_TRUE(FusedLinearGelu(inputs[0].to(at::kCUDA, GetParam()), on_device).has_value());
      Compare(
          [](const Tensors& in) {
            return Tensors{LinearLayer{in[1], in[2]}.ThenGelu(in[0])};
          },
          inputs, 1);
    }
  }
}

TEST_P(Kernels, AddedBranch) {
  for (const int64_t channels : {8, 64, 256, 1024}) {
    SCOPED_TRACE(testing::Message() << channels << " channels");
    Compare(
        [](const Tensors& in) {
          return Tensors{Added(in[0], {in[1], in[2]})};
        },
        {at::randn({3, 701, channels}), at::randn({3, 701, channels}), at::randn({channels})}, 2);
  }
}

TEST_P(Kernels, Norm) {
  for (const int64_t channels : {8, 24, 32, 64, 96, 128, 256, 384, 512, 768, 1024}) {
    SCOPED_TRACE(testing::Message() << channels << " channels");
    Compare(
        [](const Tensors& in) {
          const SumAndNorm stream = NormLayer{in[1], in[2], 1e-6}.Start(in[0]);
          return Tensors{stream.sum, stream.normed};
        },
        {at::randn({3, 701, channels}) + 0.5, at::randn({channels}), at::randn({channels})}, 1);
  }
}

TEST_P(Kernels, NormAndGelu) {
  for (const int64_t channels : {8, 24, 32, 64, 96, 128, 256, 384, 512, 768, 1024}) {
    SCOPED_TRACE(testing::Message() << channels << " channels");
    const Tensors inputs = {at::randn({3, 701, channels}) + 0.5, at::randn({channels}), at::randn({channels}),
                            at::randn({channels})};
    const auto once = [](const Tensors& in) {
      return Tensors{NormLayer{in[1], in[2], 1e-6}.ThenGelu({in[0], in[3]})};
    };
    const auto twice = [](const Tensors& in) {
      const TwoUses result = NormLayer{in[1], in[2], 1e-6}.ThenGeluForTwo({in[0], in[3]});
      return Tensors{result.first, result.second};
    };
    const auto second = [](const Tensors& in) {
      return Tensors{NormLayer{in[1], in[2], 1e-6}.ThenGeluForTwo({in[0], in[3]}).second};
    };
    for (const auto& function : std::vector<std::function<Tensors(const Tensors&)>>{once, twice, second}) {
      Compare(function, inputs, 1);
    }
  }
}

// 256 wide and less: the first may have kernels of its own, whose blocks take 192 rows and 64 columns at a
// time.
TEST_P(Kernels, FeedForward) {
  for (const int64_t dim : {64, 256}) {
    for (const int64_t hidden : {64, 1024}) {
      for (const int64_t rows : {1, 193, 40'000}) {
        SCOPED_TRACE(testing::Message() << rows << " rows of " << dim << ", " << hidden << " between");
        const auto function = [&](const Tensors& in) {
          const FeedForwardLayer layer{{in[1], in[2]}, {in[3], in[4]}};
          if (in[0].is_cuda()) {
            const bool fits = GetParam() == at::kBFloat16 && dim == kGeluProductInner;
            EXPECT_EQ(FusedFeedForward(in[0], layer).has_value(), fits && HasHopperKernels());
          }
          return Tensors{layer(in[0]).Whole()};
        };
        const double scale1 = 1.0 / std::sqrt(static_cast<double>(dim));
        const double scale2 = 1.0 / std::sqrt(static_cast<double>(hidden));
        Compare(function,
                {at::randn({rows, dim}), at::randn({hidden, dim}) * scale1, at::randn({hidden}),
                 at::randn({dim, hidden}) * scale2, at::randn({dim})},
                1);
      }
    }
  }
}

TEST_P(Kernels, AddAndNorm) {
  for (const int64_t channels : {32, 256, 512, 1024}) {
    for (const CameraRule camera : {CameraRule::kNone, CameraRule::kSkip, CameraRule::kMean}) {
      SCOPED_TRACE(testing::Message() << channels << " channels, rule " << static_cast<int>(camera));
      const auto function = [camera](const Tensors& in) {
        const SumAndNorm result = NormLayer{in[2], in[3], 1e-6}.AfterAdding(in[0], {in[1], in[4]}, camera);
        return Tensors{result.sum, result.normed};
      };
      Compare(function,
              {at::randn({3, 4, 11, channels}), at::randn({3, 4, 11, channels}), at::randn({channels}),
               at::randn({channels}), at::randn({channels})},
              2);
    }
  }
}

// Windows for a part of what a thread loads at once, and for several times that.
TEST_P(Kernels, Embedding) {
  const int64_t frames = 3;
  const int64_t tokens = 5;
  for (const int64_t windows : {1, 7, 100}) {
    for (const int64_t channels : {8, 264}) {
      for (const bool aspect : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << windows << " windows, " << channels << " channels, aspect " << aspect);
        const at::Tensor log_aspect = at::randn({windows});
        const auto function = [&](const Tensors& in) {
          const EmbeddingLayer layer{in[1], in[2], in[3], aspect ? in[4] : at::Tensor()};
          return Tensors{layer.WithCameras(in[0], log_aspect.to(in[0].device()))};
        };
        Tensors inputs = {at::randn({windows, frames, tokens, channels}), at::randn({tokens, channels}),
                          at::randn({frames, channels}), at::randn({channels})};
        if (aspect) inputs.push_back(at::randn({channels}));
        Compare(function, inputs, 1);
      }
    }
  }
}

// Without rotation, and with it. Heads of 64 in bf16 may have a kernel of their own: strips of sixteen tokens
// that are full and that are not, one token, most and too many. Others: columns for a part of a tile and for
// several.
TEST_P(Kernels, Attention) {
  const auto compare = [&](int64_t tokens, int64_t heads, int64_t head_size, int64_t group) {
    SCOPED_TRACE(testing::Message() << tokens << " tokens, " << heads << " heads of " << head_size
                                    << ", groups of " << group);
    const at::Tensor angles = at::randn({tokens, head_size / 2});
    const int64_t dim = heads * head_size;
    const auto function = [&](const Tensors& in) {
      RopeTable rope;
      if (group > 0) rope = {angles.cos().to(in[0].device()), angles.sin().to(in[0].device()), group};
      const AttentionLayer layer{{in[1], in[2]}, {in[3], in[4]}};
      if (in[0].is_cuda()) {
        const bool fits = GetParam() == at::kBFloat16 && head_size == 64 && tokens <= kMaxAttentionTokens;
        EXPECT_EQ(FusedAttention(in[0], layer.qkv, heads, rope).has_value(), fits && HasHopperKernels());
      }
      return Tensors{layer(in[0], heads, rope).Whole()};
    };
    const double scale = 1.0 / std::sqrt(static_cast<double>(dim));
    Compare(function,
            {at::randn({3, tokens, dim}), at::randn({3 * dim, dim}) * scale, at::randn({3 * dim}),
             at::randn({dim, dim}) * scale, at::randn({dim})},
            1);
  };
  for (const int64_t group : {0, 16, 32}) {
    for (const int64_t tokens : {1, 16, 17, 64, 65, 197, 208, 209}) compare(tokens, 3, 64, group);
  }
  for (const int64_t group : {0, 8, 16}) {
    for (const int64_t heads : {2, 9}) compare(7, heads, 32, group);
  }
}

// q, k and v themselves and what comes back through them.
TEST_P(Kernels, QueryKeyValue) {
  const int64_t heads = 3;
  const int64_t dim = heads * 32;
  const at::Tensor angles = at::randn({7, 16});
  const auto function = [&](const Tensors& in) {
    const at::Tensor cos = angles.cos().to(in[0].device());
    const at::Tensor sin = angles.sin().to(in[0].device());
    const LinearLayer qkv{in[1], in[2]};
    if (auto fused = FusedQueryKeyValue(in[0], qkv, heads, {cos, sin, 8})) {
      return Tensors{fused->q, fused->k, fused->v};
    }
    // Each element turned with its partner eight further on, written out.
    const auto parts = qkv(in[0]).unflatten(-1, {3, heads, -1}).unbind(2);
    const auto turned = [&](const at::Tensor& x) {
      Tensors pieces;
      for (int64_t run = 0; run < 2; ++run) {
        const at::Tensor c = cos.narrow(1, 8 * run, 8).unsqueeze(1);
        const at::Tensor s = sin.narrow(1, 8 * run, 8).unsqueeze(1);
        const at::Tensor u = x.narrow(3, 16 * run, 8);
        const at::Tensor v = x.narrow(3, 16 * run + 8, 8);
        pieces.push_back(u * c - v * s);
        pieces.push_back(v * c + u * s);
      }
      return at::cat(pieces, 3);
    };
    return Tensors{turned(parts[0]), turned(parts[1]), parts[2]};
  };
  Compare(function, {at::randn({300, 7, dim}), at::randn({3 * dim, dim}) / 10, at::randn({3 * dim})}, 1);
}

// Images of a window as the renderer has them: behind the one that precedes them.
TEST_P(Kernels, FirstStage) {
  if (GetParam() != at::kBFloat16) GTEST_SKIP() << "bf16 only";
  const InputScale input{at::tensor({0.008F, 0.007F, 0.009F}), at::tensor({-1.0F, -0.9F, -1.1F})};
  const InputScale on_device{input.scale.to(at::kCUDA), input.shift.to(at::kCUDA)};
  for (const auto& [height, width] : {std::pair(8, 32), std::pair(40, 96), std::pair(224, 224)}) {
    const at::Tensor images = at::randint(256, {3, 3, height, width, 3}, at::kByte);
    const at::Tensor frames = images.narrow(1, 1, 2);
    for (const at::Tensor& before : {at::Tensor(), images.select(1, 0)}) {
      SCOPED_TRACE(testing::Message() << height << " rows of " << width);
      const auto function = [&](const Tensors& in) {
        const ConvolutionLayer convolution{in[0], in[1]};
        const NormLayer norm{in[2], in[3], 1e-6};
        if (in[0].is_cpu())
          return Tensors{
              norm.ThenGelu(convolution(NormalizedPairs(frames, before, input, at::kFloat), 2, 1))};
        const at::Tensor moved = images.to(at::kCUDA);
        const auto ours =
            FusedFirstStage(moved.narrow(1, 1, 2), before.defined() ? moved.select(1, 0) : before, on_device,
                            convolution, norm, at::kBFloat16);
        EXPECT_TRUE(ours.has_value());
        return Tensors{ours.value()};
      };
      Compare(function, {at::randn({32, 6, 3, 3}) / 5, at::randn({32}), at::randn({32}), at::randn({32})}, 0);
    }
  }
}

TEST_P(Kernels, WholeNetwork) {
  ModelConfig config = NamedConfig("calfvo-s");
  config.window = 4;
  config.input.size = 64;
  config.encoder.depth = 2;
  config.decoder.depth = 2;
  config.input.aspect = true;
  NetworkOptions options;
  options.motion_head = true;
  options.bf16 = GetParam() == at::kBFloat16;
  const at::Tensor frames = at::randint(256, {2, 4, 64, 64, 3}, at::kByte);
  const at::Tensor log_aspect = at::randn({2});
  const auto run = [&](at::Device device, const NetworkOptions& with) {
    TrainNetwork network(config, with);
    network->to(device);
    const NetworkOutput output = network->forward(frames.to(device), {}, log_aspect.to(device));
    (output.values.square().mean() + output.motion.square().mean()).backward();
    Tensors results = {output.values, output.motion};
    for (const at::Tensor& parameter : network->parameters()) results.push_back(parameter.grad());
    for (at::Tensor& result : results) result = result.detach().to(at::kCPU).flatten();
    return results;
  };
  const Tensors expected = run(at::kCPU, NetworkOptions{.motion_head = true});
  const Tensors ours = run(at::kCUDA, options);
  ASSERT_EQ(ours.size(), expected.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    const double scale = expected[i].norm().item<double>() + 1e-9;
    const double error = (ours[i] - expected[i]).norm().item<double>() / scale;
    EXPECT_LE(error, options.bf16 ? 0.1 : 5e-3) << "result " << i << " of size " << scale;
  }
}

INSTANTIATE_TEST_SUITE_P(Elements, Kernels, testing::Values(at::kFloat, at::kBFloat16),
                         [](const auto& test) { return test.param == at::kFloat ? "f32" : "bf16"; });

}  // namespace
}  // namespace calfvo::train
