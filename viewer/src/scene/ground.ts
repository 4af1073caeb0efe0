// SPDX-License-Identifier: Apache-2.0
// A metre grid below the path, and the axes of the first camera. In the z-up frame.
import * as THREE from "three";
import { roundDown } from "../ui/format.ts";
import type { Palette } from "../ui/theme.ts";

const AXIS_COLORS = [0xe5534b, 0x57ab5a, 0x539bf5]; // x right, y ahead, z up

export class Ground {
  readonly group = new THREE.Group();
  step = 1; // metres between lines
  private readonly minor = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
  private readonly major = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial());
  private readonly axes = new THREE.Group();

  constructor() {
    for (let k = 0; k < 3; ++k) {
      const end = new THREE.Vector3().setComponent(k, 1);
      const geometry = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), end]);
      this.axes.add(new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: AXIS_COLORS[k] })));
    }
    this.group.add(this.minor, this.major);
  }

  get axesGroup(): THREE.Group {
    return this.axes;
  }

  setPalette(palette: Palette): void {
    this.minor.material.color.set(palette.grid);
    this.major.material.color.set(palette.gridMajor);
  }

  // Covers `box`, with lines at multiples of 1, 2 or 5 · 10^k metres and stronger ones at every fifth.
  setExtent(box: THREE.Box3): void {
    const size = box.getSize(new THREE.Vector3());
    const extent = Math.max(size.x, size.y, 0.2);
    this.step = roundDown(extent / 8);
    const z = box.min.z - 0.04 * extent;
    const from = (value: number) => Math.floor((value - 0.35 * extent) / this.step);
    const to = (value: number) => Math.ceil((value + 0.35 * extent) / this.step);
    const x0 = from(box.min.x), x1 = to(box.max.x), y0 = from(box.min.y), y1 = to(box.max.y);
    const minor: number[] = [];
    const major: number[] = [];
    // Cell by cell: software renderers drop lines that pass behind the camera.
    const s = this.step;
    for (let i = x0; i <= x1; ++i) {
      for (let j = y0; j <= y1; ++j) {
        if (j < y1) (i % 5 === 0 ? major : minor).push(i * s, j * s, z, i * s, (j + 1) * s, z);
        if (i < x1) (j % 5 === 0 ? major : minor).push(i * s, j * s, z, (i + 1) * s, j * s, z);
      }
    }
    this.minor.geometry.dispose();
    this.minor.geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(minor, 3));
    this.major.geometry.dispose();
    this.major.geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(major, 3));
    this.axes.scale.setScalar(0.06 * extent);
  }
}
