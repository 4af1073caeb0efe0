// SPDX-License-Identifier: Apache-2.0
// Everything in the 3-D view that belongs to one run.
import * as THREE from "three";
import type { Run, Settings } from "../state.ts";
import { colorRange } from "../ui/colormap.ts";
import type { Palette } from "../ui/theme.ts";
import { Ellipsoids } from "./ellipsoids.ts";
import { Frustum } from "./frustum.ts";
import { PointCloud } from "./map_points.ts";
import { PathLine } from "./path_line.ts";

export interface ColorScale {
  values: Float32Array | null;
  range: [number, number];
}

// The values that colour a run's path.
export function colorScale(run: Run, settings: Settings): ColorScale {
  const { series, aligned, data } = run;
  const values =
    settings.color === "speed" ? series.speed
    : settings.color === "error" ? (aligned?.error ?? null)
    : settings.color === "sigma" && data.poses.hasConfidence ? series.sigmaTranslation
    : null;
  return { values, range: values ? colorRange(values) : [0, 1] };
}

export class RunLayer {
  readonly group = new THREE.Group();
  private readonly path = new PathLine(3.2);
  private readonly network = new PathLine(1.6, { opacity: 0.85 });
  private readonly truth = new PathLine(2, { dashed: true, opacity: 0.85 });
  private readonly truthGroup = new THREE.Group();
  private readonly ellipsoids = new Ellipsoids();
  readonly frustum = new Frustum();
  readonly cloud = new PointCloud();
  private loops: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial> | null = null;

  constructor(readonly run: Run) {
    this.truthGroup.add(this.truth.group);
    this.truthGroup.matrixAutoUpdate = false;
    this.group.add(this.path.group, this.network.group, this.truthGroup, this.ellipsoids.group, this.frustum.group, this.cloud.points);
    this.cloud.setPoints(run.data.points);
    const { truth, network, loops, poses } = run.data;
    if (truth) this.truth.setPath(truth.position, truth.time.length, null, [0, 1], 0);
    if (network) this.network.setPath(network, poses.count, null, [0, 1], 0);
    if (loops) this.addLoops(loops);
  }

  // The box around the path, in calfvo's coordinates; false if there are no poses.
  expand(box: THREE.Box3): boolean {
    const { poses, network } = this.run.data;
    const step = Math.max(1, Math.floor(poses.count / 5000));
    const point = new THREE.Vector3();
    for (let i = 0; i < poses.count; i += step) {
      box.expandByPoint(point.fromArray(poses.position, 3 * i));
      if (network) box.expandByPoint(point.fromArray(network, 3 * i));
    }
    if (poses.count > 0) box.expandByPoint(point.fromArray(poses.position, 3 * (poses.count - 1)));
    return poses.count > 0;
  }

  // Redraws what depends on poses, settings or colours. `extent` is the size of the scene in metres.
  update(settings: Settings, palette: Palette, color: number, isActive: boolean, extent: number): void {
    const { poses, keyFrames, document } = this.run.data;
    const scale: ColorScale = isActive ? colorScale(this.run, settings) : { values: null, range: [0, 1] };
    this.group.visible = this.run.visible;
    this.path.setPath(poses.position, poses.count, scale.values, scale.range, color);
    this.network.setColor(palette.network);
    this.network.group.visible = settings.network;
    this.truth.setColor(palette.truth);
    this.truth.setDash(extent / 90);
    this.truthGroup.visible = settings.truth;
    if (this.run.aligned) {
      const { scale: s, quaternion: q, translation: t } = this.run.aligned.estimateFromTruth;
      this.truthGroup.matrix.compose(new THREE.Vector3(...t), new THREE.Quaternion(...q), new THREE.Vector3(s, s, s));
    }
    this.ellipsoids.setColor(color);
    this.ellipsoids.setPath(poses, isActive ? settings.ellipsoids : 0);
    this.cloud.points.visible = settings.points;
    if (this.loops) {
      this.loops.visible = settings.loops;
      this.loops.material.color.set(palette.loops);
    }
    const camera = document.camera;
    const aspect = camera ? camera.width / camera.height : keyFrames ? keyFrames.width / keyFrames.height : 4 / 3;
    this.frustum.setShape(aspect, camera ? camera.focal_px / camera.width : 0.85, Math.min(Math.max(extent * 0.09, 0.02), 40));
    this.frustum.setColor(color);
  }

  setTime(time: number, settings: Settings, isActive: boolean): void {
    const poses = this.run.data.poses;
    this.frustum.group.visible = poses.count > 0;
    if (poses.count === 0) return;
    const index = poses.indexAt(time);
    this.frustum.setPose(poses, index);
    this.path.setCursor(index);
    if (isActive) this.ellipsoids.setCursor(poses, index, settings.ellipsoids);
  }

  private addLoops(loops: Uint32Array): void {
    const positions = new Float32Array(3 * loops.length);
    loops.forEach((pose, i) => positions.set(this.run.data.poses.position.subarray(3 * pose, 3 * pose + 3), 3 * i));
    const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(positions, 3));
    this.loops = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ transparent: true, opacity: 0.8 }));
    this.group.add(this.loops);
  }
}
