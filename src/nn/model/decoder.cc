// SPDX-License-Identifier: Apache-2.0
#include "nn/model/decoder.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "calfvo/error.h"
#include "core/image/image_view.h"

namespace calfvo {
namespace {

AttentionWeights LoadAttention(const WeightLoader& loader, const std::string& name, double norm_eps) {
  return {loader.Norm(name + ".norm", norm_eps), loader.Linear(name + ".qkv"), loader.Linear(name + ".proj")};
}

// The longest side that an image may have, of the widest pixels.
constexpr double kMaxAspect = kMaxImageSide * 16.0;

}  // namespace

Decoder::Decoder(const ModelConfig& config, const WeightLoader& loader)
    : backend_(loader.backend()),
      config_(config.decoder),
      window_(config.window),
      tokens_(config.tokens()),
      camera_(loader.Vector("decoder.camera")),
      positions_(loader.Vector("decoder.pos_embed")),
      times_(loader.Vector("decoder.time_embed")),
      head_weight_(loader.Vector("head.weight")),
      head_bias_(loader.Vector("head.bias")),
      head_values_(int64_t{config.window - 1} * config.head.values_per_pair()),
      scratch_(backend_) {
  if (config.input.aspect) {
    times_of_square_ = loader.Load("decoder.time_embed");
    aspect_ = loader.Load("decoder.aspect");
  }
  for (int i = 0; i < config_.depth; ++i) {
    const std::string name = fmt::format("decoder.blocks.{}", i);
    Layer layer;
    if (config_.kind == DecoderKind::kTimeSpace) {
      // Nothing is between proj and out: they are one map.
      layer.time = {loader.Norm(name + ".time.norm", config_.norm_eps), loader.Linear(name + ".time.qkv"),
                    loader.Composition(name + ".time.out", name + ".time.proj")};
    }
    layer.space = LoadAttention(loader, name + ".space", config_.norm_eps);
    layer.feed_forward = {loader.Norm(name + ".ffn.norm", config_.norm_eps), loader.Linear(name + ".ffn.fc1"),
                          loader.Linear(name + ".ffn.fc2")};
    layers_.push_back(std::move(layer));
  }
}

void Decoder::SetAspect(double width_over_height) {
  if (!(width_over_height >= 1.0 / kMaxAspect && width_over_height <= kMaxAspect)) {
    throw Error(fmt::format("images' width over height is {}; expected 1 / {} to {}", width_over_height,
                            kMaxAspect, kMaxAspect));
  }
  if (!aspect_ || width_over_height == width_over_height_) return;
  const auto log_aspect = static_cast<float>(std::log2(width_over_height));
  Tensor times = CopyOf(times_of_square_->view());
  const auto values = times.MutableData<float>();
  const auto aspect = aspect_->Data<float>();
  for (size_t i = 0; i < values.size(); ++i) values[i] += log_aspect * aspect[i % aspect.size()];
  times_ = backend_.MakeVector(times.view());
  width_over_height_ = width_over_height;
}

void Decoder::Decode(std::span<const Activation> frames, float* values) {
  const bool time_space = config_.kind == DecoderKind::kTimeSpace;
  const WindowShape shape{static_cast<int64_t>(frames.size()) / window_, window_, tokens_,
                          /*camera_per_frame=*/time_space};
  struct Matrices {
    Stream x;
    Stream camera;
    BlockScratch block;
  };
  const Matrices m = TakeFrom(scratch_, [&](Scratch& scratch) {
    return Matrices{scratch.TakeStream(shape.rows(), config_.dim),
                    scratch.TakeStream(shape.windows, config_.dim),
                    TakeBlockScratch(scratch, shape.rows(), config_.dim, config_.hidden)};
  });
  for (int64_t w = 0; w < shape.windows; ++w) {
    const auto window = frames.subspan(static_cast<size_t>(w * window_), static_cast<size_t>(window_));
    backend_.AssembleWindow(window, *camera_, *positions_, *times_, shape, w, m.x);
  }
  // The camera token is kept in all of its slots at once: they are equal at the start and the end of a layer,
  // so that the feed-forward of each slot is that of the one token.
  Repeat(backend_, {this, shape.rows(), m.x.data}, [&] {
    for (const Layer& layer : layers_) {
      if (time_space) {
        backend_.KeepCamera(m.x, shape, m.camera);
        // Equation (1). The camera's rows, which take no part in it, are restored.
        AddAttention(backend_, layer.time, m.block, m.x, [&](const Activation& qkv, const Activation& out) {
          backend_.TemporalAttention(qkv, shape, config_.heads, out);
        });
        backend_.RestoreCamera(m.camera, shape, m.x);
      }
      AddSpatialAttention(backend_, layer.space, shape.sequences(), config_.heads, nullptr, m.block, m.x);
      if (time_space) backend_.MergeCamera(shape, m.x);
      AddFeedForward(backend_, layer.feed_forward, config_.hidden, m.block, m.x);
    }
  });
  backend_.PoolAndProject(m.x, shape, *head_weight_, *head_bias_, head_values_, values);
}

}  // namespace calfvo
