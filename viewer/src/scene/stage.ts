// SPDX-License-Identifier: Apache-2.0
// The 3-D view: renderer, camera and its controls. It draws only when something changed.
//
// calfvo's world has x right, y down, z ahead. `world` rotates it so that on screen x is right, y ahead and z up; everything
// inside `world` keeps calfvo's coordinates.
import CameraControls from "camera-controls";
import * as THREE from "three";
import type { Palette } from "../ui/theme.ts";

// What it uses of three, so that the bundle holds no more.
const { Box3, Matrix4, Quaternion, Raycaster, Sphere, Spherical, Vector2, Vector3, Vector4 } = THREE;
CameraControls.install({ THREE: { Box3, Matrix4, Quaternion, Raycaster, Sphere, Spherical, Vector2, Vector3, Vector4 } });

// Without a GPU, as in virtual machines, smooth edges would cost most of a frame.
function rendersInSoftware(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  const info = context?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(context?.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name) && !location.hash.includes("smooth");
}

export class Stage {
  readonly scene = new THREE.Scene();
  readonly world = new THREE.Group();
  readonly camera = new THREE.PerspectiveCamera(50, 1, 0.01, 1e5);
  readonly renderer: THREE.WebGLRenderer;
  readonly controls: CameraControls;
  readonly canvas: HTMLCanvasElement;
  frameMs = 0; // between the last two frames, if both were drawn
  workMs = 0; // of this thread for the last frame
  drawnFrames = 0;
  private dirty = true;
  private moving = false;
  private drewLast = false;
  private readonly before: (() => void)[] = [];
  private readonly tick: ((seconds: number) => void)[] = [];
  private lastTime = 0;

  constructor(private readonly container: HTMLElement) {
    const isSlow = rendersInSoftware();
    this.renderer = new THREE.WebGLRenderer({ antialias: !isSlow, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(isSlow ? 1 : Math.min(window.devicePixelRatio, 2));
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("aria-label", "3-D view of the camera path");
    container.append(this.canvas);
    this.camera.up.set(0, 0, 1);
    // Columns: the images of calfvo's x, y and z.
    this.world.matrixAutoUpdate = false;
    this.world.matrix.set(1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1);
    this.scene.add(this.world);
    this.controls = new CameraControls(this.camera, this.canvas);
    this.controls.dollyToCursor = true;
    this.controls.smoothTime = 0.12;
    this.controls.draggingSmoothTime = 0.04;
    this.controls.minDistance = 0.02;
    this.controls.maxDistance = 2e5;
    new ResizeObserver(() => this.resize()).observe(container);
    this.resize();
    requestAnimationFrame((time) => this.loop(time));
  }

  // Draws soon. Cheap; call it for every change.
  invalidate(): void {
    this.dirty = true;
  }

  get isMoving(): boolean {
    return this.moving;
  }

  // `tick` is called for every frame of the display, `beforeDraw` before each that is drawn.
  onTick(listener: (seconds: number) => void): void {
    this.tick.push(listener);
  }
  beforeDraw(listener: () => void): void {
    this.before.push(listener);
  }

  setPalette(palette: Palette): void {
    this.scene.background = new THREE.Color(palette.background);
    this.invalidate();
  }

  // Moves the camera so that `box`, in the z-up frame, fills the view.
  frame(box: THREE.Box3, azimuth: number, polar: number, smooth: boolean): void {
    const sphere = box.getBoundingSphere(new THREE.Sphere());
    sphere.radius = Math.max(sphere.radius, 0.05);
    void this.controls.rotateTo(azimuth, polar, smooth);
    void this.controls.fitToSphere(sphere, smooth);
    this.invalidate();
  }

  draw(): void {
    for (const listener of this.before) listener();
    this.renderer.render(this.scene, this.camera);
  }

  // The view as PNG.
  async screenshot(): Promise<Blob> {
    this.draw(); // the buffer is readable only before the browser has composed it
    return new Promise((resolve, reject) => {
      this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser made no image"))), "image/png");
    });
  }

  private loop(time: number): void {
    requestAnimationFrame((next) => this.loop(next));
    const seconds = Math.min((time - this.lastTime) / 1000, 1);
    this.lastTime = time;
    for (const listener of this.tick) listener(seconds);
    const wasMoving = this.moving;
    this.moving = this.controls.update(seconds);
    if (wasMoving && !this.moving) this.dirty = true; // once more, with all detail
    if (!this.dirty && !this.moving) {
      this.drewLast = false;
      return;
    }
    this.frameMs = this.drewLast ? 1000 * seconds : 0;
    this.drewLast = true;
    this.dirty = false;
    const start = performance.now();
    // Near and far follow the distance, for depth precision from centimetres to kilometres.
    const distance = this.controls.distance;
    this.camera.near = Math.max(1e-3, distance / 500);
    this.camera.far = distance * 200 + 100;
    this.camera.updateProjectionMatrix();
    this.draw();
    this.workMs = performance.now() - start;
    ++this.drawnFrames;
  }

  private resize(): void {
    const width = Math.max(1, this.container.clientWidth);
    const height = Math.max(1, this.container.clientHeight);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }
}
