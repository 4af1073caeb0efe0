// SPDX-License-Identifier: Apache-2.0
// Puts the page together.
import { follow } from "./live.ts";
import { embeddedRun, serverRun, serverRuns } from "./load.ts";
import { advance } from "./player.ts";
import { View3d } from "./scene/view3d.ts";
import { State } from "./state.ts";
import { addControls } from "./ui/controls.ts";
import { element } from "./ui/dom.ts";
import { addHeader } from "./ui/header.ts";
import { helpDialog, listen, shortcuts, type Shortcut } from "./ui/keyboard.ts";
import { addOverlay } from "./ui/overlay.ts";
import { Plots } from "./ui/plots.ts";
import { ThemeChoice } from "./ui/theme.ts";
import { addTimeline } from "./ui/timeline.ts";
import { VideoPanel } from "./ui/video.ts";
import { keepUrl, readUrl } from "./url.ts";

function start() {
  const header = element("header");
  const space = element("main", { class: "space" });
  const side = element("aside");
  const plots = element("div", { class: "plots" });
  const timeline = element("footer", { class: "timeline" });
  document.body.append(header, space, side, timeline);

  const state = new State();
  const theme = new ThemeChoice();
  const view = new View3d(space, state, theme);
  const video = new VideoPanel(side, state, view);
  side.append(plots);
  let list: Shortcut[] = [];
  const actions = {
    measure: () => view.measure.toggle(),
    screenshot: () => void saveScreenshot(view, state),
    theme: () => theme.toggle(),
    help: helpDialog(() => list),
    home: () => view.resetCamera(),
  };
  list = shortcuts(state, actions);
  listen(list);
  addHeader(header, state, actions);
  addControls(space, state);
  addOverlay(space, state, view, theme);
  new Plots(plots, state, theme);
  addTimeline(timeline, state, theme);
  view.stage.onTick((seconds) => advance(state, seconds));
  return { state, view, video };
}

async function saveScreenshot(view: View3d, state: State): Promise<void> {
  const link = element("a", { download: "calfvo.png" });
  link.href = URL.createObjectURL(await view.stage.screenshot());
  link.download = `${state.run?.data.title ?? "calfvo"}-${state.time.toFixed(2)}s.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function showError(error: unknown): void {
  document.body.append(element("p", { class: "failure", role: "alert" }, error instanceof Error ? error.message : String(error)));
}

async function load(page: ReturnType<typeof start>): Promise<void> {
  const { state, video } = page;
  const run = embeddedRun();
  if (run) {
    state.addRun(run);
  } else {
    const { runs, live } = await serverRuns();
    for (let i = 0; i < runs; ++i) state.addRun(await serverRun(i));
    if (live) {
      follow(state, (url, frame) => video.showLive(url, frame), () => {
        // The complete run has key frames, ground truth and all files.
        serverRun(0).then((complete) => {
          state.runs = [];
          state.addRun(complete);
          state.emit("time");
        }, showError);
      });
    }
  }
  readUrl(state);
  keepUrl(state);
  Object.assign(window, { calfvoReady: performance.now() });
  document.documentElement.dataset.ready = "true";
}

// First the empty page, then the data: decoding an hour of poses takes a moment.
try {
  const page = start();
  // For tests and measurements.
  Object.assign(window, { calfvo: page });
  requestAnimationFrame(() => setTimeout(() => load(page).catch(showError)));
} catch (error) {
  showError(error instanceof Error && /webgl/i.test(error.message) ? "This browser cannot show 3-D graphics (WebGL 2)." : error);
}
