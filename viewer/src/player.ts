// SPDX-License-Identifier: Apache-2.0
// Moves the time cursor while playing. `advance` is called once per drawn frame.
import type { State } from "./state.ts";

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16];

export function advance(state: State, seconds: number): void {
  if (!state.playing) return;
  // A tab that was in the background must not jump.
  const next = state.time + Math.min(seconds, 0.25) * state.speed;
  state.setTime(next);
  if (next >= state.duration) state.setPlaying(false);
}

export function changeSpeed(state: State, steps: number): void {
  const index = SPEEDS.indexOf(state.speed);
  state.setSpeed(SPEEDS[Math.min(Math.max(0, index + steps), SPEEDS.length - 1)]);
}
