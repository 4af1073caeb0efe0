// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium under playwright-core, with WebGL by software, and a page that records what must not happen.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const ARGUMENTS = [
  "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--allow-file-access-from-files=false",
];

// Calls `use` with a function that opens pages; closes all at the end.
export async function withBrowser(use) {
  const profile = mkdtempSync(join(tmpdir(), "calfvo-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: ARGUMENTS,
    viewport: { width: 1440, height: 900 },
    colorScheme: "dark",
  });
  try {
    await use({
      // A page at `url`, once the element `ready` is there, with its console errors and the requests that left for elsewhere.
      async open(url, options = {}) {
        const page = await context.newPage();
        const problems = [];
        const allowed = new URL(url).protocol === "file:" ? url.split("#")[0] : new URL(url).origin;
        page.on("console", (message) => message.type() === "error" && problems.push(`console: ${message.text()}`));
        page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
        page.on("request", (request) => {
          const target = request.url();
          if (!target.startsWith(allowed) && !target.startsWith("blob:") && !target.startsWith("data:")) problems.push(`request: ${target}`);
        });
        if (options.viewport) await page.setViewportSize(options.viewport);
        if (options.colorScheme) await page.emulateMedia({ colorScheme: options.colorScheme });
        await page.goto(url, { waitUntil: "load" });
        await page.waitForSelector(options.ready ?? "html[data-ready]", { timeout: options.timeout ?? 20000 });
        return { page, problems };
      },
      async closePages() {
        for (const page of context.pages()) await page.close();
      },
    });
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

// Waits until the camera has come to rest and the last frame is on screen.
export async function settled(page) {
  await page.waitForFunction(() => {
    const stage = window.calfvo.view.stage;
    const before = window.calfvoDrawn;
    window.calfvoDrawn = stage.drawnFrames;
    return before === stage.drawnFrames && stage.drawnFrames > 0;
  }, null, { polling: 250, timeout: 20000 });
}
