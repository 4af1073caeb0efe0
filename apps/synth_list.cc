// SPDX-License-Identifier: Apache-2.0
#include "synth_list.h"

#include <fmt/format.h>

#include "calfvo/error.h"
#include "core/base/quoted.h"
#include "synth/clip/preset.h"
#include "synth/clip/preset_file.h"

namespace calfvo {
namespace {

std::string_view Summary(SceneKind kind) {
  switch (kind) {
    case SceneKind::kRoom:
      return "a furnished room, or two joined by a doorway";
    case SceneKind::kCorridor:
      return "a passage with doors, posters and lamps";
    case SceneKind::kWarehouse:
      return "racks with boxes and pallets, and aisles between them";
    case SceneKind::kHall:
      return "a large hall with columns, seats, stands and people";
    case SceneKind::kStreet:
      return "a street with buildings, cars, trees and people";
    case SceneKind::kTerrain:
      return "hills with trees, bushes and rocks";
    case SceneKind::kAerialCity:
      return "a city seen from 15 to 120 m above ground";
    case SceneKind::kAerialFields:
      return "fields, hedges and farms seen from 15 to 120 m above ground";
  }
  return "";
}

std::string_view Summary(motion::MotionKind kind) {
  using motion::MotionKind;
  switch (kind) {
    case MotionKind::kHandheld:
      return "a phone in the hand";
    case MotionKind::kHeadMounted:
      return "head-mounted camera or carried rig, brisk";
    case MotionKind::kVehicle:
      return "a car in town and on main roads";
    case MotionKind::kDrone:
      return "slow inspection flight of a drone";
    case MotionKind::kFastDrone:
      return "racing flight of a drone";
    case MotionKind::kFreeFlying:
      return "a simulated camera, free in all six axes";
    case MotionKind::kWalking:
      return "a steady walk, looking ahead";
    case MotionKind::kStatic:
      return "a tripod with slight vibration";
    case MotionKind::kPureRotation:
      return "rotation without translation";
  }
  return "";
}

// The description, or why the preset cannot be read.
std::string PresetSummary(const std::string& name, const std::vector<std::filesystem::path>& folders) {
  try {
    return ReadPreset(FindPreset(name, folders)).description;
  } catch (const Error& error) {
    return fmt::format("cannot be read: {}", error.what());
  }
}

}  // namespace

std::string SynthListText(const std::vector<std::filesystem::path>& preset_folders) {
  std::string text = "Scenes (KIND):\n";
  for (int i = 0; i < kSceneKindCount; ++i) {
    const auto kind = static_cast<SceneKind>(i);
    text += fmt::format("  {:<15}{}\n", SceneKindName(kind), Summary(kind));
  }
  text += fmt::format("  {:<15}{}\n\nMotions (--motion):\n", "any", "one of these, drawn from the preset");
  for (int i = 0; i < motion::kMotionKindCount; ++i) {
    const auto kind = static_cast<motion::MotionKind>(i);
    text += fmt::format("  {:<15}{}\n", motion::MotionKindName(kind), Summary(kind));
  }
  text += "\nPresets (--preset):\n";
  for (const std::string& name : PresetNames(preset_folders)) {
    text += fmt::format("  {:<15}{}\n", Printable(name), Printable(PresetSummary(name, preset_folders)));
  }
  return text;
}

}  // namespace calfvo
