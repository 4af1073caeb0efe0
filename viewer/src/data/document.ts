// SPDX-License-Identifier: Apache-2.0
// The data of one run (src/commands/page/run_document.h writes it): embedded in view.html, or served by `calfvo view`.
import { arrayOf, bytesOf } from "./base64.ts";
import { decodeColumns, PoseStore, type EncodedColumns } from "./columns.ts";

export interface Statistics {
  rmse: number;
  mean: number;
  median: number;
  std: number;
  min: number;
  max: number;
}

// The parts of `calfvo eval --json` that the page shows.
export interface Evaluation {
  align?: string;
  scale?: number;
  t_rel?: number;
  r_rel?: number;
  ape_trans?: Statistics;
}

export interface RunDocument {
  format: number;
  title: string;
  source?: string;
  model?: string;
  version?: string;
  frames?: number;
  stride?: number;
  path: EncodedColumns;
  network?: { position: string };
  truth?: { time: string; position: string; quaternion: string };
  max_diff_s?: number;
  points?: { position: string; color: string; total: number };
  loops?: { pose: string; inliers: string };
  camera?: { width: number; height: number; focal_px: number; focal_sigma_px: number; principal_point: [number, number]; k1: number; origin: string };
  eval?: Evaluation;
  damages?: { frame: number; damage: string }[];
  full_frames?: boolean; // the server has the video
}

export interface FramesDocument {
  format: number;
  width: number;
  height: number;
  frame: string; // Uint32Array: numbers in the input, ascending
  jpeg: string[];
}

export interface Truth {
  time: Float64Array;
  position: Float32Array;
  quaternion: Float32Array;
}

export interface MapPoints {
  position: Float32Array;
  color: Uint8Array;
  total: number; // in the run; the page may hold fewer
}

// Key frames, decoded by the browser when shown.
export class KeyFrames {
  private readonly urls = new Map<number, string>();
  constructor(
    readonly width: number,
    readonly height: number,
    readonly frame: Uint32Array,
    private readonly jpeg: string[],
  ) {}

  // The key frame at or before frame number `frame`; -1 if there are none.
  indexAt(frame: number): number {
    let low = 0;
    let high = this.frame.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frame[middle] <= frame) low = middle;
      else high = middle - 1;
    }
    return this.frame.length === 0 ? -1 : low;
  }

  // A blob: address, made once per key frame.
  url(index: number): string {
    let url = this.urls.get(index);
    if (url === undefined) {
      url = URL.createObjectURL(new Blob([bytesOf(this.jpeg[index])], { type: "image/jpeg" }));
      this.urls.set(index, url);
    }
    return url;
  }
}

// A run as the page uses it.
export interface RunData {
  title: string;
  document: RunDocument;
  poses: PoseStore;
  network: Float32Array | null; // positions of the network's own path, 3 per pose
  truth: Truth | null;
  points: MapPoints | null;
  loops: Uint32Array | null; // pose indices, 2 per loop
  keyFrames: KeyFrames | null;
  server: number | null; // index at the server, for frames of full resolution
  live: boolean;
}

export function decodeRun(document: RunDocument, frames: FramesDocument | null): RunData {
  if (document.format !== 1) throw new Error(`the data has format ${document.format}; this viewer reads format 1`);
  const poses = new PoseStore(decodeColumns(document.path));
  const threePer = (array: Float32Array, count: number, name: string) => {
    if (array.length !== 3 * count) throw new Error(`${name}: ${array.length} numbers for ${count} positions`);
    return array;
  };
  let truth: Truth | null = null;
  if (document.truth) {
    const time = arrayOf(Float64Array, document.truth.time, "truth.time");
    truth = {
      time,
      position: threePer(arrayOf(Float32Array, document.truth.position, "truth.position"), time.length, "truth.position"),
      quaternion: arrayOf(Float32Array, document.truth.quaternion, "truth.quaternion"),
    };
    if (truth.quaternion.length !== 4 * time.length) throw new Error("truth.quaternion: wrong length");
  }
  let points: MapPoints | null = null;
  if (document.points) {
    const position = arrayOf(Float32Array, document.points.position, "points.position");
    const color = arrayOf(Uint8Array, document.points.color, "points.color");
    if (position.length % 3 !== 0 || color.length !== position.length) throw new Error("points: wrong length");
    points = { position, color, total: document.points.total };
  }
  let loops: Uint32Array | null = null;
  if (document.loops) {
    loops = arrayOf(Uint32Array, document.loops.pose, "loops.pose");
    if (loops.length % 2 !== 0 || loops.some((pose) => pose >= poses.count)) throw new Error("loops: a pose does not exist");
  }
  return {
    title: String(document.title),
    document,
    poses,
    network: document.network
      ? threePer(arrayOf(Float32Array, document.network.position, "network.position"), poses.count, "network.position")
      : null,
    truth,
    points,
    loops,
    keyFrames: decodeFrames(frames),
    server: null,
    live: false,
  };
}

export function decodeFrames(frames: FramesDocument | null): KeyFrames | null {
  if (!frames || frames.jpeg.length === 0) return null;
  const frame = arrayOf(Uint32Array, frames.frame, "frames.frame");
  if (frame.length !== frames.jpeg.length) throw new Error("frames: wrong length");
  return new KeyFrames(frames.width, frames.height, frame, frames.jpeg);
}
