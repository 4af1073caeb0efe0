// SPDX-License-Identifier: Apache-2.0
// The operations that the network is assembled from, and the memory they work on. A backend implements all of
// them; the network (src/model) is written once, in terms of them.
//
// Activations live in one of two roles. The residual stream (Stream) is what layers add to; what goes between
// the operations of a layer is Activation. Each backend chooses the element type of both: f32 and f32, or f32
// and bf16, or bf16 and bf16. Matrices are row-major without padding, but for those with `room`.
//
// One thread at a time may use a backend. Operations may run asynchronously; Synchronize waits for them.
// Results do not depend on the number of threads, nor on the run.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "backend/picture_resampler.h"
#include "tensor/tensor_view.h"

namespace calfvo {

enum class Role { kStream, kActivation };

class LinearWeights;

// Rows come in groups of so many, of which products take whole ones.
inline constexpr int64_t kRowGroup = 16;
inline int64_t WholeRowGroups(int64_t rows) {
  return (rows + kRowGroup - 1) / kRowGroup * kRowGroup;
}
// Rows that a matrix has room for if a backend may choose its order: whole groups, and an odd number of them,
// since columns that are a power of two apart would compete for the same places of a cache.
inline int64_t RoomForRows(int64_t rows) {
  return WholeRowGroups(rows) | kRowGroup;
}

// A borrowed matrix in a backend's memory.
template <Role role>
struct MatrixView {
  std::byte* data = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  size_t element_size = 0;
  // Where not 0, there is memory for so many rows, RoomForRows(rows) of them, and a backend may keep the
  // elements in any order and change what is beyond the rows. Whoever writes and whoever reads a matrix must
  // then be given the same view of it, or Rows of that.
  int64_t room = 0;
  int64_t rows_before = 0;  // in the matrix that these rows are a part of, which `room` is that of
  // Where not null, what is written here, by Linear, LayerNorm or attention, is read by LinearWeights
  // `reader` and nothing else, so that a backend may keep it as that product wants it (in 8 bits, or in
  // tiles).
  const LinearWeights* reader = nullptr;

  // `count` rows from `first` on. `data` is that of a row-major matrix.
  MatrixView Rows(int64_t first, int64_t count) const {
    return {data + static_cast<size_t>(first * cols) * element_size,
            count,
            cols,
            element_size,
            room,
            rows_before + first};
  }
  // The same memory with rows of another length, of which there may be fewer or more.
  MatrixView Reshaped(int64_t new_rows, int64_t new_cols) const {
    return {data, new_rows, new_cols, element_size, new_rows == rows ? room : 0};
  }
  // The same matrix, for one reader.
  MatrixView For(const LinearWeights& only_reader) const {
    MatrixView view = *this;
    view.reader = &only_reader;
    return view;
  }
};
using Stream = MatrixView<Role::kStream>;
using Activation = MatrixView<Role::kActivation>;

// Owned memory of a backend.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::byte* data() = 0;
};

// Weights as a backend keeps them, made once at load.
class LinearWeights {
 public:
  virtual ~LinearWeights() = default;
};
class VectorWeights {  // layer-norm gains, embeddings, tables: f32
 public:
  virtual ~VectorWeights() = default;
};

// Rotary position embedding as cosines and sines. Element `first[j]` of a head is paired with `second[j]`;
// token t (after `skip` tokens without rotation) turns pair j by the angle whose cosine and sine are
// cos[t][j], sin[t][j].
struct Rope {
  std::unique_ptr<VectorWeights> cos;  // [tokens, pairs]
  std::unique_ptr<VectorWeights> sin;
  int pairs = 0;  // head size / 2
  int skip = 0;
  // Pairs come in groups: element g·2·group + j pairs with g·2·group + group + j, for j < group.
  int group = 0;
};

struct NormWeights {
  std::unique_ptr<VectorWeights> gain;
  std::unique_ptr<VectorWeights> bias;
  float epsilon = 0.0F;
};

