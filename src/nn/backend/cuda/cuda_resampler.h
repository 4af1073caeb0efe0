// SPDX-License-Identifier: Apache-2.0
// Images resampled on the GPU.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "nn/backend/cuda/device_memory.h"
#include "nn/backend/image_resampler.h"

namespace calfvo::cuda {

// Of an image only the part that is used goes to the GPU, in bands of rows through two pinned buffers: while
// one is copied, the other is filled. So memory grows with the sides of the largest image, not with its
// area.
class CudaResampler final : public ImageResampler {
 public:
  // `normalised` as Backend::MakeImageResampler takes it. All work goes to `stream`; `made` is recorded
  // after each image. Both outlive this.
  CudaResampler(std::span<const float> normalised, const CudaStream& stream, const CudaEvent& made);
  ~CudaResampler() override;

  void SetAxes(const portable::ResampleAxis& along_x, const portable::ResampleAxis& along_y) override;
  void Run(const uint8_t* rgb, ptrdiff_t stride, float* out) override;

 private:
  // Device memory that grows to the most that was asked for.
  class Room {
   public:
    // What was there before is gone; nothing may be using it.
    void Grow(size_t bytes);
    std::byte* data() const { return buffer_->data(); }

   private:
    std::unique_ptr<DeviceBuffer> buffer_;
    size_t bytes_ = 0;
  };
  struct Band {
    explicit Band(size_t bytes) : pinned(bytes) {}
    PinnedBuffer pinned;
    CudaEvent copied;
  };

  size_t AppendTable(const portable::ResampleAxis& axis, int32_t first_used);
  portable::ResampleAxis OnDevice(const portable::ResampleAxis& axis, size_t table) const;

  const CudaStream& stream_;
  const CudaEvent& made_;
  const DeviceBuffer normalised_;
  Band bands_[2];
  size_t next_band_ = 0;
  DeviceBuffer band_rows_;
  std::vector<int32_t> tables_;  // of both axes: windows, which count from the first used pixel, and weights
  Room device_tables_;
  Room resampled_rows_;                       // [used rows, width, 3]
  portable::ResampleAxis along_x_, along_y_;  // of the GPU
  portable::ResampleWindow used_columns_, used_rows_;
};

}  // namespace calfvo::cuda
