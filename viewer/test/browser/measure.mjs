// SPDX-License-Identifier: Apache-2.0
// usage: node test/browser/measure.mjs TEMPLATE
// Prints a Markdown table: size, time to first paint and to the complete page, and median frame times while playing and while
// orbiting, of synthetic pages, in headless Chromium with WebGL by software.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { page as makePage, syntheticRun } from "../pages.mjs";
import { settled, withBrowser } from "./browser.mjs";

const template = readFileSync(process.argv[2], "utf8");
const folder = mkdtempSync(join(tmpdir(), "calfvo-measure-"));
const CASES = [[1000, 0], [20000, 0], [200000, 0], [200000, 2000000]];

// Median milliseconds between drawn frames over two seconds, after as many to adapt, and of this thread's work for one.
const frameTimes = (page) => page.evaluate(() => new Promise((done) => {
  const gaps = [];
  const work = [];
  let last = performance.now();
  const start = last;
  const tick = () => {
    const now = performance.now();
    if (now - start > 2000) {
      gaps.push(now - last);
      work.push(window.calfvo.view.stage.workMs);
    }
    last = now;
    if (now - start < 4000 || gaps.length < 3) return requestAnimationFrame(tick);
    const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
    done([median(gaps), median(work)]);
  };
  requestAnimationFrame(tick);
}));

console.log(`page without data: ${(template.length / 1e6).toFixed(2)} MB\n`);
console.log("| poses | map points | page, MB | first paint, ms | complete, ms | frame while playing, ms | while orbiting, ms | own work per frame, ms |");
console.log("|---|---|---|---|---|---|---|---|");
try {
  for (const [poses, points] of CASES) {
    const file = join(folder, "page.html");
    writeFileSync(file, makePage(template, syntheticRun({ poses, points })));
    await withBrowser(async ({ open }) => {
      const { page } = await open(pathToFileURL(file).href, { timeout: 120000 });
      const paint = await page.evaluate(() => performance.getEntriesByType("paint").find((entry) => entry.name === "first-contentful-paint")?.startTime ?? NaN);
      const ready = await page.evaluate(() => window.calfvoReady);
      await settled(page);
      await page.evaluate(() => {
        window.calfvo.state.setTime(window.calfvo.state.duration / 3);
        window.calfvo.state.setPlaying(true);
      });
      const [playing, work] = await frameTimes(page);
      await page.evaluate(() => {
        const { state, view } = window.calfvo;
        state.setPlaying(false);
        view.stage.onTick(() => void view.stage.controls.rotate(0.01, 0, false));
      });
      const [orbiting] = await frameTimes(page);
      const row = [poses.toLocaleString("en"), points.toLocaleString("en"), (statSync(file).size / 1e6).toFixed(1), ...[paint, ready, playing, orbiting].map((value) => value.toFixed(0)), work.toFixed(1)];
      console.log(`| ${row.join(" | ")} |`);
    });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