// The layout of a batch of windows in rows of the decoder's width. Either each frame has a slot for the
// camera token, as [windows, frames, 1 + tokens], or each window has one, as [windows, 1 + frames · tokens].
struct WindowShape {
  int64_t windows = 0;
  int64_t frames = 0;
  int64_t tokens = 0;  // image tokens of a frame
  bool camera_per_frame = true;

  int64_t sequences() const { return camera_per_frame ? windows * frames : windows; }
  int64_t sequence_length() const { return camera_per_frame ? 1 + tokens : 1 + frames * tokens; }
  int64_t rows() const { return sequences() * sequence_length(); }
  int64_t slots() const { return camera_per_frame ? frames : 1; }  // of the camera token, per window
  // The row of the camera token in slot `slot`, and of image token `token` of frame `frame`, of a window.
  int64_t CameraRow(int64_t window, int64_t slot) const {
    return (window * slots() + slot) * sequence_length();
  }
  int64_t TokenRow(int64_t window, int64_t frame, int64_t token) const {
    const int64_t after_camera = camera_per_frame ? 1 + token : 1 + frame * tokens + token;
    return CameraRow(window, camera_per_frame ? frame : 0) + after_camera;
  }
};

// Queues of operations that may run side by side: frames are encoded in one while windows are decoded in the
// other.
enum class Lane { kEncode, kDecode };

// A sequence of operations that is the same every time but for what is in the matrices: who issues it, how
// many rows it works on, and where its matrices are. It is always issued in the same lane.
struct RepeatKey {
  const void* owner = nullptr;
  int64_t rows = 0;
  const std::byte* data = nullptr;
  friend auto operator<=>(const RepeatKey&, const RepeatKey&) = default;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // "ref f32", "cpu bf16 (AMX), 2 threads".
  virtual std::string Description() const = 0;

  // Memory that all backends of this program hold on its kind of device, weights included; 0 for those
  // without one.
  virtual size_t DeviceBytes() const { return 0; }

  virtual size_t ElementSize(Role role) const = 0;
  virtual std::unique_ptr<Buffer> Allocate(size_t bytes) = 0;
  // Host memory that a device reaches quickly.
  virtual std::unique_ptr<Buffer> AllocateHost(size_t bytes) = 0;
  virtual void Synchronize() {}

  // How many frames to put through convolutions at once, and how many make a good batch of a video.
  virtual int64_t convolution_batch() const { return 1; }
  virtual int video_batch() const { return 12; }

  // What follows goes into `lane`, after all that is in the other one so far if that is kEncode: windows need
  // the tokens of their frames. The other way round nothing waits.
  virtual void Enter(Lane /*lane*/) {}
  // Waits for what is in `lane`.
  virtual void Wait(Lane /*lane*/) {}

  // True: the operations of `key` must be issued, then EndRepeat called. False: the backend has repeated them
  // by itself, from what it saw the last time. They may neither wait nor touch host memory. See Repeat.
  virtual bool BeginRepeat(const RepeatKey& /*key*/) { return true; }
  virtual void EndRepeat() {}
  // Instead of EndRepeat, where an operation has failed.
  virtual void AbandonRepeat() {}

  // Between BeginCalibration and EndCalibration, a backend with 8-bit operands works in 16 bits and notes how
  // large they become; others do nothing.
  virtual bool BeginCalibration() { return false; }
  virtual void EndCalibration() {}

  // Between host memory, in f32, and matrices, with a reader if not in 8 bits; for tests and tools, not for
  // the frames of a video.
  virtual void Upload(std::span<const float> values, const Activation& out) = 0;
  virtual void Upload(std::span<const float> values, const Stream& out) = 0;
  virtual void Download(const Activation& x, std::span<float> values) = 0;
  virtual void Download(const Stream& x, std::span<float> values) = 0;

