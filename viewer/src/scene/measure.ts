// SPDX-License-Identifier: Apache-2.0
// Measuring the distance between two clicks: on a pose of a path or, away from paths, on the ground grid.
import * as THREE from "three";
import type { State } from "../state.ts";
import { element, setText } from "../ui/dom.ts";
import { metres } from "../ui/format.ts";
import type { Stage } from "./stage.ts";

const PICK_PX = 14;

export class Measure {
  active = false;
  private readonly ends: THREE.Vector3[] = []; // in the z-up frame
  private readonly line: THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly dots: THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial>;
  private readonly label = element("div", { class: "measure-label", hidden: true });
  private readonly screen = new THREE.Vector3();

  constructor(private readonly stage: Stage, private readonly state: State, private readonly groundZ: () => number, container: HTMLElement) {
    const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(new Float32Array(6), 3));
    this.line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ depthTest: false, transparent: true }));
    this.dots = new THREE.Points(geometry, new THREE.PointsMaterial({ size: 8, sizeAttenuation: false, depthTest: false, transparent: true }));
    for (const object of [this.line, this.dots]) {
      object.frustumCulled = false;
      object.visible = false;
      object.renderOrder = 10;
      stage.scene.add(object);
    }
    container.append(this.label);
    let downX = 0;
    let downY = 0;
    stage.canvas.addEventListener("pointerdown", (event) => ([downX, downY] = [event.clientX, event.clientY]));
    stage.canvas.addEventListener("pointerup", (event) => {
      if (this.active && Math.hypot(event.clientX - downX, event.clientY - downY) < 5) this.click(event);
    });
    stage.beforeDraw(() => this.placeLabel());
  }

  setColor(color: number): void {
    this.line.material.color.set(color);
    this.dots.material.color.set(color);
  }

  toggle(): void {
    this.active = !this.active;
    this.ends.length = 0;
    this.show();
    this.stage.canvas.classList.toggle("measuring", this.active);
    if (this.active) {
      this.label.hidden = false;
      setText(this.label, "click two points");
    }
  }

  // Metres between the ends, or NaN.
  get distance(): number {
    return this.ends.length === 2 ? this.ends[0].distanceTo(this.ends[1]) : NaN;
  }

  private click(event: PointerEvent): void {
    const point = this.pick(event);
    if (!point) return;
    if (this.ends.length === 2) this.ends.length = 0;
    this.ends.push(point);
    this.show();
  }

  private show(): void {
    const attribute = this.line.geometry.getAttribute("position") as THREE.BufferAttribute;
    this.ends.forEach((end, i) => attribute.setXYZ(i, end.x, end.y, end.z));
    attribute.needsUpdate = true;
    this.line.visible = this.ends.length === 2;
    this.dots.visible = this.ends.length > 0;
    this.line.geometry.setDrawRange(0, this.ends.length);
    this.label.hidden = !this.active;
    if (this.ends.length === 2) setText(this.label, metres(this.distance, 4));
    this.stage.invalidate();
  }

  private pick(event: PointerEvent): THREE.Vector3 | null {
    const bounds = this.stage.canvas.getBoundingClientRect();
    const x = event.clientX - bounds.left;
    const y = event.clientY - bounds.top;
    const found = new THREE.Vector3();
    let least = PICK_PX;
    const consider = (positions: Float32Array, count: number) => {
      const step = Math.max(1, Math.floor(count / 20000));
      for (let i = 0; i < count; i += step) {
        this.screen.fromArray(positions, 3 * i).applyMatrix4(this.stage.world.matrix).project(this.stage.camera);
        if (this.screen.z > 1) continue;
        const away = Math.hypot(((this.screen.x + 1) / 2) * bounds.width - x, ((1 - this.screen.y) / 2) * bounds.height - y);
        if (away >= least) continue;
        least = away;
        found.fromArray(positions, 3 * i).applyMatrix4(this.stage.world.matrix);
      }
    };
    for (const run of this.state.runs) {
      if (!run.visible) continue;
      consider(run.data.poses.position, run.data.poses.count);
      if (run.data.points && this.state.settings.points) consider(run.data.points.position, run.data.points.position.length / 3);
    }
    if (least < PICK_PX) return found;
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2((x / bounds.width) * 2 - 1, 1 - (y / bounds.height) * 2), this.stage.camera);
    return caster.ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 0, 1), -this.groundZ()), found);
  }

  private placeLabel(): void {
    if (!this.active || this.ends.length < 2) {
      this.label.style.transform = "";
      return;
    }
    this.screen.addVectors(this.ends[0], this.ends[1]).multiplyScalar(0.5).project(this.stage.camera);
    const x = ((this.screen.x + 1) / 2) * this.stage.canvas.clientWidth;
    const y = ((1 - this.screen.y) / 2) * this.stage.canvas.clientHeight;
    this.label.style.transform = `translate(${x + 10}px, ${y - 30}px)`;
  }
}
