// SPDX-License-Identifier: Apache-2.0
// The kinds of camera motion that can be generated.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace calfvo::motion {

enum class MotionKind {
  kHandheld,      // someone filming with a phone or sensor in the hand, as 7-Scenes
  kHeadMounted,   // glasses or a rig carried about briskly, as TUM-VI
  kVehicle,       // a car in town and on main roads, as KITTI
  kDrone,         // slow inspection flight, as EuRoC
  kFastDrone,     // first-person racing flight, as UZH-FPV
  kFreeFlying,    // a simulated camera free in all axes, as TartanAir
  kWalking,       // a steady walk with the camera looking ahead
  kStatic,        // a tripod that trembles a little
  kPureRotation,  // turning on the spot
};
inline constexpr int kMotionKindCount = 9;

// Names for options and files, in the order of the enumeration.
inline constexpr std::array<std::string_view, kMotionKindCount> kMotionKindNames = {
    "handheld",    "head-mounted", "vehicle", "drone",        "fast-drone",
    "free-flying", "walking",      "static",  "pure-rotation"};

constexpr std::string_view MotionKindName(MotionKind kind) {
  return kMotionKindNames[static_cast<size_t>(kind)];
}

constexpr std::optional<MotionKind> MotionKindFromName(std::string_view name) {
  for (size_t i = 0; i < kMotionKindNames.size(); ++i) {
    if (kMotionKindNames[i] == name) return static_cast<MotionKind>(i);
  }
  return std::nullopt;
}

}  // namespace calfvo::motion