  // Weights [out, in] and bias [out], f32.
  virtual std::unique_ptr<LinearWeights> MakeLinear(const TensorView& weight, const TensorView& bias) = 0;
  virtual std::unique_ptr<VectorWeights> MakeVector(const TensorView& values) = 0;

  // out = x·Wᵀ + b, then GELU if asked.
  virtual void Linear(const Activation& x, const LinearWeights& weights, bool gelu,
                      const Activation& out) = 0;
  // out = x·Wᵀ + b, or out += x·Wᵀ + b.
  virtual void LinearToStream(const Activation& x, const LinearWeights& weights, bool accumulate,
                              const Stream& out) = 0;

  // Row by row; then GELU if asked.
  virtual void LayerNorm(const Stream& x, const NormWeights& weights, bool gelu, const Activation& out) = 0;

  virtual void ToActivation(const Stream& x, const Activation& out) = 0;
  virtual void ToStream(const Activation& x, const Stream& out) = 0;

  // Attention within each of `batch` sequences of qkv.rows / batch tokens; qkv [rows, 3·dim] → out [rows,
  // dim].
  virtual void SpatialAttention(const Activation& qkv, int64_t batch, int heads, const Rope* rope,
                                const Activation& out) = 0;
  // Attention over the frames of a window, at each token but the camera's, whose output is zero. The shape
  // has a camera slot per frame.
  virtual void TemporalAttention(const Activation& qkv, const WindowShape& shape, int heads,
                                 const Activation& out) = 0;

  // Makes pictures on the device, beside everything else; `normalised` [3, 256] is what the bytes of each
  // channel become. The backend outlives it. Null where the host does that (frames/preprocessor.h).
  virtual std::unique_ptr<PictureResampler> MakePictureResampler(std::span<const float> /*normalised*/) {
    return nullptr;
  }
  // Pictures of `floats` values, in host memory or the backend's, one after the other into backend memory;
  // those that a PictureResampler is still making are waited for. They are borrowed until FinishUploads
  // returns.
  virtual void UploadPictures(std::span<const float* const> pictures, size_t floats, float* out) = 0;
  virtual void FinishUploads() {}
  // `count` pictures [3, size, size] in backend memory, one after the other → rows of patches, [count ·
  // size²/patch², 3·patch²] in (channel, y, x) order.
  virtual void Patchify(const float* pictures, int64_t count, int size, int patch, const Activation& out) = 0;
  // Each of `count` pictures in backend memory but the first stacked on the one before it → rows of pixels,
  // [(count − 1) · size², 6].
  virtual void StackPairs(const float* pictures, int64_t count, int size, const Activation& out) = 0;
  // 3×3 neighbourhoods, zero outside, of `count` [height·width, channels] maps → [count ·
  // out_height·out_width, 9·channels], in (y, x, channel) order: a convolution is this and Linear.
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
  // camera [windows, dim] = the first of the camera's slots; and back into every slot.
  virtual void KeepCamera(const Stream& x, const WindowShape& shape, const Stream& camera) = 0;
  virtual void RestoreCamera(const Stream& camera, const WindowShape& shape, const Stream& x) = 0;
  // Every slot of the camera token = the mean of them.
  virtual void MergeCamera(const WindowShape& shape, const Stream& x) = 0;

  // The network's last layer, in f32: values [windows, n] = W·d + b, with W [n, (1 + frames)·dim] and d the
  // camera token (mean of its slots), then each frame's mean over its image tokens. `values` is memory of
  // AllocateHost, and filled once Wait has returned.
  virtual void PoolAndProject(const Stream& x, const WindowShape& shape, const VectorWeights& weight,
                              const VectorWeights& bias, int64_t n, float* values) = 0;
};

// Issues the operations, or has the backend repeat them.
template <typename Operations>
void Repeat(Backend& backend, const RepeatKey& key, const Operations& operations) {
  if (!backend.BeginRepeat(key)) return;
  try {
    operations();
  } catch (...) {
    backend.AbandonRepeat();
    throw;
  }
  backend.EndRepeat();
}

}  // namespace calfvo
