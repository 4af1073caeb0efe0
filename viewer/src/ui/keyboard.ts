// SPDX-License-Identifier: Apache-2.0
// Keyboard shortcuts, and the dialog that lists them.
import { changeSpeed } from "../player.ts";
import type { State } from "../state.ts";
import { button, element } from "./dom.ts";

export interface Shortcut {
  keys: string[]; // KeyboardEvent.key
  shown: string;
  text: string;
  run: () => void;
}

export function shortcuts(state: State, actions: { measure: () => void; screenshot: () => void; theme: () => void; help: () => void; home: () => void }): Shortcut[] {
  const next = <T>(values: readonly T[], value: T): T => values[(values.indexOf(value) + 1) % values.length];
  return [
    { keys: [" "], shown: "Space", text: "play or pause", run: () => state.setPlaying(!state.playing) },
    { keys: ["ArrowRight", "."], shown: "→", text: "next frame", run: () => state.step(1) },
    { keys: ["ArrowLeft", ","], shown: "←", text: "previous frame", run: () => state.step(-1) },
    { keys: ["PageDown"], shown: "Page ↓", text: "30 frames ahead", run: () => state.step(30) },
    { keys: ["PageUp"], shown: "Page ↑", text: "30 frames back", run: () => state.step(-30) },
    { keys: ["Home"], shown: "Home", text: "first frame", run: () => state.setTime(0) },
    { keys: ["End"], shown: "End", text: "last frame", run: () => state.setTime(state.duration) },
    { keys: ["["], shown: "[", text: "slower", run: () => changeSpeed(state, -1) },
    { keys: ["]"], shown: "]", text: "faster", run: () => changeSpeed(state, 1) },
    { keys: ["1"], shown: "1", text: "orbit view", run: () => state.set("view", "orbit") },
    { keys: ["2"], shown: "2", text: "follow the camera", run: () => state.set("view", "follow") },
    { keys: ["3"], shown: "3", text: "top view", run: () => state.set("view", "top") },
    { keys: ["f", "0"], shown: "f", text: "fit the path into the view", run: actions.home },
    { keys: ["c"], shown: "c", text: "colour by σ, speed, error, run", run: () => state.set("color", next(["sigma", "speed", "error", "plain"] as const, state.settings.color)) },
    { keys: ["e"], shown: "e", text: "ellipsoids: none, 1σ, 2σ", run: () => state.set("ellipsoids", next([0, 1, 2] as const, state.settings.ellipsoids)) },
    { keys: ["a"], shown: "a", text: "alignment of the ground truth", run: () => state.set("align", next(["none", "origin", "se3", "sim3"] as const, state.settings.align)) },
    { keys: ["g"], shown: "g", text: "grid", run: () => state.set("grid", !state.settings.grid) },
    { keys: ["r"], shown: "r", text: "next run", run: () => state.setActive((state.active + 1) % Math.max(1, state.runs.length)) },
    { keys: ["m"], shown: "m", text: "measure", run: actions.measure },
    { keys: ["p"], shown: "p", text: "save a screenshot", run: actions.screenshot },
    { keys: ["d"], shown: "d", text: "light or dark", run: actions.theme },
    { keys: ["?"], shown: "?", text: "this list", run: actions.help },
  ];
}

export function listen(list: Shortcut[]): void {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (document.querySelector("dialog[open]") && event.key !== "?") return;
    const takesKeys = target.tagName === "SELECT" || (target.tagName === "BUTTON" && event.key === " ");
    if (takesKeys) return;
    const shortcut = list.find((entry) => entry.keys.includes(event.key));
    if (!shortcut) return;
    event.preventDefault();
    shortcut.run();
  });
}

export function helpDialog(list: () => Shortcut[]): () => void {
  const dialog = element("dialog", { class: "help" });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return () => {
    if (dialog.open) return dialog.close();
    const rows = list().flatMap(({ shown, text }) => [element("dt", {}, element("kbd", {}, shown)), element("dd", {}, text)]);
    dialog.replaceChildren(
      element("h2", {}, "Shortcuts"),
      element("dl", {}, ...rows),
      element("p", {}, "3-D view: drag to orbit, right drag or two fingers to pan, wheel to zoom. Plots: drag to scrub, wheel to zoom, double click for all. Hatched: damaged (crossed), dropped (falling) or uncertain frames (rising, σ over three times the median)."),
      button("Close", "close", () => dialog.close()),
    );
    if (!dialog.isConnected) document.body.append(dialog);
    dialog.showModal();
  };
}
