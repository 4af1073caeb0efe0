// SPDX-License-Identifier: Apache-2.0
#include "synth_list.h"

#include <fmt/format.h>

#include "calfvo/error.h"
#include "clip/preset.h"
#include "clip/preset_file.h"

namespace calfvo {
namespace {

std::string_view Summary(SceneKind kind) {
  switch (kind) {
    case SceneKind::kRoom:
      return "a furnished room, or two joined by a doorway";
    case SceneKind::kCorridor:
      return "a passage with doors, pictures and lamps";
    case SceneKind::kWarehouse:
      return "racks with boxes and pallets, and aisles between them";
    case SceneKind::kHall:
      return "a large hall with columns, seats, stands and people";
    case SceneKind::kStreet:
      return "a street with buildings, cars, trees and people";
    case SceneKind::kTerrain:
      return "hills with trees, bushes and rocks";
    case SceneKind::kAerialCity:
      return "a city from 15 to 120 m";
    case SceneKind::kAerialFields:
      return "fields, hedges and farms from 15 to 120 m";
  }
  return "";
}

std::string_view Summary(motion::MotionKind kind) {
  using motion::MotionKind;
  switch (kind) {
    case MotionKind::kHandheld:
      return "someone filming with a phone";
    case MotionKind::kHeadMounted:
      return "glasses or a rig carried about briskly";
    case MotionKind::kVehicle:
      return "a car in town and on main roads";
    case MotionKind::kDrone:
      return "slow inspection flight";
    case MotionKind::kFastDrone:
      return "racing flight";
    case MotionKind::kFreeFlying:
      return "a simulated camera, free in all axes";
    case MotionKind::kWalking:
      return "a steady walk, looking ahead";
    case MotionKind::kStatic:
      return "a tripod that trembles a little";
    case MotionKind::kPureRotation:
      return "turning on the spot";
  }
  return "";
}

// The first line of the description; a broken preset says what is wrong with it.
std::string PresetSummary(const std::string& name, const std::vector<std::filesystem::path>& folders) {
  try {
    return ReadPreset(FindPreset(name, folders)).description;
  } catch (const Error& error) {
    return fmt::format("cannot be used: {}", error.what());
  }
}

}  // namespace

std::string SynthListText(const std::vector<std::filesystem::path>& preset_folders) {
  std::string text = "Scenes (KIND):\n";
  for (int i = 0; i < kSceneKindCount; ++i) {
    const auto kind = static_cast<SceneKind>(i);
    text += fmt::format("  {:<15}{}\n", SceneKindName(kind), Summary(kind));
  }
  text += fmt::format("  {:<15}{}\n\nMotions (--motion):\n", "any", "one of them, drawn from the preset");
  for (int i = 0; i < motion::kMotionKindCount; ++i) {
    const auto kind = static_cast<motion::MotionKind>(i);
    text += fmt::format("  {:<15}{}\n", motion::MotionKindName(kind), Summary(kind));
  }
  text += "\nPresets (--preset):\n";
  for (const std::string& name : PresetNames(preset_folders)) {
    text += fmt::format("  {:<15}{}\n", name, PresetSummary(name, preset_folders));
  }
  return text;
}

}  // namespace calfvo
