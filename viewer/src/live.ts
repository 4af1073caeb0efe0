// SPDX-License-Identifier: Apache-2.0
// A run while it happens: server-sent events of src/commands/view/live_feed.h.
import { bytesOf } from "./data/base64.ts";
import { decodeColumns, PoseStore, type EncodedColumns } from "./data/columns.ts";
import type { RunData } from "./data/document.ts";
import type { State } from "./state.ts";

interface StartEvent {
  title: string;
  total: number | null;
}
interface PosesEvent {
  restart: boolean; // these are all poses so far
  frames: number; // frames with a pose so far
  rate: number;
  path: EncodedColumns;
}
interface ImageEvent {
  frame: number;
  jpeg: string;
}

// Calls `onImage` with each preview, and `onDone` when the run is complete. The cursor stays at the newest pose unless the
// reader moved it.
export function follow(state: State, onImage: (url: string, frame: number) => void, onDone: () => void): void {
  const events = new EventSource("api/events");
  const data: RunData = {
    title: "live", document: { format: 1, title: "live", path: {} as EncodedColumns }, poses: new PoseStore(),
    network: null, truth: null, points: null, loops: null, keyFrames: null, server: null, live: true,
  };
  state.live = { frames: 0, total: null, rate: 0, done: false, message: "" };
  let imageUrl = "";
  state.addRun(data);
  const run = state.runs[state.runs.length - 1];
  const on = <T>(name: string, handle: (event: T) => void) => {
    events.addEventListener(name, (message) => handle(JSON.parse((message as MessageEvent<string>).data) as T));
  };
  on<StartEvent>("start", ({ title, total }) => {
    data.title = title;
    state.live = { ...state.live!, total, message: "" };
    state.emit("live");
    state.emit("data");
  });
  on<PosesEvent>("poses", ({ restart, frames, rate, path }) => {
    const atEnd = state.time >= state.duration;
    if (restart) data.poses.clear();
    data.poses.append(decodeColumns(path));
    data.document.frames = frames;
    state.live = { ...state.live!, frames, rate };
    state.refresh(run);
    state.emit("live");
    if (atEnd && !state.playing) state.setTime(state.duration);
  });
  on<ImageEvent>("image", ({ frame, jpeg }) => {
    if (state.time < state.duration) return;
    const old = imageUrl;
    imageUrl = URL.createObjectURL(new Blob([bytesOf(jpeg)], { type: "image/jpeg" }));
    onImage(imageUrl, frame);
    if (old) setTimeout(() => URL.revokeObjectURL(old), 1000);
  });
  on<{ error: string }>("done", ({ error }) => {
    events.close();
    state.live = { ...state.live!, done: true, message: error };
    state.emit("live");
    if (!error) onDone();
  });
  events.onerror = () => {
    if (state.live?.done) return;
    state.live = { ...state.live!, message: "connection lost; trying again" };
    state.emit("live");
  };
}
