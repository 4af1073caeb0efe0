// SPDX-License-Identifier: Apache-2.0
// Poses of the moving objects of a scene during one frame.
#pragma once

#include "core/portable/noise.h"
#include "synth/scene/scene.h"

namespace calfvo::synth {

// The exact offset of a mover at a time.
CALFVO_HD Vec3 MoverOffset(const Mover& mover, float time_s) {
  float sine = 0.0F;
  float cosine = 0.0F;
  float sine_at_start = 0.0F;
  SinCos(mover.rate * time_s + mover.phase, sine, cosine);
  SinCos(mover.phase, sine_at_start, cosine);
  return mover.velocity * time_s + mover.swing * (sine - sine_at_start);
}

inline constexpr float kMoverFar = 1e30F;

struct alignas(16) MoverState {
  Vec3 offset;  // at the time of the frame
  float unused0 = 0.0F;
  Vec3 velocity;  // within the frame a mover goes straight on
  float unused1 = 0.0F;
};

// All movers of a scene around the time of a frame. Offsets within half a frame of `dt` seconds are linear.
struct MoverTable {
  Node bounds;  // of everything that moves, over the whole exposure; its count is that of the movers
  Node boxes[kMaxMovers];  // of each, likewise; primitives as in Mover::box
  MoverState states[kMaxMovers];

  CALFVO_HD Vec3 OffsetAt(int mover, float dt) const {
    const MoverState state = Load(states[mover]);
    return state.offset + state.velocity * dt;
  }
};

CALFVO_HD MoverState StateOf(const Mover& mover, float time_s) {
  constexpr float kStep = 1.0F / 256;
  const Vec3 here = MoverOffset(mover, time_s);
  MoverState state;
  state.offset = here;
  state.velocity = (MoverOffset(mover, time_s + kStep) - MoverOffset(mover, time_s - kStep)) * (0.5F / kStep);
  return state;
}

// Fills a mover's part of a table. `reach_s` is the longest |dt| that will be asked for.
CALFVO_HD void FillMover(const Scene& scene, int mover, float time_s, float reach_s, MoverTable& table) {
  const MoverState state = StateOf(scene.movers[mover], time_s);
  const Vec3 move = state.velocity * reach_s;
  Node box = scene.movers[mover].box;
  box.low = box.low + state.offset + Min(move, -move);
  box.high = box.high + state.offset + Max(move, -move);
  table.states[mover] = state;
  table.boxes[mover] = box;
}

// Completes a table of which all movers are filled.
CALFVO_HD void BoundMovers(const Scene& scene, MoverTable& table) {
  Vec3 low{kMoverFar, kMoverFar, kMoverFar};
  Vec3 high = -low;
  for (int i = 0; i < scene.mover_count; ++i) {
    low = Min(low, table.boxes[i].low);
    high = Max(high, table.boxes[i].high);
  }
  table.bounds.low = low;
  table.bounds.high = high;
  table.bounds.count = scene.mover_count;
}

CALFVO_HD void FillMovers(const Scene& scene, float time_s, float reach_s, MoverTable& table) {
  for (int i = 0; i < scene.mover_count; ++i) FillMover(scene, i, time_s, reach_s, table);
  BoundMovers(scene, table);
}

}  // namespace calfvo::synth
