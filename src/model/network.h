// SPDX-License-Identifier: Apache-2.0
// The whole network on one backend.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "model/decoder.h"
#include "model/encoder.h"
#include "model/head.h"
#include "weights/model_config.h"
#include "weights/weight_source.h"

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

// One thread at a time. Needs no more memory than its largest batch so far; after that, nothing
// is allocated but by SetAspect with another shape.
class Network {
 public:
  // `backend` outlives the network; `weights` may go once it is made.
  Network(const ModelConfig& config, const WeightSource& weights, Backend& backend);

  const ModelConfig& config() const { return config_; }

  // The shape of the pictures before they were squashed, for the windows that follow: Decoder::SetAspect. Not
  // between BeginDecode and FinishDecode.
  void SetAspect(double width_over_height) { decoder_.SetAspect(width_over_height); }

  // Empty tokens for Encode to fill; keep and reuse them.
  FrameTokens MakeTokens() const;

  // out[i] = the tokens of frames[i], whatever else is in the batch.
  void Encode(std::span<const FrameImages> frames, std::span<FrameTokens* const> out);

  // `frames` holds the K frames of each window, window after window; `values` [windows, (K − 1)·m] receives
  // the head's raw outputs. Waits for the result.
  void Decode(std::span<const FrameTokens* const> frames, std::span<float> values);

  // Decode in two halves: between them, Encode may be called for frames that are not in these windows, and a
  // backend on a device works on both.
  void BeginDecode(std::span<const FrameTokens* const> frames);
  void FinishDecode(std::span<float> values);

  // The estimates that are in raw outputs: K − 1 of each window, window after window.
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
