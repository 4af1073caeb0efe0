// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import test from "node:test";
import { arrayOf } from "../src/data/base64.ts";
import { decodeColumns, PoseStore } from "../src/data/columns.ts";
import { decodeRun, type RunDocument } from "../src/data/document.ts";
import { advance, changeSpeed } from "../src/player.ts";
import { coprimeStep } from "../src/scene/map_points.ts";
import { State } from "../src/state.ts";
import { colorAt, colorRange } from "../src/ui/colormap.ts";
import { clock, metres, roundDown, trim } from "../src/ui/format.ts";
import { hashOf } from "../src/url.ts";
import { syntheticRun } from "./pages.mjs";

const run = (options: object) => syntheticRun(options) as RunDocument;

test("base64 columns are read as typed arrays", () => {
  assert.deepEqual([...arrayOf(Uint32Array, "AAAAAAIAAAA=", "x")], [0, 2]);
  assert.throws(() => arrayOf(Uint32Array, "AAAA", "loops"), /loops: 3 bytes/);
  assert.throws(() => arrayOf(Uint32Array, 3, "loops"), /loops: expected/);
});

test("documents are checked", () => {
  const data = decodeRun(run({ poses: 50, points: 10, refined: true }), null);
  assert.equal(data.poses.count, 50);
  assert.equal(data.points?.position.length, 30);
  assert.throws(() => decodeRun({ ...run({ poses: 5 }), format: 2 }, null), /format 2/);
  const short = run({ poses: 5 });
  short.path.flags = "AA==";
  assert.throws(() => decodeRun(short, null), /flags: 1 numbers for 5 poses/);
  const loops = run({ poses: 5 });
  loops.loops = { pose: "AAAAAAkAAAA=", inliers: "" };
  assert.throws(() => decodeRun(loops, null), /loops/);
});

test("stores grow by appending and find poses by time", () => {
  const columns = () => decodeColumns(run({ poses: 700 }).path);
  const store = new PoseStore();
  for (let i = 0; i < 4; ++i) {
    const next = columns();
    next.time.forEach((_, k) => (next.time[k] += i * 100));
    store.append(next);
  }
  assert.equal(store.count, 2800);
  assert.equal(store.position[3 * 2100], store.position[0]);
  assert.equal(store.indexAt(-5), 0);
  assert.equal(store.indexAt(100.04), 701);
  assert.equal(store.indexAt(1e9), 2799);
  store.clear();
  store.append(columns());
  assert.equal(store.count, 700);
});

test("the cursor plays, steps and stays inside", () => {
  const state = new State();
  state.addRun(decodeRun(run({ poses: 31 }), null));
  state.setPlaying(true);
  advance(state, 0.1);
  assert.ok(Math.abs(state.time - 0.1) < 1e-9);
  state.step(1);
  assert.equal(state.playing, false);
  assert.equal(state.pose, 4);
  state.setTime(99);
  assert.equal(state.time, 1);
  state.setTime(NaN);
  assert.equal(state.time, 1);
  changeSpeed(state, 1);
  assert.equal(state.speed, 2);
  state.set("view", "top");
  assert.equal(hashOf(state), "#t=1&view=top");
});

test("colours run from low to high and ignore outliers", () => {
  const low = [0, 0, 0];
  const high = [0, 0, 0];
  colorAt(-1, low);
  colorAt(2, high);
  assert.ok(low[2] > low[0] && high[0] > high[2]);
  const values = Float32Array.from({ length: 1000 }, (_, i) => (i === 5 ? 1e9 : i / 1000));
  assert.ok(colorRange(values)[1] < 2);
  assert.deepEqual(colorRange(new Float32Array([NaN])), [0, 1]);
});

test("every point is drawn once", () => {
  for (const n of [1, 2, 10, 1000, 65536]) {
    const step = coprimeStep(n);
    const seen = new Set<number>();
    for (let i = 0, at = 0; i < n; ++i, at = (at + step) % n) seen.add(at);
    assert.equal(seen.size, n);
  }
});

test("numbers for people", () => {
  assert.equal(clock(83.25), "1:23.250");
  assert.equal(clock(59.9996), "1:00.000");
  assert.equal(metres(0.0132), "13.2 mm");
  assert.equal(metres(12345), "12.3 km");
  assert.equal(trim(0.000123), "0.000123");
  assert.equal(roundDown(7), 5);
  assert.equal(roundDown(0.03), 0.02);
});
