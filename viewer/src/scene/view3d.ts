// SPDX-License-Identifier: Apache-2.0
// The 3-D view of all runs: follows the state, and moves the camera by the chosen view.
import * as THREE from "three";
import type { State } from "../state.ts";
import type { ThemeChoice } from "../ui/theme.ts";
import { Ground } from "./ground.ts";
import { Measure } from "./measure.ts";
import { RunLayer } from "./run_layer.ts";
import { Stage } from "./stage.ts";

export class View3d {
  readonly stage: Stage;
  readonly measure: Measure;
  readonly ground = new Ground();
  private layers: RunLayer[] = [];
  private extent = 1; // metres
  private readonly box = new THREE.Box3(); // of all paths, in the z-up frame
  private framedCount = 0; // poses when the camera was last placed
  private followYaw = NaN;
  private view = "";

  constructor(container: HTMLElement, private readonly state: State, private readonly theme: ThemeChoice) {
    this.stage = new Stage(container);
    this.stage.scene.add(this.ground.group, this.ground.axesGroup);
    this.measure = new Measure(this.stage, state, () => this.box.min.z - 0.04 * Math.max(this.extent, 0.2), container);
    this.stage.beforeDraw(() => {
      for (const layer of this.layers) layer.cloud.choose(this.stage.isMoving || state.playing, this.stage.frameMs);
    });
    state.on(["runs"], () => this.rebuild());
    state.on(["data", "settings"], () => this.update());
    state.on(["time"], () => this.moveCursor());
    theme.onChange(() => this.update());
    this.update();
  }

  // The colour of run `index`.
  runColor(index: number): number {
    const colors = this.theme.palette.runs;
    return colors[index % colors.length];
  }

  // The image at the cursor of run `index`.
  setImage(index: number, image: HTMLImageElement | null): void {
    this.layers[index]?.frustum.setImage(image);
    this.stage.invalidate();
  }

  resetCamera(smooth = true): void {
    const top = this.state.settings.view === "top";
    this.followYaw = NaN;
    if (this.state.settings.view === "follow") {
      this.placeBehind(smooth);
    } else {
      this.stage.frame(this.box, top ? 0 : -0.6, top ? 0 : 1.0, smooth);
    }
  }

  private rebuild(): void {
    const known = new Map(this.layers.map((layer) => [layer.run, layer]));
    this.layers = this.state.runs.map((run) => {
      const layer = known.get(run) ?? new RunLayer(run);
      this.stage.world.add(layer.group);
      return layer;
    });
    this.update();
  }

  private update(): void {
    const { state, theme } = this;
    this.measureBox();
    this.stage.setPalette(theme.palette);
    this.ground.setPalette(theme.palette);
    this.ground.group.visible = state.settings.grid;
    this.ground.axesGroup.visible = state.settings.grid;
    this.measure.setColor(theme.palette.measure);
    this.layers.forEach((layer, i) => layer.update(state.settings, theme.palette, this.runColor(i), i === state.active, this.extent));
    this.moveCursor();
    if (this.view !== state.settings.view || this.needsFraming()) {
      const smooth = this.framedCount > 0;
      this.view = state.settings.view;
      this.framedCount = this.poseCount();
      this.resetCamera(smooth);
    }
    this.stage.invalidate();
  }

  private poseCount(): number {
    return this.state.runs.reduce((sum, run) => sum + run.data.poses.count, 0);
  }

  // A live path outgrows the view: it is framed again each time the number of poses has doubled.
  private needsFraming(): boolean {
    const count = this.poseCount();
    return count >= 2 * this.framedCount && count > 0 && this.state.settings.view !== "follow";
  }

  private measureBox(): void {
    const box = new THREE.Box3();
    let any = false;
    for (const layer of this.layers) any = layer.expand(box) || any;
    if (!any) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    this.box.copy(box).applyMatrix4(this.stage.world.matrix);
    const size = box.getSize(new THREE.Vector3());
    this.extent = Math.max(size.x, size.y, size.z, 0.1);
    this.ground.setExtent(this.box);
  }

  private moveCursor(): void {
    const { state } = this;
    this.layers.forEach((layer, i) => layer.setTime(state.time, state.settings, i === state.active));
    if (state.settings.view === "follow" && state.run && this.view === "follow") this.placeBehind(false);
    this.stage.invalidate();
  }

  // Follow: the camera keeps its place relative to the moving one, turning with it.
  private placeBehind(smooth: boolean): void {
    const run = this.state.run;
    if (!run || run.data.poses.count === 0) return;
    const index = this.state.pose;
    const p = run.data.poses.position;
    const yaw = (run.series.yaw[index] * Math.PI) / 180;
    const controls = this.stage.controls;
    void controls.moveTo(p[3 * index], p[3 * index + 2], -p[3 * index + 1], smooth);
    if (Number.isNaN(this.followYaw)) {
      void controls.rotateTo(yaw, 1.15, smooth);
      void controls.dollyTo(Math.min(Math.max(0.45 * this.extent, 0.3), 60), smooth);
    } else {
      void controls.rotate(yaw - this.followYaw, 0, smooth);
    }
    this.followYaw = yaw;
  }
}
