// SPDX-License-Identifier: Apache-2.0
// The settings of the 3-D view.
import type { Settings, State } from "../state.ts";
import { element } from "./dom.ts";

type Choice = readonly [value: string, label: string];

export function addControls(container: HTMLElement, state: State): void {
  const fields: { node: HTMLElement; update: () => void }[] = [];
  const select = (name: "view" | "color" | "ellipsoids" | "align", label: string, choices: readonly Choice[], has: () => boolean) => {
    const input = element("select", { "aria-label": label }, ...choices.map(([value, text]) => element("option", { value }, text)));
    input.addEventListener("change", () => {
      const value = name === "ellipsoids" ? Number(input.value) : input.value;
      state.set(name, value as Settings[typeof name]);
    });
    const node = element("label", {}, element("span", {}, label), input);
    fields.push({ node, update: () => {
      input.value = String(state.settings[name]);
      node.hidden = !has();
    } });
  };
  const check = (name: "truth" | "network" | "points" | "loops" | "grid", label: string, has: () => boolean) => {
    const input = element("input", { type: "checkbox" });
    input.addEventListener("change", () => state.set(name, input.checked));
    const node = element("label", { class: "check" }, input, label);
    fields.push({ node, update: () => {
      input.checked = state.settings[name];
      node.hidden = !has();
    } });
  };
  const any = (test: (run: State["runs"][number]) => unknown) => () => state.runs.some((run) => Boolean(test(run)));
  const hasConfidence = any((run) => run.data.poses.hasConfidence || run.data.live);
  const hasTruth = any((run) => run.data.truth);
  select("view", "View", [["orbit", "orbit"], ["follow", "follow"], ["top", "top"]], () => true);
  select("color", "Colour", [["sigma", "σ"], ["speed", "speed"], ["error", "error"], ["plain", "run"]], () => true);
  select("ellipsoids", "Ellipsoids", [["0", "none"], ["1", "1σ"], ["2", "2σ"]], hasConfidence);
  select("align", "Alignment", [["none", "none"], ["origin", "first pose"], ["se3", "SE(3)"], ["sim3", "Sim(3)"]], hasTruth);
  check("truth", "ground truth", hasTruth);
  check("network", "before refinement", any((run) => run.data.network));
  check("points", "map points", any((run) => run.data.points));
  check("loops", "loops", any((run) => run.data.loops));
  check("grid", "grid", () => true);
  const body = element("div", { class: "fields" }, ...fields.map((field) => field.node));
  const details = element("details", { class: "overlay controls" }, element("summary", {}, "Display"), body);
  details.open = window.innerWidth > 720;
  container.append(details);
  const update = () => fields.forEach((field) => field.update());
  state.on(["settings", "runs"], update);
  update();
}
