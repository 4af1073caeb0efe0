// SPDX-License-Identifier: Apache-2.0
// The columns of a path as src/commands/page/pose_table.h writes them, and a store that grows while a run is live.
import { arrayOf } from "./base64.ts";

export const DAMAGED = 1;
export const DROPPED = 2;

// One entry per pose. Positions in metres in calfvo's world (x right, y down, z ahead), quaternions x y z w
// (world_from_camera), covariances as the upper triangles of the position and the rotation block (xx xy xz yy yz zz each).
export interface Columns {
  time: Float64Array; // seconds since the first pose
  frame: Uint32Array; // number in the input
  position: Float32Array; // 3 each
  quaternion: Float32Array; // 4 each
  covariance: Float32Array; // 12 each; empty without confidence
  sigma: Float32Array; // 2 each: σ of the relative pose before, metres and radians per axis; empty without confidence
  flags: Uint8Array; // DAMAGED, DROPPED
}

export type EncodedColumns = Record<keyof Columns, string>;

export function decodeColumns(encoded: EncodedColumns): Columns {
  const columns: Columns = {
    time: arrayOf(Float64Array, encoded.time, "time"),
    frame: arrayOf(Uint32Array, encoded.frame, "frame"),
    position: arrayOf(Float32Array, encoded.position, "position"),
    quaternion: arrayOf(Float32Array, encoded.quaternion, "quaternion"),
    covariance: arrayOf(Float32Array, encoded.covariance, "covariance"),
    sigma: arrayOf(Float32Array, encoded.sigma, "sigma"),
    flags: arrayOf(Uint8Array, encoded.flags, "flags"),
  };
  const count = columns.time.length;
  const expect = (name: keyof Columns, width: number, optional = false) => {
    const length = columns[name].length;
    if (length !== count * width && !(optional && length === 0)) throw new Error(`${name}: ${length} numbers for ${count} poses`);
  };
  expect("frame", 1);
  expect("position", 3);
  expect("quaternion", 4);
  expect("covariance", 12, true);
  expect("sigma", 2, true);
  expect("flags", 1);
  return columns;
}

// Poses in arrays whose capacity doubles, so that appending costs constant time per pose.
export class PoseStore implements Columns {
  count = 0;
  time = new Float64Array(0);
  frame = new Uint32Array(0);
  position = new Float32Array(0);
  quaternion = new Float32Array(0);
  covariance = new Float32Array(0);
  sigma = new Float32Array(0);
  flags = new Uint8Array(0);
  hasConfidence = false;

  constructor(columns?: Columns) {
    if (columns) this.append(columns);
  }

  append(columns: Columns): void {
    const added = columns.time.length;
    if (added === 0) return;
    if (this.count === 0) this.hasConfidence = columns.sigma.length > 0;
    if (this.count === 0 && this.time.length === 0) {
      Object.assign(this, columns); // the usual case: one document, no copy
    } else {
      this.reserve(this.count + added);
      this.time.set(columns.time, this.count);
      this.frame.set(columns.frame, this.count);
      this.position.set(columns.position, 3 * this.count);
      this.quaternion.set(columns.quaternion, 4 * this.count);
      if (this.hasConfidence) {
        this.covariance.set(columns.covariance, 12 * this.count);
        this.sigma.set(columns.sigma, 2 * this.count);
      }
      this.flags.set(columns.flags, this.count);
    }
    this.count += added;
  }

  clear(): void {
    this.count = 0;
  }

  // The last pose at or before `time`, or the first.
  indexAt(time: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  get duration(): number {
    return this.count > 0 ? this.time[this.count - 1] : 0;
  }

  private reserve(count: number): void {
    if (count <= this.time.length) return;
    const capacity = Math.max(count, 2 * this.time.length, 1024);
    const grow = <T extends { set(from: T): void }>(from: T, into: T): T => {
      into.set(from);
      return into;
    };
    this.time = grow(this.time, new Float64Array(capacity));
    this.frame = grow(this.frame, new Uint32Array(capacity));
    this.position = grow(this.position, new Float32Array(3 * capacity));
    this.quaternion = grow(this.quaternion, new Float32Array(4 * capacity));
    this.covariance = grow(this.covariance, new Float32Array(this.hasConfidence ? 12 * capacity : 0));
    this.sigma = grow(this.sigma, new Float32Array(this.hasConfidence ? 2 * capacity : 0));
    this.flags = grow(this.flags, new Uint8Array(capacity));
  }
}
