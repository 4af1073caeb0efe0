// SPDX-License-Identifier: Apache-2.0
// The whole network on one backend.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "nn/architecture/model_config.h"
#include "nn/backend/backend.h"
#include "nn/model/decoder.h"
#include "nn/model/encoder.h"
#include "nn/model/head.h"
#include "nn/weights/weight_source.h"

namespace calfvo {

// The encoded tokens of one frame, in the backend's memory. Computed once and handed to every window that
// holds the frame.
class FrameTokens {
 public:
  FrameTokens(Backend& backend, int64_t tokens, int64_t dim);
  const Activation& view() const { return view_; }

 private:
  std::unique_ptr<Buffer> buffer_;
  Activation view_;
};

// One thread at a time. Memory grows to that of the largest batch; after that, only SetAspect with a new
// aspect ratio allocates.
class Network {
 public:
  // `backend` outlives the network; `weights` may go once it is made.
  Network(const ModelConfig& config, const WeightSource& weights, Backend& backend);

  const ModelConfig& config() const { return config_; }

  // Decoder::SetAspect: the aspect ratio of the images before resizing, for the windows that follow. Not
  // between BeginDecode and FinishDecode.
  void SetAspect(double width_over_height) { decoder_.SetAspect(width_over_height); }

  // Empty tokens for Encode to fill; keep and reuse them.
  FrameTokens MakeTokens() const;

  // out[i] = the tokens of frames[i], whatever else is in the batch.
  void Encode(std::span<const EncoderInput> frames, std::span<FrameTokens* const> out);

  // `frames` holds the K frames of each window, window after window; `values` [windows, (K − 1)·m] receives
  // the head's raw outputs. Waits for the result.
  void Decode(std::span<const FrameTokens* const> frames, std::span<float> values);

  // Decode in two halves: between them, Encode may be called for frames that are not in these windows, and a
  // backend on a device works on both.
  void BeginDecode(std::span<const FrameTokens* const> frames);
  void FinishDecode(std::span<float> values);

  // Raw outputs to estimates: K − 1 of each window, window after window.
  std::vector<PairEstimate> Interpret(std::span<const float> values) const;

  int64_t values_per_window() const { return decoder_.values_per_window(); }

 private:
  const ModelConfig config_;
  Backend& backend_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<LinearWeights> input_;  // from the encoder's width to the decoder's, where they differ
  Decoder decoder_;
  std::vector<Activation> views_;
  std::vector<FrameTokens> encoded_;
  std::unique_ptr<Buffer> values_;  // of the windows that are being decoded
  size_t values_capacity_ = 0;
};

}  // namespace calfvo
