// SPDX-License-Identifier: Apache-2.0
#include "nn/model/encoder.h"

#include <cstddef>

#include "nn/model/pair_stem.h"
#include "nn/model/position_grid.h"
#include "nn/model/rope.h"
#include "nn/model/scratch.h"
#include "nn/model/vit.h"

namespace calfvo {
namespace {

// The part that every encoder ends with: transformer blocks over [prefix, patches] and a norm over the
// patches.
class Trunk {
 public:
  Trunk(const ModelConfig& config, const WeightLoader& loader)
      : backend_(loader.backend()),
        config_(config.encoder),
        tokens_(config.tokens()),
        blocks_(LoadVitBlocks(loader, config_.depth, config_.norm_eps, config_.prefix_tokens() > 0)),
        norm_(loader.Norm("encoder.norm", config_.norm_eps)) {
    const int side = config.tokens_per_side();
    if (config_.kind == EncoderKind::kDinov3) {
      const Tensor periods = loader.Load("encoder.rope_periods");
      rope_ = MakePeriodRope(backend_, side, periods.Data<float>(), config_.prefix_tokens());
    } else if (config_.kind != EncoderKind::kDinov2) {
      rope_ = MakeGridRope(backend_, side, config_.dim / config_.heads, config_.rope_base);
    }
  }

  int64_t sequence_length() const { return config_.prefix_tokens() + tokens_; }

  void Run(const BlockScratch& scratch, const Stream& x, std::span<const Activation> out) {
    const Rope* rope = rope_.pairs > 0 ? &rope_ : nullptr;
    Repeat(backend_, {this, x.rows, x.data}, [&] {
      for (const VitBlock& block : blocks_) {
        AddSpatialAttention(backend_, block.attention, x.rows / sequence_length(), config_.heads, rope,
                            scratch, x);
        AddFeedForward(backend_, block.feed_forward, config_.hidden, scratch, x);
      }
    });
    for (size_t i = 0; i < out.size(); ++i) {
      const int64_t first = static_cast<int64_t>(i) * sequence_length() + config_.prefix_tokens();
      backend_.LayerNorm(x.Rows(first, tokens_), norm_, /*gelu=*/false, out[i]);
    }
  }

 private:
  Backend& backend_;
  const EncoderConfig config_;
  const int64_t tokens_;
  std::vector<VitBlock> blocks_;
  NormWeights norm_;
  Rope rope_;
};

// croco, dinov2 and dinov3: patches of one frame.
class PatchEncoder final : public Encoder {
 public:
  PatchEncoder(const ModelConfig& config, const WeightLoader& loader)
      : backend_(loader.backend()),
        config_(config),
        trunk_(config, loader),
        patch_embedding_(loader.PatchEmbedding("encoder.patch_embed")),
        scratch_(backend_) {
    const EncoderConfig& encoder = config.encoder;
    if (encoder.prefix_tokens() == 0) return;
    const bool has_positions = encoder.kind == EncoderKind::kDinov2;
    const Tensor positions = has_positions ? loader.Load("encoder.pos_embed") : Tensor(DType::kF32, {0});
    prefix_ = backend_.MakeVector(MakePrefix(encoder, loader, positions.view()).view());
    if (has_positions) {
      positions_ = backend_.MakeVector(
          ResizePositions(positions.view(), encoder.grid, config.tokens_per_side(), encoder.interpolation)
              .view());
    }
  }

