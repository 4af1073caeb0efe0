// SPDX-License-Identifier: Apache-2.0
// What lies over the 3-D view: legend of runs, colour scale, scale bar.
import * as THREE from "three";
import { colorScale } from "../scene/run_layer.ts";
import type { View3d } from "../scene/view3d.ts";
import type { State } from "../state.ts";
import { cssGradient } from "./colormap.ts";
import { element, setText } from "./dom.ts";
import { metres, roundDown, trim } from "./format.ts";
import type { ThemeChoice } from "./theme.ts";

export function addOverlay(container: HTMLElement, state: State, view: View3d, theme: ThemeChoice): void {
  const legend = element("ul", { class: "legend" });
  const bar = element("div", { class: "color-bar" });
  bar.style.background = cssGradient();
  const low = element("span");
  const high = element("span");
  const what = element("span", { class: "what" });
  const scale = element("div", { class: "color-scale" }, what, element("div", { class: "row" }, low, bar, high));
  const ruler = element("div", { class: "ruler" });
  const rulerText = element("span");
  const axes = element("span", { class: "axes" }, element("b", { class: "x" }, "x"), " right ", element("b", { class: "y" }, "y"), " ahead ", element("b", { class: "z" }, "z"), " up");
  container.append(
    element("div", { class: "overlay bottom-left" }, legend),
    element("div", { class: "overlay bottom-right" }, scale, element("div", { class: "scale-bar" }, axes, rulerText, ruler)),
  );

  const showLegend = () => {
    legend.replaceChildren();
    const css = (color: number) => `#${new THREE.Color(color).getHexString()}`;
    const add = (color: number, text: string, note: string, kind: string, onClick?: () => void) => {
      const swatch = element("i", { class: kind });
      swatch.style.borderColor = css(color);
      const entry = element("button", { type: "button", title: onClick ? "show this run in the plots" : note }, swatch, element("span", {}, text), element("small", {}, note));
      if (onClick) entry.addEventListener("click", onClick);
      else entry.disabled = true;
      const item = element("li", {}, entry);
      legend.append(item);
      return item;
    };
    state.runs.forEach((run, i) => {
      const rmse = run.aligned && Number.isFinite(run.aligned.rmse) ? `APE ${metres(run.aligned.rmse)}` : "";
      const item = add(view.runColor(i), run.data.title, rmse, "solid", () => state.setActive(i));
      item.classList.toggle("active", i === state.active && state.runs.length > 1);
      if (state.runs.length > 1) {
        const box = element("input", { type: "checkbox", title: "visible", "aria-label": `${run.data.title} visible` });
        box.checked = run.visible;
        box.addEventListener("change", () => {
          run.visible = box.checked;
          state.emit("settings");
        });
        item.prepend(box);
      }
    });
    const run = state.run;
    if (run?.data.network && state.settings.network) add(theme.palette.network, "before refinement", "", "solid");
    if (run?.data.truth && state.settings.truth) {
      const s = run.aligned ? run.aligned.truthFromEstimate.scale : 1;
      add(theme.palette.truth, "ground truth", state.settings.align === "sim3" ? `scale ${trim(s, 4)}` : "", "dashed");
    }
    if (run?.data.loops && state.settings.loops) add(theme.palette.loops, "loop closures", String(run.data.loops.length / 2), "solid");
  };
  const showScale = () => {
    const run = state.run;
    const { values, range } = run ? colorScale(run, state.settings) : { values: null, range: [0, 1] };
    scale.hidden = values === null;
    const texts = {
      sigma: ["σ of the relative pose", metres(range[0], 2), metres(range[1], 2)],
      speed: ["speed", `${trim(range[0], 2)}`, `${trim(range[1], 2)} m/s`],
      error: ["position error", metres(range[0], 2), metres(range[1], 2)],
      plain: ["", "", ""],
    }[state.settings.color];
    setText(what, texts[0]);
    setText(low, texts[1]);
    setText(high, texts[2]);
  };
  const showRuler = () => {
    const { camera, controls, canvas } = view.stage;
    const perPixel = (2 * controls.distance * Math.tan((camera.fov * Math.PI) / 360)) / Math.max(1, canvas.clientHeight);
    const length = roundDown(perPixel * 110);
    ruler.style.width = `${length / perPixel}px`;
    setText(rulerText, `${metres(length, 1)} · grid ${metres(view.ground.step, 1)}`);
  };
  state.on(["runs", "settings", "data"], () => {
    showLegend();
    showScale();
  });
  theme.onChange(showLegend);
  view.stage.beforeDraw(showRuler);
}
