// SPDX-License-Identifier: Apache-2.0
#include "synth/render/cpu_renderer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "calfvo/error.h"
#include "core/base/thread_pool.h"
#include "synth/render/jpeg_blocks.h"
#include "synth/render/render_pixel.h"

namespace calfvo {
namespace {

using synth::FrameView;
using synth::Hit;
using synth::MoverTable;
using synth::Vec3;

constexpr int kMaxSamples = 8;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// A frame and the movers at its time; not set without such a frame.
struct Moment {
  MoverTable movers;
  FrameView view;
  bool exists = false;
};

// A frame of a sequence with the one before and the one after.
struct Moments {
  Moments(const synth::Scene& scene, const CameraModel& camera, const PosedFrame* frames, int count,
          int index, const synth::WindowEffects& effects, synth::TextureView textures) {
    if (index < 0 || index >= count) {
      throw Error("frame " + std::to_string(index) + " of a sequence of " + std::to_string(count));
    }
    const float reach_s = 0.5F * (effects.readout_s + effects.exposure_s);
    const auto set = [&](int i, Moment& moment) {
      moment.exists = i >= 0 && i < count;
      if (!moment.exists) return;
      synth::FillMovers(scene, frames[i].time_s, reach_s, moment.movers);
      moment.view = {&scene, &moment.movers, &camera, &frames[i], &effects, textures};
    };
    set(index - 1, previous);
    set(index, here);
    set(index + 1, next);
  }
  Moments(const Moments&) = delete;  // views point into it
  Moments& operator=(const Moments&) = delete;

  Moment previous;
  Moment here;
  Moment next;
};

// A square of an image, whose rays share their candidates.
class ImageTile {
 public:
  static constexpr int kSide = 8;

  ImageTile(const FrameView& view, int left, int top, int samples)
      : view_(view),
        left_(left),
        top_(top),
        right_(std::min(left + kSide, view.camera->width)),
        bottom_(std::min(top + kSide, view.camera->height)),
        samples_(samples) {
    synth::RayBounds bounds{synth::SampleOrigins(view, top_, bottom_ - 1), {}};
    size_t at = 0;
    for (int y = top_; y < bottom_; ++y) {
      for (int x = left_; x < right_; ++x) {
        for (int i = 0; i < samples_; ++i, ++at) {
          rays_[at] = synth::SampleAt(view, x, y, i, samples_);
          synth::Include(rays_[at].ray.direction, bounds.directions);
        }
      }
    }
    synth::FindCandidates(*view.scene, *view.movers, bounds, candidates_);
    TraceAll();
  }

  // Calls body(x, y, light) for each of its pixels.
  template <typename Body>
  void ForEachPixel(const Body& body) const {
    size_t at = 0;
    for (int y = top_; y < bottom_; ++y) {
      for (int x = left_; x < right_; ++x) {
        synth::PixelSum sum;
        for (int i = 0; i < samples_; ++i, ++at) {
          const synth::Sample& sample = rays_[at];
          const auto is_hidden = [&](const synth::Ray& shadow, float distance) {
            return synth::IsHiddenAmong(shadow_candidates_, *view_.scene, *view_.movers, sample.dt, shadow,
                                        distance);
          };
          synth::AddSample(view_, sample, hits_[at], is_hidden, sum);
        }
        body(x, y, sum.light * (1.0F / static_cast<float>(samples_)));
      }
    }
  }

 private:
  // Finds what the rays meet, and what may hide that from the light.
  void TraceAll() {
    synth::Box points;
    const size_t pixels = static_cast<size_t>(right_ - left_) * static_cast<size_t>(bottom_ - top_);
    size_t at = 0;
    for (size_t pixel = 0; pixel < pixels; ++pixel) {
      int shadow_of = synth::kNothing;
      for (int i = 0; i < samples_; ++i, ++at) {
        const synth::Sample& sample = rays_[at];
        hits_[at] = synth::TraceAmong(candidates_, *view_.scene, *view_.movers, sample.dt, sample.ray);
        synth::IncludeShadowed(sample, hits_[at], shadow_of, points);
      }
    }
    synth::FindCandidates(*view_.scene, *view_.movers, synth::ShadowBounds(view_.scene->light, points),
                          shadow_candidates_);
  }