  void Encode(std::span<const EncoderInput> frames, std::span<const Activation> out) override {
    const EncoderConfig& encoder = config_.encoder;
    const int64_t tokens = config_.tokens();
    const int64_t length = trunk_.sequence_length();
    const auto batch = static_cast<int64_t>(frames.size());
    const int64_t values = int64_t{3} * config_.input.size * config_.input.size;
    struct Matrices {
      Stream x;
      BlockScratch block;
      float* images;
      Activation patches;
      Stream embedded;
    };
    const Matrices m = TakeFrom(scratch_, [&](Scratch& scratch) {
      return Matrices{scratch.TakeStream(batch * length, encoder.dim),
                      TakeBlockScratch(scratch, batch * length, encoder.dim, encoder.hidden),
                      scratch.TakeFloats(batch * values),
                      scratch.TakeActivation(batch * tokens, int64_t{3} * encoder.patch * encoder.patch),
                      scratch.TakeStream(batch * tokens, encoder.dim)};
    });
    images_.clear();
    for (const EncoderInput& frame : frames) images_.push_back(frame.current);
    backend_.UploadImages(images_, static_cast<size_t>(values), m.images);
    backend_.Patchify(m.images, batch, config_.input.size, encoder.patch, m.patches);
    const bool has_prefix = encoder.prefix_tokens() > 0;
    backend_.LinearToStream(m.patches, *patch_embedding_, /*accumulate=*/false,
                            has_prefix ? m.embedded : m.x);
    for (int64_t i = 0; has_prefix && i < batch; ++i) {
      backend_.AddPrefix(m.embedded.Rows(i * tokens, tokens), prefix_.get(), encoder.prefix_tokens(),
                         positions_.get(), m.x.Rows(i * length, length));
    }
    trunk_.Run(m.block, m.x, out);
  }

 private:
  // [CLS (with its position, where there are any), registers].
  static Tensor MakePrefix(const EncoderConfig& encoder, const WeightLoader& loader,
                           const TensorView& positions) {
    const auto dim = static_cast<size_t>(encoder.dim);
    Tensor prefix(DType::kF32, {encoder.prefix_tokens(), encoder.dim});
    const auto rows = prefix.MutableData<float>();
    const Tensor cls = loader.Load("encoder.cls_token");
    for (size_t c = 0; c < dim; ++c) {
      const float position = positions.shape().element_count() > 0 ? positions.Data<float>()[c] : 0.0F;
      rows[c] = cls.Data<float>()[c] + position;
    }
    if (encoder.registers > 0) {
      const Tensor registers = loader.Load("encoder.registers");
      std::copy(registers.Data<float>().begin(), registers.Data<float>().end(), rows.begin() + encoder.dim);
    }
    return prefix;
  }

  Backend& backend_;
  const ModelConfig config_;
  Trunk trunk_;
  std::unique_ptr<LinearWeights> patch_embedding_;
  std::unique_ptr<VectorWeights> prefix_;
  std::unique_ptr<VectorWeights> positions_;
  Scratch scratch_;
  std::vector<const float*> images_;
};

// Convolutions over the previous and the current frame, then the trunk.
class PairEncoder final : public Encoder {
 public:
  PairEncoder(const ModelConfig& config, const WeightLoader& loader)
      : config_(config),
        at_once_(static_cast<size_t>(loader.backend().convolution_batch())),
        stem_(config, loader),
        trunk_(config, loader),
        scratch_(loader.backend()) {}

  void Encode(std::span<const EncoderInput> frames, std::span<const Activation> out) override {
    const int64_t tokens = config_.tokens();
    const int64_t rows = static_cast<int64_t>(frames.size()) * tokens;
    struct Matrices {
      Stream x;
      BlockScratch block;
    };
    const Matrices m = TakeFrom(scratch_, [&](Scratch& scratch) {
      return Matrices{scratch.TakeStream(rows, config_.encoder.dim),
                      TakeBlockScratch(scratch, rows, config_.encoder.dim, config_.encoder.hidden)};
    });
    // Frames that follow each other go through the stem together, each image being its successor's previous
    // one.
    size_t first = 0;
    while (first < frames.size()) {
      images_ = {frames[first].previous, frames[first].current};
      size_t next = first + 1;
      while (next < frames.size() && next - first < at_once_ && frames[next].previous == images_.back()) {
        images_.push_back(frames[next++].current);
      }
      stem_.Run(images_,
                m.x.Rows(static_cast<int64_t>(first) * tokens, static_cast<int64_t>(next - first) * tokens));
      first = next;
    }
    trunk_.Run(m.block, m.x, out);
  }

 private:
  const ModelConfig config_;
  const size_t at_once_;
  PairStem stem_;
  Trunk trunk_;
  Scratch scratch_;
  std::vector<const float*> images_;
};

}  // namespace

std::unique_ptr<Encoder> MakeEncoder(const ModelConfig& config, const WeightLoader& loader) {
  if (config.encoder.kind == EncoderKind::kPair) return std::make_unique<PairEncoder>(config, loader);
  return std::make_unique<PatchEncoder>(config, loader);
}

}  // namespace calfvo
