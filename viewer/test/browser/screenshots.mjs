// SPDX-License-Identifier: Apache-2.0
// usage: node test/browser/screenshots.mjs CALFVO TEMPLATE OUTPUT
// Writes the images of docs/viewer.md and of the README into the folder OUTPUT, from a synthetic clip.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { settled, withBrowser } from "./browser.mjs";

const [calfvo, template, output] = process.argv.slice(2);
if (!output) {
  console.error("usage: node test/browser/screenshots.mjs CALFVO TEMPLATE OUTPUT");
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "calfvo-screenshots-"));
process.env.CALFVO_VIEWER = resolve(template);
const run = (...args) => execFileSync(resolve(calfvo), args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
try {
  // As `make demo`.
  run("synth", "street", "-o", "drive", "--preset", "driving", "--frames", "150", "--seed", "2");
  run("run", "drive/video.mp4", "-o", "result", "--gt", "drive/groundtruth.txt");
  const url = pathToFileURL(join(folder, "result/view.html")).href;
  const shots = {
    "viewer.png": { hash: "#smooth&t=9&view=follow", viewport: { width: 1280, height: 760 } },
    "viewer-light.png": { hash: "#smooth&t=6", viewport: { width: 1280, height: 760 }, colorScheme: "light" },
    "viewer-phone.png": { hash: "#smooth&t=6", viewport: { width: 390, height: 844 } },
  };
  await withBrowser(async ({ open }) => {
    for (const [name, { hash, ...options }] of Object.entries(shots)) {
      const { page, problems } = await open(url + hash, options);
      await settled(page);
      await page.screenshot({ path: join(output, name) });
      await page.close();
      if (problems.length > 0) throw new Error(`${name}: ${problems.join("; ")}`);
      console.log(join(output, name));
    }
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
