// SPDX-License-Identifier: Apache-2.0
// The operations that the network is assembled from. Results do not depend on the number of threads and are
// the same in every run.
#pragma once

#include <cstdint>
#include <span>

#include "nn/backend/matrix_view.h"
#include "nn/backend/weights.h"
#include "nn/backend/window_shape.h"

namespace calfvo {

class TensorOps {
 public:
  virtual ~TensorOps() = default;

  // out = x·Wᵀ + b, then GELU if `gelu`.
  virtual void Linear(const Activation& x, const LinearWeights& weights, bool gelu,
                      const Activation& out) = 0;
  // out = x·Wᵀ + b, or out += x·Wᵀ + b.
  virtual void LinearToStream(const Activation& x, const LinearWeights& weights, bool accumulate,
                              const Stream& out) = 0;
  // Normalises each row, then GELU if `gelu`.
  virtual void LayerNorm(const Stream& x, const NormWeights& weights, bool gelu, const Activation& out) = 0;
  virtual void ToActivation(const Stream& x, const Activation& out) = 0;
  virtual void ToStream(const Activation& x, const Stream& out) = 0;

  // Attention within each of `batch` sequences of qkv.rows / batch tokens; qkv [rows, 3·dim] → out [rows,
  // dim].
  virtual void SpatialAttention(const Activation& qkv, int64_t batch, int heads, const Rope* rope,
                                const Activation& out) = 0;
  // Attention over the frames of a window at each image token; zero at camera tokens. `shape` has a camera
  // slot per frame.
  virtual void TemporalAttention(const Activation& qkv, const WindowShape& shape, int heads,
                                 const Activation& out) = 0;

  // `count` images [3, size, size] in backend memory, one after the other → rows of patches, [count ·
  // size²/patch², 3·patch²] in (channel, y, x) order.
  virtual void Patchify(const float* images, int64_t count, int size, int patch, const Activation& out) = 0;
  // Each of `count` images in backend memory but the first, stacked on the one before it → rows of pixels,
  // [(count − 1) · size², 6].
  virtual void StackPairs(const float* images, int64_t count, int size, const Activation& out) = 0;
  // 3×3 neighbourhoods, zero outside, of `count` maps [height·width, channels] → [count ·
  // out_height·out_width, 9·channels] in (y, x, channel) order. A convolution is this and Linear.
  virtual void Neighbourhoods(const Activation& maps, int64_t count, int height, int width, int stride,
                              const Activation& out) = 0;

  // out [prefix + tokens, dim] = [prefix; patches + positions]; `prefix` and `positions` may be null.
  virtual void AddPrefix(const Stream& patches, const VectorWeights* prefix, int64_t prefix_rows,
                         const VectorWeights* positions, const Stream& out) = 0;
  // Rows of window `window` of `out`: the camera token in its slots, and tokens + positions[n] + times[k] of
  // each frame k.
  virtual void AssembleWindow(std::span<const Activation> frames, const VectorWeights& camera,
                              const VectorWeights& positions, const VectorWeights& times,
                              const WindowShape& shape, int64_t window, const Stream& out) = 0;
  // camera [windows, dim] = the first slot of the camera token; and back into every slot.
  virtual void KeepCamera(const Stream& x, const WindowShape& shape, const Stream& camera) = 0;
  virtual void RestoreCamera(const Stream& camera, const WindowShape& shape, const Stream& x) = 0;
  // Every slot of the camera token = the mean over its slots.
  virtual void MergeCamera(const WindowShape& shape, const Stream& x) = 0;

  // The network's last layer, in f32: values [windows, n] = W·d + b, with W [n, (1 + frames)·dim] and d the
  // camera token (mean of its slots), then each frame's mean over its image tokens. `values` is memory of
  // AllocateHost, filled once Wait has returned.
  virtual void PoolAndProject(const Stream& x, const WindowShape& shape, const VectorWeights& weight,
                              const VectorWeights& bias, int64_t n, float* values) = 0;

  // Between BeginCalibration and EndCalibration, a backend with 8-bit operands computes in 16 bits and
  // records their ranges. False: nothing to calibrate.
  virtual bool BeginCalibration() { return false; }
  virtual void EndCalibration() {}
};

}  // namespace calfvo
