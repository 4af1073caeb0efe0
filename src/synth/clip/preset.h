// SPDX-License-Identifier: Apache-2.0
// Presets: ClipOptions in TOML files.
//
//   description = "What a phone sees"   # for `calfvo synth --list`
//   fps = 30                            # or 29.97, or "30000/1001"
//   width = 640
//   height = 480
//   frames = 150
//   samples = 2                         # rays per pixel
//
//   [scenes]                            # weights; kinds that are not named get none
//   room = 3
//   street = 1
//
//   [motions.room]                      # the same for the motions in one kind of scene
//   handheld = 1
//
//   [camera]                            # SensorOptions, and square_pixels
//   [effects]                           # EffectsOptions
//   [recorded]                          # RealSegmentOptions, for --trajectories
//
// Every key may be left out; what it leaves out keeps the default of ClipOptions.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "synth/clip/clip_options.h"

namespace calfvo {

struct Preset {
  std::string description;
  ClipOptions options;
};

// Strict: unknown keys, wrong types and values out of range throw Error naming `file`, line and key.
Preset ParsePreset(std::string_view text, const std::string& file);

// From a file of at most 1 MB.
Preset ReadPreset(const std::filesystem::path& path);

}  // namespace calfvo
