// SPDX-License-Identifier: Apache-2.0
// Ellipsoids of position uncertainty on a subsample of the path, and one at the cursor.
import * as THREE from "three";
import type { PoseStore } from "../data/columns.ts";
import { symmetricEigen } from "../math/eigen.ts";

const COUNT = 32; // along the path

export class Ellipsoids {
  readonly group = new THREE.Group();
  private readonly mesh: THREE.InstancedMesh;
  private readonly current: THREE.Mesh;
  private readonly matrix = new THREE.Matrix4();

  constructor() {
    const geometry = new THREE.SphereGeometry(1, 16, 10);
    const material = (opacity: number) =>
      new THREE.MeshBasicMaterial({ color: 0x4cc2ff, transparent: true, opacity, depthWrite: false });
    this.mesh = new THREE.InstancedMesh(geometry, material(0.09), COUNT);
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
    this.current = new THREE.Mesh(geometry, material(0.22));
    this.current.matrixAutoUpdate = false;
    this.current.visible = false;
    this.group.add(this.mesh, this.current);
  }

  setColor(color: number): void {
    for (const mesh of [this.mesh, this.current]) (mesh.material as THREE.MeshBasicMaterial).color.set(color);
  }

  // `sigmas` 0 hides them.
  setPath(poses: PoseStore, sigmas: number): void {
    this.group.visible = sigmas > 0 && poses.hasConfidence;
    this.mesh.count = 0;
    if (!this.group.visible) return;
    const count = Math.min(COUNT, poses.count);
    for (let i = 0; i < count; ++i) {
      const pose = Math.round(((i + 1) * (poses.count - 1)) / count);
      if (this.place(poses, pose, sigmas)) this.mesh.setMatrixAt(this.mesh.count++, this.matrix);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  setCursor(poses: PoseStore, pose: number, sigmas: number): void {
    this.current.visible = this.group.visible && this.place(poses, pose, sigmas);
    if (this.current.visible) this.current.matrix.copy(this.matrix);
  }

  // Sets `matrix` to the image of the unit sphere; false where nothing is uncertain, as at the first pose.
  private place(poses: PoseStore, pose: number, sigmas: number): boolean {
    const at = 12 * pose;
    const [xx, xy, xz, yy, yz, zz] = poses.covariance.subarray(at, at + 6);
    if (!(xx + yy + zz > 0)) return false;
    const { values, vectors } = symmetricEigen([xx, xy, xz, xy, yy, yz, xz, yz, zz], 3);
    const radius = (k: number) => sigmas * Math.sqrt(Math.max(values[k], 1e-12));
    const [a, b, c] = [radius(0), radius(1), radius(2)];
    const p = poses.position;
    // prettier-ignore
    this.matrix.set(vectors[0] * a, vectors[1] * b, vectors[2] * c, p[3 * pose],
                    vectors[3] * a, vectors[4] * b, vectors[5] * c, p[3 * pose + 1],
                    vectors[6] * a, vectors[7] * b, vectors[8] * c, p[3 * pose + 2],
                    0, 0, 0, 1);
    return true;
  }
}
