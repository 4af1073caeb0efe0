// SPDX-License-Identifier: Apache-2.0
// Heights of the scenes that have terrain. They come first, so that everything else can be put on the ground;
// rows are independent, so that the GPU can share them out.
#pragma once

#include "core/portable/noise.h"
#include "core/portable/random.h"
#include "synth/scene/scene.h"

namespace calfvo::synth {

// What the heights are drawn from; size 0 for kinds on flat ground. Metres.
struct TerrainPlan {
  float size = 0.0F;
  float relief = 0.0F;
  float wavelength = 1.0F;
  uint32_t seed = 0;
};

CALFVO_HD TerrainPlan PlanTerrain(SceneKind kind, uint64_t seed) {
  portable::Random random = portable::Random(seed).Fork(1);
  const float relief = random.Uniform();
  const float wavelength = random.Uniform();
  const uint32_t bits = random.Bits();
  if (kind == SceneKind::kTerrain) return {180.0F, 1.0F + 21.0F * relief, 30.0F + 40.0F * wavelength, bits};
  if (kind == SceneKind::kAerialFields)
    return {480.0F, 0.5F + 17.5F * relief, 100.0F + 100.0F * wavelength, bits};
  return {};
}

// Row j of the heights: three octaves of noise.
CALFVO_HD void MakeTerrainRow(const TerrainPlan& plan, Terrain& terrain, int j) {
  const float step = plan.size / static_cast<float>(kTerrainSamples - 1) / plan.wavelength;
  for (int i = 0; i < kTerrainSamples; ++i) {
    const float x = static_cast<float>(i) * step;
    const float y = static_cast<float>(j) * step;
    const float h = ValueNoise(x, y, plan.seed) + 0.4F * ValueNoise(2.3F * x, 2.3F * y, plan.seed + 1) +
                    0.15F * ValueNoise(5.1F * x, 5.1F * y, plan.seed + 2) - 0.77F;
    terrain.heights[j * kTerrainSamples + i] = plan.relief * h;
  }
}

struct TerrainRange {
  float low = 1e9F;
  float high = -1e9F;
  float steepest = 0.0F;  // metres between neighbouring samples
};

CALFVO_HD TerrainRange MeasureTerrainRow(const Terrain& terrain, int j) {
  TerrainRange range;
  for (int i = 0; i < kTerrainSamples; ++i) {
    const float* h = terrain.heights + j * kTerrainSamples + i;
    range.low = Min(range.low, h[0]);
    range.high = Max(range.high, h[0]);
    if (i + 1 < kTerrainSamples) range.steepest = Max(range.steepest, fabsf(h[1] - h[0]));
    if (j + 1 < kTerrainSamples) range.steepest = Max(range.steepest, fabsf(h[kTerrainSamples] - h[0]));
  }
  return range;
}

CALFVO_HD TerrainRange Join(TerrainRange a, TerrainRange b) {
  return {Min(a.low, b.low), Max(a.high, b.high), Max(a.steepest, b.steepest)};
}

CALFVO_HD void FinishTerrain(const TerrainPlan& plan, const TerrainRange& range, Terrain& terrain) {
  terrain.size = plan.size;
  terrain.low = range.low;
  terrain.high = range.high;
  // Across a cell the slopes along both axes add up at most.
  terrain.slope = 1.42F * range.steepest * static_cast<float>(kTerrainSamples - 1) / plan.size;
}

// All of it, by one thread.
CALFVO_HD void MakeTerrain(const TerrainPlan& plan, Terrain& terrain) {
  terrain.size = terrain.low = terrain.high = terrain.slope = 0.0F;
  if (plan.size <= 0.0F) return;
  for (int j = 0; j < kTerrainSamples; ++j) MakeTerrainRow(plan, terrain, j);
  TerrainRange range;
  for (int j = 0; j < kTerrainSamples; ++j) range = Join(range, MeasureTerrainRow(terrain, j));
  FinishTerrain(plan, range, terrain);
}

}  // namespace calfvo::synth
