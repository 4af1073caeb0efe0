// SPDX-License-Identifier: Apache-2.0
// Play, step, speed, and a slider with the spans that deserve distrust.
import { SPEEDS } from "../player.ts";
import type { State } from "../state.ts";
import { button, element, setText } from "./dom.ts";
import { clock } from "./format.ts";
import { fillHatched } from "./hatch.ts";
import type { ThemeChoice } from "./theme.ts";

export function addTimeline(container: HTMLElement, state: State, theme: ThemeChoice): void {
  const play = button("▶", "play or pause (space)", () => state.setPlaying(!state.playing));
  play.classList.add("play");
  const slider = element("input", { type: "range", min: "0", max: "1", step: "any", value: "0", "aria-label": "time" });
  const spans = element("canvas", { class: "spans", "aria-hidden": "true" });
  const time = element("output", { class: "time" });
  const speed = element("select", { title: "speed ([ and ])", "aria-label": "speed" }, ...SPEEDS.map((value) => element("option", { value: String(value) }, `${value}×`)));
  container.append(
    button("|◀", "first frame (Home)", () => state.setTime(0)),
    button("◀", "previous frame (←)", () => state.step(-1)),
    play,
    button("▶|", "next frame (→)", () => state.step(1)),
    element("div", { class: "slider" }, spans, slider),
    time,
    speed,
  );
  slider.addEventListener("input", () => {
    state.setPlaying(false);
    state.setTime(Number(slider.value));
  });
  speed.addEventListener("change", () => state.setSpeed(Number(speed.value)));
  const showTime = () => {
    slider.value = String(state.time);
    setText(time, `${clock(state.time)} / ${clock(state.duration)}`);
  };
  const showPlaying = () => {
    setText(play, state.playing ? "❚❚" : "▶");
    speed.value = String(state.speed);
  };
  const showSpans = () => {
    slider.max = String(Math.max(state.duration, 1e-3));
    const ratio = window.devicePixelRatio;
    spans.width = Math.max(1, Math.round(spans.clientWidth * ratio));
    spans.height = Math.max(1, Math.round(spans.clientHeight * ratio));
    const context = spans.getContext("2d");
    if (!context || !state.run) return;
    const scale = spans.width / Math.max(state.duration, 1e-3);
    for (const span of state.run.spans) {
      fillHatched(context, span.from * scale, 0, Math.max(2 * ratio, (span.to - span.from) * scale), spans.height, theme.palette.hatch[span.kind], span.kind);
    }
    showTime();
  };
  state.on(["time"], showTime);
  state.on(["playing"], showPlaying);
  state.on(["runs", "data"], showSpans);
  theme.onChange(showSpans);
  new ResizeObserver(showSpans).observe(spans);
  showPlaying();
  showTime();
}
