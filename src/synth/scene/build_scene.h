// SPDX-License-Identifier: Apache-2.0
// From a kind and a seed to a scene. The same code runs on the host and on the GPU, one thread per scene; it
// uses no operation whose result differs between the two as long as neither fuses multiplications with
// additions, so that the scenes are equal bit by bit.
#pragma once

#include "synth/scene/kind_aerial.h"
#include "synth/scene/kind_hall.h"
#include "synth/scene/kind_room.h"
#include "synth/scene/kind_street.h"
#include "synth/scene/kind_terrain.h"
#include "synth/scene/kind_warehouse.h"
#include "synth/scene/make_terrain.h"

namespace calfvo::synth {

// Primitives, materials, movers and light on the terrain that is there, without the hierarchy.
CALFVO_HD void FillScene(SceneKind kind, SceneBuilder& builder) {
  builder.scene().kind = kind;
  switch (kind) {
    case SceneKind::kRoom:
      return BuildRoom(builder);
    case SceneKind::kCorridor:
      return BuildCorridor(builder);
    case SceneKind::kWarehouse:
      return BuildWarehouse(builder);
    case SceneKind::kHall:
      return BuildHall(builder);
    case SceneKind::kStreet:
      return BuildStreet(builder);
    case SceneKind::kTerrain:
      return BuildTerrainScene(builder);
    case SceneKind::kAerialCity:
      return BuildAerialCity(builder);
    case SceneKind::kAerialFields:
      return BuildAerialFields(builder);
  }
}

// Fills every field of `scene` that later code reads. Takes about 100 µs on a CPU core.
CALFVO_HD void BuildScene(SceneKind kind, uint64_t seed, Scene& scene, BvhScratch& scratch) {
  MakeTerrain(PlanTerrain(kind, seed), scene.terrain);
  SceneBuilder builder(scene, seed);
  FillScene(kind, builder);
  builder.CountStatic();
  BuildBvh(scene, scratch);
}

}  // namespace calfvo::synth
