// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/preset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/atomic_file.h"
#include "core/base/testing.h"
#include "synth/clip/option_fields.h"
#include "synth/clip/preset_file.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

template <typename Options>
void ExpectEqualFields(std::span<const FloatField<Options>> fields, const Options& a, const Options& b) {
  for (const auto& field : fields) EXPECT_EQ(a.*field.member, b.*field.member) << field.name;
}

Preset Shipped(const std::string& name) {
  return ReadPreset(std::filesystem::path(CALFVO_PRESETS) / (name + ".toml"));
}

TEST(Preset, ShippedOnesAreValidAndDescribed) {
  const auto names = PresetNames({CALFVO_PRESETS});
  EXPECT_THAT(names, testing::ElementsAre("clean", "driving", "drone", "hard", "phone", "training"));
  for (const std::string& name : names) {
    const Preset preset = Shipped(name);
    EXPECT_FALSE(preset.description.empty()) << name;
    preset.options.Validate();
  }
}

TEST(Preset, CleanIsTheDefault) {
  const ClipOptions clean = Shipped("clean").options;
  const ClipOptions defaults;
  EXPECT_EQ(clean.frames, defaults.frames);
  EXPECT_EQ(clean.width, defaults.width);
  EXPECT_EQ(clean.height, defaults.height);
  EXPECT_EQ(clean.rate, defaults.rate);
  EXPECT_EQ(clean.samples, defaults.samples);
  EXPECT_EQ(clean.square_pixels, defaults.square_pixels);
  EXPECT_EQ(clean.scene_weights, defaults.scene_weights);
  EXPECT_EQ(clean.motion_weights, defaults.motion_weights);
  ExpectEqualFields(SensorFields(), clean.sensor, defaults.sensor);
  ExpectEqualFields(EffectFields(), clean.effects, EffectsOptions::None());
}

TEST(Preset, TrainingHasTheEffectsAndCamerasOfTraining) {
  const ClipOptions training = Shipped("training").options;
  ExpectEqualFields(EffectFields(), training.effects, EffectsOptions::Training());
  ExpectEqualFields(SensorFields(), training.sensor, SensorOptions());
  EXPECT_EQ(training.effects.blur_samples, EffectsOptions::Training().blur_samples);
}

