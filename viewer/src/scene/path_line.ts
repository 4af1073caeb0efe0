// SPDX-License-Identifier: Apache-2.0
// A path as a line of constant width on screen, with level of detail: the whole path thinned to kOverview points, and all
// poses near the cursor.
import * as THREE from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { colorAt } from "../ui/colormap.ts";

const OVERVIEW = 4000; // points: more than a screen has pixels across
const DETAIL = 800; // poses on either side of the cursor

export class PathLine {
  readonly group = new THREE.Group();
  private readonly material: LineMaterial;
  private overview: Line2 | null = null;
  private detail: Line2 | null = null;
  private detailCenter = -1;
  private positions: ArrayLike<number> = [];
  private count = 0;
  private stride = 1;
  private values: Float32Array | null = null;
  private range: [number, number] = [0, 1];

  constructor(width: number, options: { dashed?: boolean; opacity?: number } = {}) {
    this.material = new LineMaterial({
      linewidth: width,
      dashed: options.dashed ?? false,
      dashSize: 1,
      gapSize: 0.7,
      transparent: (options.opacity ?? 1) < 1,
      opacity: options.opacity ?? 1,
    });
  }

  // `values`, one per point, colours the path; null for the plain colour.
  setPath(positions: ArrayLike<number>, count: number, values: Float32Array | null, range: [number, number], color: number): void {
    this.positions = positions;
    this.count = count;
    this.values = values;
    this.range = range;
    this.stride = Math.max(1, Math.ceil(count / OVERVIEW));
    this.material.vertexColors = values !== null;
    this.material.color.set(values ? 0xffffff : color);
    this.material.needsUpdate = true;
    this.replace("overview", 0, count, this.stride);
    this.detailCenter = -1;
    this.replace("detail", 0, 0, 1);
  }

  // Metres per dash, for dashed paths.
  setDash(metres: number): void {
    this.material.dashSize = metres;
    this.material.gapSize = 0.6 * metres;
  }

  setColor(color: number): void {
    if (!this.values) this.material.color.set(color);
  }

  // Shows all poses around `index`.
  setCursor(index: number): void {
    if (this.stride === 1 || (this.detailCenter >= 0 && Math.abs(index - this.detailCenter) < DETAIL / 2)) return;
    this.detailCenter = index;
    this.replace("detail", Math.max(0, index - DETAIL), Math.min(this.count, index + DETAIL), 1);
  }

  private replace(which: "overview" | "detail", from: number, to: number, stride: number): void {
    const old = this[which];
    if (old) {
      this.group.remove(old);
      old.geometry.dispose();
      this[which] = null;
    }
    const points = Math.ceil((to - from) / stride);
    if (to - from < 2) return;
    const last = from + (points - 1) * stride < to - 1 ? 1 : 0; // the end of the path is always there
    const positions = new Float32Array(3 * (points + last));
    const colors = this.values ? new Float32Array(3 * (points + last)) : null;
    const color = new THREE.Color();
    const rgb = [0, 0, 0];
    for (let i = 0; i < points + last; ++i) {
      const index = Math.min(from + i * stride, to - 1);
      for (let k = 0; k < 3; ++k) positions[3 * i + k] = this.positions[3 * index + k];
      if (colors && this.values) {
        colorAt((this.values[index] - this.range[0]) / (this.range[1] - this.range[0]), rgb);
        color.setRGB(rgb[0], rgb[1], rgb[2], THREE.SRGBColorSpace).toArray(colors, 3 * i);
      }
    }
    const geometry = new LineGeometry();
    geometry.setPositions(positions);
    if (colors) geometry.setColors(colors);
    const line = new Line2(geometry, this.material);
    if (this.material.dashed) line.computeLineDistances();
    line.frustumCulled = false;
    this[which] = line;
    this.group.add(line);
  }
}
