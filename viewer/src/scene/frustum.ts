// SPDX-License-Identifier: Apache-2.0
// The camera at the cursor: a pyramid whose base carries the current frame.
import * as THREE from "three";
import type { PoseStore } from "../data/columns.ts";

export class Frustum {
  readonly group = new THREE.Group();
  private readonly lines: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly plane: THREE.Mesh<THREE.PlaneGeometry, THREE.MeshBasicMaterial>;
  private readonly texture = new THREE.Texture<HTMLImageElement>();
  private width = 0;
  private height = 0;

  constructor() {
    const geometry = new THREE.BufferGeometry();
    // Apex and corners of a base at z = 1, in camera axes: x right, y down, z ahead. A tick marks the top.
    // prettier-ignore
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array([
      0, 0, 0, -1, -1, 1, 0, 0, 0, 1, -1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, -1, 1, 1,
      -1, -1, 1, 1, -1, 1, 1, -1, 1, 1, 1, 1, 1, 1, 1, -1, 1, 1, -1, 1, 1, -1, -1, 1,
      -0.3, -1.08, 1, 0, -1.4, 1, 0, -1.4, 1, 0.3, -1.08, 1]), 3));
    this.lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: 0xffffff }));
    this.texture.colorSpace = THREE.SRGBColorSpace;
    this.texture.anisotropy = 4;
    this.plane = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, color: 0xffffff }));
    this.plane.rotation.x = Math.PI; // its y up becomes the camera's y down
    this.plane.position.z = 1;
    this.plane.visible = false;
    this.group.add(this.lines, this.plane);
  }

  // Half angles by width over height and the focal length in widths; `size` is the length in metres.
  setShape(aspect: number, focalInWidths: number, size: number): void {
    const halfWidth = 0.5 / focalInWidths;
    this.group.scale.set(halfWidth * size, (halfWidth / aspect) * size, size);
  }

  setColor(color: number): void {
    this.lines.material.color.set(color);
  }

  setPose(poses: PoseStore, index: number): void {
    this.group.position.fromArray(poses.position, 3 * index);
    this.group.quaternion.fromArray(poses.quaternion, 4 * index);
  }

  // A decoded image, or null for none.
  setImage(image: HTMLImageElement | null): void {
    this.plane.visible = image !== null;
    if (!image) return;
    if (this.width !== image.naturalWidth || this.height !== image.naturalHeight) this.texture.dispose(); // its storage has one size
    this.width = image.naturalWidth;
    this.height = image.naturalHeight;
    this.texture.image = image;
    this.texture.needsUpdate = true;
    if (this.plane.material.map !== this.texture) {
      this.plane.material.map = this.texture;
      this.plane.material.needsUpdate = true;
    }
  }
}