TEST(Preset, ReadsEveryKindOfKey) {
  const Preset preset = ParsePreset(R"(
description = "a test"
fps = "30000/1001"
frames = 7
[scenes]
hall = 2
street = 0.5
[motions.hall]
drone = 1
[camera]
max_barrel = 0
square_pixels = false
[effects]
blur_samples = 3
max_noise = 12
[recorded]
min_rate = 1.5
)",
                                    "x.toml");
  EXPECT_EQ(preset.description, "a test");
  EXPECT_EQ(preset.options.rate, (FrameRate{30000, 1001}));
  EXPECT_EQ(preset.options.frames, 7);
  EXPECT_EQ(preset.options.scene_weights, (SceneWeights{0, 0, 0, 2, 0.5F, 0, 0, 0}));
  EXPECT_EQ(preset.options.motion_weights[3], (MotionWeights{0, 0, 0, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(preset.options.motion_weights[0], UsualMotions(SceneKind::kRoom));
  EXPECT_FALSE(preset.options.square_pixels);
  EXPECT_EQ(preset.options.effects.blur_samples, 3);
  EXPECT_EQ(preset.options.effects.max_noise, 12.0F);
  EXPECT_EQ(preset.options.segments.min_rate, 1.5F);
  EXPECT_EQ(ParsePreset("fps = 29.97", "x").options.rate, (FrameRate{2997, 100}));
  EXPECT_EQ(ParsePreset("", "x").options.frames, ClipOptions().frames);
}

TEST(Preset, RefusesWithFileLineAndKey) {
  const auto message = [](const std::string& text) {
    return ErrorFrom([&] { ParsePreset(text, "x.toml"); });
  };
  EXPECT_EQ(
      message("frames = 3\nfarmes = 4\n"),
      "x.toml:2: farmes: unknown key; did you mean 'frames'? known are camera, description, effects, fps, "
      "frames, height, motions, recorded, samples, scenes, width");
  EXPECT_THAT(message("[effects]\nnoise = 1"), HasSubstr("x.toml:2: effects.noise: unknown key; known are "));
  EXPECT_THAT(message("[scenes]\nroom = 1\ncastle = 1"), HasSubstr("x.toml:3: scenes.castle: unknown key"));
  EXPECT_THAT(message("[motions.room]\nswim = 1"), HasSubstr("x.toml:2: motions.room.swim: unknown key"));
  EXPECT_THAT(message("[motions.castle]\n"), HasSubstr("x.toml:1: motions.castle: unknown key"));
  EXPECT_EQ(message("frames = \"many\""), "x.toml:1: frames: is a string; expected a whole number");
  EXPECT_EQ(message("frames = 1.5"), "x.toml:1: frames: is a number; expected a whole number");
  EXPECT_EQ(message("\nscenes = [1]"), "x.toml:2: scenes: is an array; expected a table");
  EXPECT_EQ(message("description = 1979-05-27"),
            "x.toml:1: description: is a date or time; expected a string");
  EXPECT_EQ(message("[camera]\nsquare_pixels = 1"),
            "x.toml:2: camera.square_pixels: is a whole number; expected true or false");
  EXPECT_EQ(message("[effects]\nmax_noise = true"),
            "x.toml:2: effects.max_noise: is true or false; expected a number");
  EXPECT_EQ(message("frames = 0"), "x.toml:1: frames: is 0; expected 1 to 10000000");
  EXPECT_THAT(message("frames = 9223372036854775807"),
              HasSubstr("x.toml:1: frames: is 9223372036854775807; expected "));
  EXPECT_EQ(message("[camera]\nmin_focal_over_width = 1e-9"),
            "x.toml:2: camera.min_focal_over_width: is 1e-09; expected 0.2 to 10");
  EXPECT_THAT(message("\n\nfps = 0"), HasSubstr("x.toml:3: fps: frame rate '0' is not a number like 30"));
  EXPECT_THAT(message("[effects]\nmax_noise = 1000"), HasSubstr("x.toml:2: effects.max_noise: is 1000"));
  EXPECT_THAT(message("[effects]\nmax_noise = nan"), HasSubstr("x.toml:2: effects.max_noise: is nan"));
  EXPECT_THAT(message("[effects]\nblur_samples = 99"), HasSubstr("x.toml:2: effects.blur_samples: is 99"));
  // The other end of a range that became empty.
  EXPECT_THAT(message("[camera]\nmin_focal_over_width = 1.2"),
              HasSubstr("x.toml:1: camera.max_focal_over_width: is 1"));
  EXPECT_THAT(message("[scenes]\nroom = -1"),
              HasSubstr("x.toml:2: scenes.room: is -1; expected 0 to 1000000"));
  EXPECT_EQ(message("[scenes]\nroom = 0"), "x.toml:1: scenes: all weights are zero; expected one above zero");
  EXPECT_THAT(message("frames = "), HasSubstr("x.toml:1: "));
  EXPECT_THAT(message("frames = 1\nframes = 2"), HasSubstr("x.toml:2: "));
  EXPECT_THAT(message(std::string(5000, '[')), HasSubstr("x.toml:1: "));
}

TEST(Preset, FilesThatAreNone) {
  const TempFolder folder;
  EXPECT_THAT(ErrorFrom([&] { ReadPreset(folder.path()); }),
              HasSubstr("is a folder; a preset file was expected"));
  EXPECT_THAT(ErrorFrom([&] { ReadPreset(folder.path() / "none.toml"); }),
              HasSubstr("none.toml: cannot open"));
  WriteFileAtomically(folder.path() / "big.toml", std::string(2'000'000, '#'));
  EXPECT_THAT(ErrorFrom([&] { ReadPreset(folder.path() / "big.toml"); }),
              HasSubstr("is larger than 1000000 bytes"));
}

TEST(FindPreset, LooksBesideTheProgramAndAboveIt) {
  const TempFolder folder;
  MakeFolder(folder.path() / "share/calfvo/synth");
  MakeFolder(folder.path() / "configs/synth");
  WriteFileAtomically(folder.path() / "share/calfvo/synth/a.toml", "");
  WriteFileAtomically(folder.path() / "configs/synth/a.toml", "");
  WriteFileAtomically(folder.path() / "configs/synth/b.toml", "");
  const auto installed = PresetFolders(folder.path() / "bin" / "calfvo");
  EXPECT_EQ(FindPreset("a", installed), folder.path() / "share/calfvo/synth/a.toml");
  EXPECT_EQ(FindPreset("b", installed), folder.path() / "configs/synth/b.toml");
  const auto built = PresetFolders(folder.path() / "build/dev/calfvo");
  EXPECT_EQ(FindPreset("b", built), folder.path() / "configs/synth/b.toml");
  EXPECT_EQ(FindPreset("mine.toml", built), "mine.toml");
  EXPECT_EQ(FindPreset("./mine", built), "./mine");
  EXPECT_THAT(ErrorFrom([&] { FindPreset("c", {folder.path() / "configs/synth"}); }),
              HasSubstr("unknown preset 'c'; known are a, b, or a .toml file"));
  EXPECT_THAT(ErrorFrom([&] { FindPreset("c", {}); }), HasSubstr("no presets were found"));
}

}  // namespace
}  // namespace calfvo
