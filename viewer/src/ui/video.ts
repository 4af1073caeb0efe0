// SPDX-License-Identifier: Apache-2.0
// The video frame at the cursor: key frames from the page, and frames of full resolution from the server once the cursor rests.
import type { View3d } from "../scene/view3d.ts";
import type { State } from "../state.ts";
import { element, setText } from "./dom.ts";

const REST_MS = 180;

export class VideoPanel {
  private readonly image = element("img", { alt: "video frame at the cursor" });
  private readonly caption = element("figcaption");
  private readonly empty = element("p", { class: "empty" }, "no frames in this page");
  private shown = ""; // address of what is loading or shown
  private frameShown = -1; // its number in the input
  private timer = 0;

  constructor(container: HTMLElement, private readonly state: State, view: View3d) {
    container.append(element("figure", { class: "video" }, this.image, this.empty, this.caption));
    this.image.addEventListener("load", () => view.setImage(state.active, this.image));
    this.image.addEventListener("error", () => this.showKeyFrame());
    state.on(["time", "data"], () => this.update());
    state.on(["runs"], () => {
      this.shown = "";
      state.runs.forEach((_, i) => i !== state.active && view.setImage(i, null));
      this.update();
    });
    this.update();
  }

  // An image that came from a live run.
  showLive(url: string, frame: number): void {
    this.show(url, frame);
  }

  private update(): void {
    const run = this.state.run;
    this.empty.hidden = Boolean(this.shown) || Boolean(run?.data.keyFrames) || run?.data.server != null;
    if (!run || run.data.poses.count === 0) return;
    this.showKeyFrame();
    window.clearTimeout(this.timer);
    if (run.data.server !== null && run.data.document.full_frames && !this.state.playing) {
      this.timer = window.setTimeout(() => this.showFull(), REST_MS);
    }
    this.showCaption();
  }

  private showKeyFrame(): void {
    const run = this.state.run;
    const keyFrames = run?.data.keyFrames;
    if (!run || !keyFrames) return;
    const index = keyFrames.indexAt(run.data.poses.frame[this.state.pose]);
    this.show(keyFrames.url(index), keyFrames.frame[index]);
  }

  private showFull(): void {
    const run = this.state.run;
    if (!run || run.data.server === null) return;
    const frame = run.data.poses.frame[this.state.pose];
    this.show(`api/frame/${run.data.server}/${frame}`, frame);
  }

  private show(url: string, frame: number): void {
    if (url === this.shown) return;
    this.shown = url;
    this.frameShown = frame;
    this.image.src = url;
    this.image.hidden = false;
    this.empty.hidden = true;
    this.showCaption();
  }

  private showCaption(): void {
    const run = this.state.run;
    if (!run || run.data.poses.count === 0) return;
    const frame = run.data.poses.frame[this.state.pose];
    const damage = run.data.document.damages?.find((entry) => entry.frame === frame)?.damage;
    const from = this.shown && this.frameShown !== frame ? ` · key frame ${this.frameShown}` : "";
    setText(this.caption, `frame ${frame}${from}${damage ? ` · damaged: ${damage}` : ""}`);
    this.caption.classList.toggle("damaged", Boolean(damage));
  }
}
