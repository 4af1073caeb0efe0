// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/cuda/cuda_resampler.h"

#include <algorithm>
#include <cstring>

#include "nn/backend/cuda/cuda_check.h"
#include "nn/backend/cuda/kernels.h"

namespace calfvo::cuda {
namespace {

constexpr size_t kBandBytes = size_t{2} << 20;  // ten rows or more of the widest image

size_t RowBytes(int pixels) {
  return static_cast<size_t>(pixels) * 3;
}

}  // namespace

CudaResampler::CudaResampler(std::span<const float> normalised, const CudaStream& stream,
                             const CudaEvent& made)
    : stream_(stream),
      made_(made),
      normalised_(std::as_bytes(normalised)),
      bands_{Band(kBandBytes), Band(kBandBytes)},
      band_rows_(kBandBytes) {}

CudaResampler::~CudaResampler() {
  static_cast<void>(cudaStreamSynchronize(stream_.get()));
}

void CudaResampler::Room::Grow(size_t bytes) {
  if (bytes <= bytes_) return;
  buffer_.reset();
  bytes_ = 0;
  buffer_ = std::make_unique<DeviceBuffer>(bytes);
  bytes_ = bytes;
}

void CudaResampler::SetAxes(const portable::ResampleAxis& along_x, const portable::ResampleAxis& along_y) {
  used_columns_ = portable::UsedPixels(along_x);
  used_rows_ = portable::UsedPixels(along_y);
  tables_.clear();
  const size_t table_x = AppendTable(along_x, used_columns_.first);
  const size_t table_y = AppendTable(along_y, used_rows_.first);
  stream_.Wait();  // images before may still need the old tables
  const std::span<const std::byte> tables = std::as_bytes(std::span(tables_));
  device_tables_.Grow(tables.size());
  resampled_rows_.Grow(static_cast<size_t>(used_rows_.count) * RowBytes(along_x.size));
  CheckCuda(cudaMemcpyAsync(device_tables_.data(), tables.data(), tables.size(), cudaMemcpyHostToDevice,
                            stream_.get()),
            "copying weights of pixels");
  stream_.Wait();
  along_x_ = OnDevice(along_x, table_x);
  along_y_ = OnDevice(along_y, table_y);
}

// Returns where in `tables_` it begins.
size_t CudaResampler::AppendTable(const portable::ResampleAxis& axis, int32_t first_used) {
  const size_t begin = tables_.size();
  for (const auto& window : std::span(axis.windows, static_cast<size_t>(axis.size))) {
    tables_.push_back(window.first - first_used);
    tables_.push_back(window.count);
  }
  tables_.insert(tables_.end(), axis.weights, axis.weights + ptrdiff_t{axis.size} * axis.taps);
  return begin;
}

portable::ResampleAxis CudaResampler::OnDevice(const portable::ResampleAxis& axis, size_t table) const {
  static_assert(sizeof(portable::ResampleWindow) == 2 * sizeof(int32_t));
  const auto* begin = reinterpret_cast<const int32_t*>(device_tables_.data()) + table;
  return {axis.size, axis.taps, reinterpret_cast<const portable::ResampleWindow*>(begin),
          begin + ptrdiff_t{2} * axis.size};
}

void CudaResampler::Run(const uint8_t* rgb, ptrdiff_t stride, float* out) {
  const size_t row_bytes = RowBytes(used_columns_.count);
  const auto rows_per_band = static_cast<int>(kBandBytes / row_bytes);
  auto* const band_rows = reinterpret_cast<uint8_t*>(band_rows_.data());
  auto* const resampled_rows = reinterpret_cast<uint8_t*>(resampled_rows_.data());
  const uint8_t* from = rgb + used_rows_.first * stride + ptrdiff_t{3} * used_columns_.first;
  for (int first = 0; first < used_rows_.count; first += rows_per_band) {
    const int rows = std::min(rows_per_band, used_rows_.count - first);
    Band& band = bands_[next_band_];
    next_band_ = 1 - next_band_;
    band.copied.Wait();
    std::byte* to = band.pinned.data();
    for (int i = 0; i < rows; ++i, from += stride, to += row_bytes) std::memcpy(to, from, row_bytes);
    CheckCuda(cudaMemcpyAsync(band_rows, band.pinned.data(), static_cast<size_t>(rows) * row_bytes,
                              cudaMemcpyHostToDevice, stream_.get()),
              "copying an image");
    band.copied.Record(stream_.get());
    ResampleRows(along_x_, band_rows, rows, static_cast<int64_t>(row_bytes),
                 resampled_rows + static_cast<size_t>(first) * RowBytes(along_x_.size), stream_.get());
  }
  ResampleColumns(along_y_, resampled_rows, along_x_.size, reinterpret_cast<const float*>(normalised_.data()),
                  out, stream_.get());
  made_.Record(stream_.get());
}

}  // namespace calfvo::cuda
