// SPDX-License-Identifier: Apache-2.0
// The page's state in the address: #t=12.5&view=top&color=speed&run=1, so that a link shows the same moment.
import type { ColorBy, State, ViewMode } from "./state.ts";

const VIEWS: ViewMode[] = ["orbit", "follow", "top"];
const COLORS: ColorBy[] = ["sigma", "speed", "error", "plain"];

export function readUrl(state: State): void {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const run = Number(parameters.get("run") ?? 0);
  if (Number.isInteger(run)) state.setActive(run);
  const view = VIEWS.find((name) => name === parameters.get("view"));
  if (view) state.set("view", view);
  const color = COLORS.find((name) => name === parameters.get("color"));
  if (color) state.set("color", color);
  const time = Number(parameters.get("t") ?? NaN);
  if (Number.isFinite(time)) state.setTime(time);
}

export function hashOf(state: State): string {
  const parameters = new URLSearchParams({ t: String(Number(state.time.toFixed(3))) });
  if (state.settings.view !== "orbit") parameters.set("view", state.settings.view);
  if (state.settings.color !== "sigma") parameters.set("color", state.settings.color);
  if (state.active !== 0) parameters.set("run", String(state.active));
  return `#${parameters}`;
}

// Keeps the address current, at most three times a second: browsers refuse more.
export function keepUrl(state: State): void {
  let timer = 0;
  let written = location.hash;
  const write = () => {
    timer = 0;
    written = hashOf(state);
    history.replaceState(null, "", written);
  };
  state.on(["time", "settings", "runs"], () => {
    if (timer === 0) timer = window.setTimeout(write, 350);
  });
  window.addEventListener("hashchange", () => {
    if (location.hash !== written) readUrl(state);
  });
}