  const FrameView& view_;
  int left_, top_, right_, bottom_;
  int samples_;
  std::array<synth::Sample, static_cast<size_t>(kSide* kSide* kMaxSamples)> rays_;  // row by row
  std::array<Hit, static_cast<size_t>(kSide* kSide* kMaxSamples)> hits_;
  synth::Candidates candidates_;
  synth::Candidates shadow_candidates_;
};

float Depth(const FrameView& view, synth::Pixel at, Hit& hit) {
  const float depth = synth::PixelDepth(view, at.x, at.y, hit);
  return depth < synth::kFar ? depth : std::numeric_limits<float>::infinity();
}

void StoreMotion(const FrameView& view, const Moment& other, synth::Pixel at, const Hit& hit, float* motion) {
  synth::Pixel found;
  const bool known = other.exists && synth::PixelMotion(view, other.view, at.x, at.y, hit, found);
  motion[0] = known ? found.x : kNaN;
  motion[1] = known ? found.y : kNaN;
}

}  // namespace

FrameOutputs CpuRenderer::Render(const synth::Scene& scene, const CameraModel& camera,
                                 const PosedFrame* frames, int count, int index,
                                 const synth::WindowEffects& effects, uint64_t seed,
                                 const RenderOptions& options) const {
  const int samples = effects.samples > 0 ? effects.samples : options.samples;
  if (samples < 1 || samples > kMaxSamples) {
    throw Error("samples is " + std::to_string(samples) + "; expected 1 to 8");
  }
  const Moments moments(scene, camera, frames, count, index, effects, textures_);
  const FrameView& view = moments.here.view;
  const size_t pixels = static_cast<size_t>(camera.width) * static_cast<size_t>(camera.height);
  FrameOutputs out;
  out.width = camera.width;
  out.height = camera.height;
  out.rgb.resize(3 * pixels);
  if (options.depth || options.motion) {
    out.depth.resize(pixels);
    out.primitive.resize(pixels);
  }
  if (options.motion) {
    out.motion_to_next.resize(2 * pixels);
    out.motion_to_previous.resize(2 * pixels);
  }
  const float gain = synth::FrameGain(effects, index);
  const auto noise_seed = static_cast<uint32_t>(portable::Mix(seed + static_cast<uint64_t>(index) * 977U));

  constexpr int kSide = ImageTile::kSide;
  threads_.ParallelFor((camera.height + kSide - 1) / kSide, [&](int64_t tile_row) {
    for (int left = 0; left < camera.width; left += kSide) {
      const ImageTile tile(view, left, static_cast<int>(tile_row) * kSide, samples);
      tile.ForEachPixel([&](int x, int y, const Vec3& light) {
        const size_t i = static_cast<size_t>(y) * static_cast<size_t>(camera.width) + static_cast<size_t>(x);
        const synth::Rgb8 color =
            synth::Develop(effects, light, gain, x, y, camera.width, camera.height, noise_seed);
        synth::Store(color, &out.rgb[3 * i]);
        if (out.depth.empty()) return;
        const synth::Pixel at{static_cast<float>(x), static_cast<float>(y)};
        Hit hit;
        out.depth[i] = Depth(view, at, hit);
        out.primitive[i] = hit.primitive;
        if (!options.motion) return;
        StoreMotion(view, moments.next, at, hit, &out.motion_to_next[2 * i]);
        StoreMotion(view, moments.previous, at, hit, &out.motion_to_previous[2 * i]);
      });
    }
  });
  if (effects.sharpness != 0.0F) {
    const std::vector<uint8_t> rendered = out.rgb;
    threads_.ParallelFor(camera.height, [&](int64_t row) {
      for (int x = 0; x < camera.width; ++x) {
        const synth::Rgb8 color = synth::Sharpened(rendered.data(), x, static_cast<int>(row), camera.width,
                                                   camera.height, effects.sharpness);
        synth::Store(color, &out.rgb[3 * (static_cast<size_t>(row) * static_cast<size_t>(camera.width) +
                                          static_cast<size_t>(x))]);
      }
    });
  }
  if (effects.jpeg_quality > 0) {
    ApplyJpeg(out.rgb.data(), camera.width, camera.height, effects.jpeg_quality, threads_);
  }
  return out;
}

void CpuRenderer::Meter(const synth::Scene& scene, const CameraModel& camera, const PosedFrame& first,
                        synth::WindowEffects& effects) const {
  if (effects.target <= 0.0F) return;
  const Moments moments(scene, camera, &first, 1, 0, effects, textures_);
  float sum = 0.0F;
  for (int i = 0; i < synth::kMeterPlaces; ++i) sum += synth::MeterAt(moments.here.view, i);
  synth::SetExposure(sum / synth::kMeterPlaces, effects);
}

CellOutputs CpuRenderer::RenderCells(const synth::Scene& scene, const CameraModel& camera,
                                     const PosedFrame* frames, int count, int index,
                                     const synth::WindowEffects& effects, int cell) const {
  if (cell < 1) throw Error("cell is " + std::to_string(cell) + "; expected at least 1");
  const Moments moments(scene, camera, frames, count, index, effects, textures_);
  CellOutputs out;
  out.columns = camera.width / cell;
  out.rows = camera.height / cell;
  const size_t cells = static_cast<size_t>(out.columns) * static_cast<size_t>(out.rows);
  out.depth.resize(cells);
  out.motion_to_next.resize(2 * cells);
  out.motion_to_previous.resize(2 * cells);
  threads_.ParallelFor(out.rows, [&](int64_t row) {
    for (int column = 0; column < out.columns; ++column) {
      const size_t i =
          static_cast<size_t>(row) * static_cast<size_t>(out.columns) + static_cast<size_t>(column);
      const synth::Pixel at = synth::CellMiddle(column, static_cast<int>(row), cell);
      Hit hit;
      out.depth[i] = Depth(moments.here.view, at, hit);
      StoreMotion(moments.here.view, moments.next, at, hit, &out.motion_to_next[2 * i]);
      StoreMotion(moments.here.view, moments.previous, at, hit, &out.motion_to_previous[2 * i]);
    }
  });
  return out;
}

void ApplyJpeg(uint8_t* rgb, int width, int height, int quality, ThreadPool& threads) {
  std::array<std::array<float, 8>, 8> basis;  // [frequency][place]
  for (int u = 0; u < 8; ++u) {
    for (int x = 0; x < 8; ++x) basis[u][x] = synth::CosineBasis(x, u);
  }
  const int rows = (height + 7) / 8;
  const int columns = (width + 7) / 8;
  threads.ParallelFor(rows, [&](int64_t block_row) {
    for (int block = 0; block < columns; ++block) {
      float plane[3][64];
      // Blocks over the border repeat the last pixel, as encoders do.
      const auto at = [&](int i) {
        const int x = std::min(8 * block + (i & 7), width - 1);
        const int y = std::min(8 * static_cast<int>(block_row) + (i >> 3), height - 1);
        return rgb + 3 * (static_cast<ptrdiff_t>(y) * width + x);
      };
      for (int i = 0; i < 64; ++i) {
        const uint8_t* p = at(i);
        const Vec3 c = synth::ToLumaChroma(
            {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
        plane[0][i] = c.x - 128.0F;
        plane[1][i] = c.y;
        plane[2][i] = c.z;
      }
      for (int channel = 0; channel < 3; ++channel) {
        float* values = plane[channel];
        float half[64];
        for (int i = 0; i < 64; ++i) {
          half[i] = 0.0F;
          for (int x = 0; x < 8; ++x) half[i] += basis[i & 7][x] * values[(i & 56) + x];
        }
        float spectrum[64];
        for (int i = 0; i < 64; ++i) {
          float sum = 0.0F;
          for (int y = 0; y < 8; ++y) sum += basis[i >> 3][y] * half[8 * y + (i & 7)];
          spectrum[i] = synth::Quantize(sum, i, channel, quality);
        }
        for (int i = 0; i < 64; ++i) {
          half[i] = 0.0F;
          for (int u = 0; u < 8; ++u) half[i] += basis[u][i & 7] * spectrum[(i & 56) + u];
        }
        for (int i = 0; i < 64; ++i) {
          values[i] = 0.0F;
          for (int v = 0; v < 8; ++v) values[i] += basis[v][i >> 3] * half[8 * v + (i & 7)];
        }
      }
      for (int i = 0; i < 64; ++i) {
        if (8 * block + (i & 7) >= width || 8 * static_cast<int>(block_row) + (i >> 3) >= height) continue;
        const Vec3 c = synth::FromLumaChroma({plane[0][i] + 128.0F, plane[1][i], plane[2][i]});
        uint8_t* p = at(i);
        p[0] = synth::ToByte(c.x);
        p[1] = synth::ToByte(c.y);
        p[2] = synth::ToByte(c.z);
      }
    }
  });
}

}  // namespace calfvo
