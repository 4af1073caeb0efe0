// SPDX-License-Identifier: Apache-2.0
// Title, numbers of the active run, progress of a live one, and buttons.
import type { Run, State } from "../state.ts";
import { button, element, setText } from "./dom.ts";
import { clock, metres, trim } from "./format.ts";

export interface HeaderActions {
  measure: () => void;
  screenshot: () => void;
  theme: () => void;
  help: () => void;
}

function numbersOf(run: Run): string[] {
  const { data, series, aligned } = run;
  const poses = data.poses;
  if (poses.count === 0) return ["waiting for the first poses"];
  const numbers = [`${data.document.frames ?? poses.count} frames`, poses.duration < 60 ? `${trim(poses.duration)} s` : `${clock(poses.duration).split(".")[0]} min`, `path ${metres(series.length[poses.count - 1])}`];
  if (poses.hasConfidence) numbers.push(`end ± ${metres(series.sigmaPosition[poses.count - 1], 2)}`);
  if (aligned && Number.isFinite(aligned.rmse)) numbers.push(`APE ${metres(aligned.rmse)} rmse`);
  const evaluation = data.document.eval;
  if (evaluation?.t_rel !== undefined && evaluation.r_rel !== undefined) numbers.push(`t_rel ${metres(evaluation.t_rel)}`, `r_rel ${trim(evaluation.r_rel)}°`);
  const camera = data.document.camera;
  if (camera) numbers.push(`focal ${trim(camera.focal_px, 4)}${camera.focal_sigma_px > 0 ? ` ± ${trim(camera.focal_sigma_px, 2)}` : ""} px (${camera.origin})`);
  if (data.points) numbers.push(`${data.points.total.toLocaleString("en")} points`);
  if (data.document.stride && data.document.stride > 1) numbers.push(`every ${data.document.stride}th pose`);
  return numbers;
}

export function addHeader(container: HTMLElement, state: State, actions: HeaderActions): void {
  const title = element("h1");
  const numbers = element("p", { class: "numbers" });
  const status = element("span", { class: "status" });
  const progress = element("progress", { max: "1", "aria-label": "progress of the run" });
  const live = element("div", { class: "live", hidden: true }, status, progress);
  container.append(
    element("div", { class: "brand" }, "calfvo"),
    element("div", { class: "titles" }, title, numbers),
    live,
    element("nav", {},
      button("Measure", "measure the distance between two points (m)", actions.measure),
      button("Screenshot", "save the 3-D view as PNG (p)", actions.screenshot),
      button("◐", "light or dark (d)", actions.theme),
      button("?", "keyboard shortcuts (?)", actions.help)),
  );
  const show = () => {
    const run = state.run;
    setText(title, run ? run.data.title : "calfvo");
    title.title = run?.data.document.source ?? "";
    document.title = run ? `${run.data.title} – calfvo` : "calfvo";
    numbers.replaceChildren(...(run ? numbersOf(run).map((text) => element("span", {}, text)) : []));
  };
  const showLive = () => {
    live.hidden = state.live === null;
    if (!state.live) return;
    const { frames, total, rate, done, message } = state.live;
    const speed = rate > 0 ? ` · ${trim(rate, 3)} frames/s` : "";
    setText(status, message || `${done ? "complete" : "live"} · ${frames}${total ? ` of ${total}` : ""} frames${done ? "" : speed}`);
    live.classList.toggle("done", done);
    if (total) progress.value = Math.min(1, frames / total);
    else progress.removeAttribute("value");
    progress.hidden = done;
  };
  state.on(["runs", "data", "settings"], show);
  state.on(["live"], showLive);
  show();
}
