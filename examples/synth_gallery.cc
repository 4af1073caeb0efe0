// SPDX-License-Identifier: Apache-2.0
// Draws a contact sheet of every kind of scene:
//   synth_gallery FILE.png [SEED]
// docs/images/synth-gallery.png was made with no seed, which takes one chosen for each kind.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/base/thread_pool.h"
#include "eval/plot/canvas.h"
#include "synth/clip/clip.h"

namespace {

using calfvo::SceneKind;
using calfvo::motion::MotionKind;

constexpr int kWidth = 256;  // of one image
constexpr int kHeight = 192;
constexpr int kColumns = 4;
constexpr int kGap = 8;
constexpr int kCaption = 20;

struct Shot {
  SceneKind scene;
  MotionKind motion;
  uint64_t seed;
};

constexpr std::array kShots = {
    Shot{SceneKind::kRoom, MotionKind::kHandheld, 7},
    Shot{SceneKind::kCorridor, MotionKind::kWalking, 9},
    Shot{SceneKind::kWarehouse, MotionKind::kDrone, 8},
    Shot{SceneKind::kHall, MotionKind::kWalking, 4},
    Shot{SceneKind::kStreet, MotionKind::kVehicle, 7},
    Shot{SceneKind::kTerrain, MotionKind::kDrone, 4},
    Shot{SceneKind::kAerialCity, MotionKind::kDrone, 7},
    Shot{SceneKind::kAerialFields, MotionKind::kDrone, 7},
};

std::vector<uint8_t> Render(const Shot& shot, calfvo::ThreadPool& threads) {
  calfvo::ClipOptions options;
  options.scene = shot.scene;
  options.motion = shot.motion;
  options.seed = shot.seed;
  options.frames = 1;
  options.width = kWidth;
  options.height = kHeight;
  options.samples = 8;
  options.sensor.max_focal_over_width = 0.65F;
  std::vector<uint8_t> rgb = calfvo::Clip(options, threads).Next()->image.rgb;
  // Fewer shades make a smaller file.
  for (uint8_t& value : rgb) value = static_cast<uint8_t>(std::min(255, (value + 3) / 6 * 6));
  return rgb;
}

void Run(const std::string& path, const char* seed) {
  const int rows = (static_cast<int>(kShots.size()) + kColumns - 1) / kColumns;
  const int width = kColumns * (kWidth + kGap) + kGap;
  const int height = rows * (kHeight + kCaption + kGap) + kGap;
  calfvo::Canvas canvas(calfvo::Canvas::Format::kPng, width, height);
  calfvo::ThreadPool threads;
  for (size_t i = 0; i < kShots.size(); ++i) {
    Shot shot = kShots[i];
    if (seed != nullptr) shot.seed = std::strtoull(seed, nullptr, 10);
    const double left = kGap + static_cast<int>(i) % kColumns * (kWidth + kGap);
    const double top = kGap + static_cast<int>(i) / kColumns * (kHeight + kCaption + kGap);
    canvas.Image({left, top},
                 {kWidth, kHeight, calfvo::PixelFormat::kRgb8, Render(shot, threads).data(), 3 * kWidth});
    canvas.Text({left + kWidth / 2.0, top + kHeight + kCaption - 5.0}, calfvo::SceneKindName(shot.scene),
                {.size = 12.0, .anchor = calfvo::TextAnchor::kMiddle});
  }
  calfvo::WriteFileAtomically(path, canvas.Finish());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: synth_gallery FILE.png [SEED]\n");
    return 2;
  }
  try {
    Run(argv[1], argc == 3 ? argv[2] : nullptr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
