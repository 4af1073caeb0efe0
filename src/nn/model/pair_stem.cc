// SPDX-License-Identifier: Apache-2.0
#include "nn/model/pair_stem.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace calfvo {

namespace {

// Convolutions of pixels and of the first features, 2 % of the operations: in 8 bits, the second causes about
// half of the change of poses.
constexpr size_t kExactStages = 2;

}  // namespace

PairStem::PairStem(const ModelConfig& config, const WeightLoader& loader)
    : backend_(loader.backend()), size_(config.input.size), scratch_(backend_) {
  const EncoderConfig& encoder = config.encoder;
  for (size_t s = 0; s < encoder.channels.size(); ++s) {
    const std::string name = fmt::format("encoder.stem.{}", s);
    Stage stage{size_ >> s,
                encoder.channels[s],
                loader.Convolution(name + ".conv", /*exact=*/s < kExactStages),
                loader.Norm(name + ".norm", encoder.norm_eps),
                {}};
    for (int b = 0; b < encoder.blocks[s]; ++b) {
      const std::string inner = fmt::format("{}.blocks.{}", name, b);
      stage.blocks.push_back({loader.Convolution(inner + ".conv1"),
                              loader.Norm(inner + ".norm", encoder.norm_eps),
                              loader.Convolution(inner + ".conv2")});
    }
    stages_.push_back(std::move(stage));
  }
}

void PairStem::Run(std::span<const float* const> images, const Stream& out) {
  const auto frames = static_cast<int64_t>(images.size()) - 1;
  // Every map and every set of neighbourhoods fits the largest of its kind.
  int64_t map_elements = int64_t{6} * size_ * size_;
  int64_t neighbour_elements = 0;
  int64_t in_channels = 6;
  for (const Stage& stage : stages_) {
    const int64_t pixels = int64_t{stage.side / 2} * (stage.side / 2);
    map_elements = std::max(map_elements, pixels * stage.channels);
    const int64_t widest =
        stage.blocks.empty() ? in_channels : std::max<int64_t>(in_channels, stage.channels);
    neighbour_elements = std::max(neighbour_elements, pixels * 9 * widest);
    in_channels = stage.channels;
  }
  const int64_t values = int64_t{3} * size_ * size_;
  const Matrices m = TakeFrom(scratch_, [&](Scratch& scratch) {
    return Matrices{
        scratch.TakeFloats((frames + 1) * values), scratch.TakeActivation(frames * map_elements, 1),
        scratch.TakeActivation(frames * neighbour_elements, 1), scratch.TakeStream(frames * map_elements, 1),
        scratch.TakeStream(frames * map_elements, 1)};
  });
  backend_.UploadImages(images, static_cast<size_t>(values), m.images);
  Repeat(backend_, {this, frames, out.data}, [&] { Convolve(m, frames, out); });
}

void PairStem::Convolve(const Matrices& m, int64_t frames, const Stream& out) {
  Activation map = m.map.Reshaped(frames * size_ * size_, 6);
  backend_.StackPairs(m.images, frames + 1, size_, map);
  for (const Stage& stage : stages_) {
    const int side = stage.side / 2;
    const int64_t pixels = frames * side * side;
    const auto convolve = [&](const LinearWeights& weights, int from_side, int stride, bool accumulate,
                              const Stream& to) {
      const Activation neighbours = m.neighbours.Reshaped(pixels, 9 * map.cols).ForConvolution(weights);
      backend_.Neighbourhoods(map, frames, from_side, from_side, stride, neighbours);
      backend_.LinearToStream(neighbours, weights, accumulate, to);
    };
    const Stream convolved = m.convolved.Reshaped(pixels, stage.channels);
    const bool is_last = &stage == &stages_.back();
    const Stream sum = is_last ? out : m.sum.Reshaped(pixels, stage.channels);

    convolve(*stage.conv, stage.side, 2, /*accumulate=*/false, convolved);
    map = m.map.Reshaped(pixels, stage.channels);
    backend_.LayerNorm(convolved, stage.norm, /*gelu=*/true, map);
    if (is_last || !stage.blocks.empty()) backend_.ToStream(map, sum);
    for (const Block& block : stage.blocks) {
      convolve(*block.conv1, side, 1, /*accumulate=*/false, convolved);
      backend_.LayerNorm(convolved, block.norm, /*gelu=*/true, map);
      convolve(*block.conv2, side, 1, /*accumulate=*/true, sum);
      backend_.ToActivation(sum, map);
    }
  }
}

}  // namespace calfvo
