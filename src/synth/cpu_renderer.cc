// SPDX-License-Identifier: Apache-2.0
#include "synth/cpu_renderer.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "base/thread_pool.h"
#include "calfvo/error.h"
#include "synth/jpeg_blocks.h"
#include "synth/render_pixel.h"

namespace calfvo {
namespace {

using synth::FrameView;
using synth::Hit;
using synth::MoverTable;
using synth::Vec3;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// A frame and the movers at its time; not set when there is no such frame.
struct Neighbour {
  MoverTable movers;
  FrameView view;
  bool exists = false;
};

void SetNeighbour(const FrameView& like, const PosedFrame* frames, int count, int index, float reach_s,
                  Neighbour& neighbour) {
  neighbour.exists = index >= 0 && index < count;
  if (!neighbour.exists) return;
  synth::FillMovers(*like.scene, frames[index].time_s, reach_s, neighbour.movers);
  neighbour.view = like;
  neighbour.view.frame = &frames[index];
  neighbour.view.movers = &neighbour.movers;
}

void StoreMotion(const FrameView& view, const Neighbour& other, int x, int y, const Hit& hit, float* motion) {
  synth::Pixel pixel{kNaN, kNaN};
  if (other.exists) {
    synth::Pixel found;
    if (synth::PixelMotion(view, other.view, static_cast<float>(x), static_cast<float>(y), hit, found)) pixel = found;
  }
  motion[0] = pixel.x;
  motion[1] = pixel.y;
}

}  // namespace

FrameOutputs CpuRenderer::Render(const synth::Scene& scene, const CameraModel& camera, const PosedFrame* frames,
                                 int count, int index, const synth::WindowEffects& effects, uint64_t seed,
                                 const RenderOptions& options) const {
  if (index < 0 || index >= count) {
    throw Error("frame " + std::to_string(index) + " of a sequence of " + std::to_string(count));
  }
  if (options.samples < 1 || options.samples > 8) {
    throw Error("samples is " + std::to_string(options.samples) + "; expected 1 to 8");
  }
  const float reach_s = 0.5F * (effects.readout_s + effects.exposure_s);
  FrameView like;
  like.scene = &scene;
  like.camera = &camera;
  like.effects = &effects;
  like.textures = textures_;
  Neighbour here;
  Neighbour next;
  Neighbour previous;
  SetNeighbour(like, frames, count, index, reach_s, here);
  SetNeighbour(like, frames, count, index + 1, reach_s, next);
  SetNeighbour(like, frames, count, index - 1, reach_s, previous);

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
  const int samples = effects.samples > 0 ? effects.samples : options.samples;
  const float gain = synth::FrameGain(effects, index);
  const auto noise_seed = static_cast<uint32_t>(portable::Mix(seed + static_cast<uint64_t>(index) * 977U));

  threads_.ParallelFor(camera.height, [&](int64_t row) {
    const int y = static_cast<int>(row);
    for (int x = 0; x < camera.width; ++x) {
      const size_t i = static_cast<size_t>(y) * static_cast<size_t>(camera.width) + static_cast<size_t>(x);
      const Vec3 light = synth::PixelLight(here.view, x, y, samples);
      const synth::Rgb8 color =
          synth::Develop(effects, light, gain, x, y, camera.width, camera.height, noise_seed);
      out.rgb[3 * i] = color.r;
      out.rgb[3 * i + 1] = color.g;
      out.rgb[3 * i + 2] = color.b;
      if (out.depth.empty()) continue;
      Hit hit;
      const float depth = synth::PixelDepth(here.view, static_cast<float>(x), static_cast<float>(y), hit);
      out.depth[i] = depth < synth::kFar ? depth : std::numeric_limits<float>::infinity();
      out.primitive[i] = hit.primitive;
      if (!options.motion) continue;
      StoreMotion(here.view, next, x, y, hit, &out.motion_to_next[2 * i]);
      StoreMotion(here.view, previous, x, y, hit, &out.motion_to_previous[2 * i]);
    }
  });
  if (effects.jpeg_quality > 0) {
    ApplyJpeg(out.rgb.data(), camera.width, camera.height, effects.jpeg_quality, threads_);
  }
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

std::vector<float> MotionOfCells(const std::vector<float>& motion, int width, int height, int cell) {
  const int rows = height / cell;
  const int columns = width / cell;
  std::vector<float> cells(static_cast<size_t>(rows) * columns * 2);
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      const int x1 = i * cell + cell / 2;
      const int y1 = j * cell + cell / 2;
      const int x0 = cell % 2 == 0 ? x1 - 1 : x1;
      const int y0 = cell % 2 == 0 ? y1 - 1 : y1;
      for (int k = 0; k < 2; ++k) {
        const auto at = [&](int x, int y) { return motion[2 * (static_cast<size_t>(y) * width + x) + k]; };
        cells[2 * (static_cast<size_t>(j) * columns + i) + k] =
            0.25F * (at(x0, y0) + at(x1, y0) + at(x0, y1) + at(x1, y1));
      }
    }
  }
  return cells;
}

}  // namespace calfvo
