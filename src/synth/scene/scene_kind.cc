// SPDX-License-Identifier: Apache-2.0
#include "synth/scene/scene_kind.h"

#include <array>
#include <string>

#include "calfvo/error.h"
#include "synth/scene/build_scene.h"

namespace calfvo {
namespace {

constexpr std::array<std::string_view, kSceneKindCount> kNames = {
    "room", "corridor", "warehouse", "hall", "street", "terrain", "aerial-city", "aerial-fields"};

}  // namespace

std::string_view SceneKindName(SceneKind kind) {
  return kNames.at(static_cast<size_t>(kind));
}

SceneKind SceneKindFromName(std::string_view name) {
  std::string all;
  for (int i = 0; i < kSceneKindCount; ++i) {
    if (kNames[i] == name) return static_cast<SceneKind>(i);
    all += (i == 0 ? "" : ", ") + std::string(kNames[i]);
  }
  throw Error("unknown scene kind '" + std::string(name) + "'; known are " + all);
}

std::unique_ptr<synth::Scene> MakeScene(SceneKind kind, uint64_t seed) {
  auto scene = std::make_unique<synth::Scene>();
  auto scratch = std::make_unique<synth::BvhScratch>();
  synth::BuildScene(kind, seed, *scene, *scratch);
  return scene;
}

}  // namespace calfvo
