// SPDX-License-Identifier: Apache-2.0
// What all parts of the page share: the runs, the time cursor and the settings. Parts subscribe to the changes they show.
import type { RunData } from "./data/document.ts";
import { align, type Aligned, type AlignmentName } from "./math/align.ts";
import { computeSeries, distrustedSpans, type Series, type Span } from "./math/series.ts";

export type ColorBy = "sigma" | "speed" | "error" | "plain";
export type ViewMode = "orbit" | "follow" | "top";

export interface Settings {
  color: ColorBy;
  view: ViewMode;
  ellipsoids: 0 | 1 | 2; // how many σ; 0 for none
  align: AlignmentName;
  truth: boolean;
  network: boolean;
  points: boolean;
  loops: boolean;
  grid: boolean;
}

// A run with what is computed from it.
export interface Run {
  data: RunData;
  series: Series;
  spans: Span[];
  aligned: Aligned | null;
  visible: boolean;
}

export type Change = "time" | "playing" | "settings" | "runs" | "data" | "live";

export interface LiveStatus {
  frames: number;
  total: number | null;
  rate: number; // frames per second
  done: boolean;
  message: string;
}

export class State {
  runs: Run[] = [];
  active = 0;
  time = 0; // seconds since the first pose
  playing = false;
  speed = 1;
  live: LiveStatus | null = null;
  readonly settings: Settings = {
    color: "sigma", view: "orbit", ellipsoids: 2, align: "origin",
    truth: true, network: true, points: true, loops: true, grid: true,
  };
  private readonly listeners = new Map<Change, (() => void)[]>();

  on(changes: Change[], listener: () => void): void {
    for (const change of changes) this.listeners.set(change, [...(this.listeners.get(change) ?? []), listener]);
  }

  emit(change: Change): void {
    for (const listener of this.listeners.get(change) ?? []) listener();
  }

  get run(): Run | undefined {
    return this.runs[this.active];
  }

  // The longest run's.
  get duration(): number {
    let duration = 0;
    for (const run of this.runs) duration = Math.max(duration, run.data.poses.duration);
    return duration;
  }

  // The pose at the cursor, in the active run.
  get pose(): number {
    return this.run ? this.run.data.poses.indexAt(this.time) : 0;
  }

  addRun(data: RunData): void {
    this.runs.push({ data, series: computeSeries(data.poses), spans: distrustedSpans(data.poses), aligned: this.alignRun(data), visible: true });
    if (this.runs.length === 1) {
      if (!data.poses.hasConfidence) this.settings.color = "speed";
      if (!data.poses.hasConfidence) this.settings.ellipsoids = 0;
    }
    this.emit("runs");
  }

  // After poses of `run` were appended.
  refresh(run: Run): void {
    run.series = computeSeries(run.data.poses);
    run.spans = distrustedSpans(run.data.poses);
    run.aligned = this.alignRun(run.data);
    this.emit("data");
  }

  setTime(time: number): void {
    const clamped = Math.min(Math.max(0, time), this.duration);
    if (clamped === this.time || Number.isNaN(clamped)) return;
    this.time = clamped;
    this.emit("time");
  }

  // To the next or previous frames of the active run.
  step(frames: number): void {
    if (!this.run) return;
    this.setPlaying(false);
    const poses = this.run.data.poses;
    const index = Math.min(Math.max(0, poses.indexAt(this.time) + frames), poses.count - 1);
    this.setTime(poses.time[index]);
  }

  setPlaying(playing: boolean): void {
    if (playing === this.playing) return;
    if (playing && this.time >= this.duration) this.setTime(0);
    this.playing = playing;
    this.emit("playing");
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.emit("playing");
  }

  set<K extends keyof Settings>(name: K, value: Settings[K]): void {
    if (this.settings[name] === value) return;
    this.settings[name] = value;
    if (name === "align") for (const run of this.runs) run.aligned = this.alignRun(run.data);
    this.emit("settings");
  }

  setActive(index: number): void {
    if (index === this.active || !this.runs[index]) return;
    this.active = index;
    this.emit("runs");
  }

  private alignRun(data: RunData): Aligned | null {
    return data.truth ? align(data.truth, data.poses, this.settings.align, data.document.max_diff_s ?? 0.01) : null;
  }
}
