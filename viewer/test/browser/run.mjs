// SPDX-License-Identifier: Apache-2.0
// usage: node test/browser/run.mjs CALFVO TEMPLATE [NAME…]
// Tests the viewer in Chromium: the page of a run that CALFVO makes of a synthetic clip, its server, and a run under way.
// Names choose tests by a part of their title.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { page as makePage, syntheticRun } from "../pages.mjs";
import { settled, withBrowser } from "./browser.mjs";

const [calfvo, templatePath, ...wanted] = process.argv.slice(2);
if (!templatePath) {
  console.error("usage: node test/browser/run.mjs CALFVO TEMPLATE [NAME…]");
  process.exit(2);
}
const program = resolve(calfvo);
const template = readFileSync(templatePath, "utf8");
const folder = mkdtempSync(join(tmpdir(), "calfvo-viewer-"));
const at = (name) => join(folder, name);
const run = (...args) => execFileSync(program, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });
const children = [];
const environment = { ...process.env, CALFVO_VIEWER: resolve(templatePath) };

// Starts calfvo and resolves with the address it prints.
function serve(...args) {
  const child = spawn(program, args, { cwd: folder, env: environment, stdio: ["pipe", "pipe", "pipe"] });
  children.push(child);
  return new Promise((done, fail) => {
    const look = (text) => {
      const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(String(text));
      if (url) done({ url: url[0], child });
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.on("exit", (code) => fail(new Error(`calfvo ${args.join(" ")} ended with ${code}`)));
  });
}

// Colours on screen in a rectangle of the page: how many pixels fulfil each condition.
async function countPixels(page, selector, conditions) {
  const bytes = await page.locator(selector).screenshot();
  return page.evaluate(async ([base64, tests]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const counts = Object.fromEntries(tests.map(([name]) => [name, 0]));
    for (let i = 0; i < data.length; i += 4) {
      const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
      for (const [name, [r0, r1, g0, g1, b0, b1]] of tests) {
        if (r >= r0 && r <= r1 && g >= g0 && g <= g1 && b >= b0 && b <= b1) ++counts[name];
      }
    }
    return counts;
  }, [bytes.toString("base64"), Object.entries(conditions)]);
}

const time = (page) => page.evaluate(() => window.calfvo.state.time);
const nowLines = (page) => page.$$eval(".plot:not([hidden]) .now", (lines) => lines.map((line) => Math.round(new DOMMatrix(getComputedStyle(line).transform).e)));

const tests = {
  async "the page of a run renders offline from one file"({ open }) {
    const { page, problems } = await open(`${pathToFileURL(at("result/view.html"))}#t=0.5`);
    await settled(page);
    const counts = await countPixels(page, ".space canvas", { path: [0, 120, 90, 210, 90, 200], bright: [200, 255, 200, 255, 200, 255], background: [13, 13, 17, 17, 23, 23] });
    assert.ok(counts.path > 300, `path: ${counts.path} pixels`);
    assert.ok(counts.bright > 50, `ground truth: ${counts.bright} pixels`);
    assert.ok(counts.background > 100000, `background: ${counts.background} pixels`);
    const video = await countPixels(page, ".video img", { any: [0, 255, 0, 255, 0, 255], dark: [0, 8, 0, 8, 0, 8] });
    assert.ok(video.dark < 0.5 * video.any, "the key frame is shown");
    assert.equal(await page.locator(".plot:visible").count(), 4);
    // The page computes the error itself; calfvo did independently.
    const rmse = await page.evaluate(() => window.calfvo.state.run.aligned.rmse);
    const expected = JSON.parse(readFileSync(at("result/run.json"), "utf8")).eval.ape_trans.rmse;
    assert.ok(Math.abs(rmse - expected) < 1e-4 * expected + 1e-6, `APE ${rmse}, calfvo eval has ${expected}`);
    for (const name of ["none", "se3", "sim3"]) {
      const evaluated = JSON.parse(run("eval", "--ref", "clip/groundtruth.txt", "--est", "result/trajectory.tum", "--align", name, "--json"));
      const shown = await page.evaluate((align) => {
        window.calfvo.state.set("align", align);
        return window.calfvo.state.run.aligned.rmse;
      }, name);
      assert.ok(Math.abs(shown - evaluated.ape_trans.rmse) < 1e-4 * evaluated.ape_trans.rmse + 1e-6, `${name}: ${shown}, calfvo eval has ${evaluated.ape_trans.rmse}`);
    }
    assert.deepEqual(problems, []);
  },

  async "cursor, video, 3-D view and plots move together"({ open }) {
    const { page, problems } = await open(pathToFileURL(at("result/view.html")).href);
    await settled(page);
    const before = await nowLines(page);
    const image = await page.getAttribute(".video img", "src");
    await page.keyboard.press("End");
    const after = await nowLines(page);
    assert.equal(after.length, 4);
    after.forEach((x, i) => assert.ok(x > before[i] + 100, `plot ${i}: ${before[i]} to ${x}`));
    await page.waitForFunction((old) => document.querySelector(".video img").getAttribute("src") !== old, image);
    const end = await time(page);
    assert.ok(end > 0.5);
    assert.ok(Math.abs(Number(await page.inputValue(".slider input")) - end) < 1e-9);
    // Scrubbing in a plot.
    const box = await page.locator(".plot .u-over").nth(1).boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.ok(Math.abs((await time(page)) - end / 2) < 0.03 * end);
    const frustum = () => page.evaluate(() => window.calfvo.view.layers[0].frustum.group.position.toArray());
    const middle = await frustum();
    await page.keyboard.press("Home");
    assert.notDeepEqual(await frustum(), middle);
    await page.keyboard.press(" ");
    await page.waitForFunction(() => window.calfvo.state.time > 0.2);
    await page.keyboard.press(" ");
    assert.equal(await page.evaluate(() => window.calfvo.state.playing), false);
    assert.deepEqual(problems, []);
  },

  async "keyboard, address, measuring and screenshot"({ open }) {
    const { page, problems } = await open(`${pathToFileURL(at("result/view.html"))}#t=0.4&view=top&color=speed`);
    await settled(page);
    assert.ok(Math.abs((await time(page)) - 0.4) < 1e-9);
    assert.deepEqual(await page.evaluate(() => [window.calfvo.state.settings.view, window.calfvo.state.settings.color]), ["top", "speed"]);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("1");
    await page.waitForFunction(() => !location.hash.includes("view=top"));
    const shown = await time(page);
    assert.ok(shown > 0.4 && (await page.evaluate(() => location.hash)).includes(`t=${Number(shown.toFixed(3))}`));
    await page.keyboard.press("?");
    assert.ok((await page.locator("dialog[open] dt").count()) > 15);
    await page.keyboard.press("Escape");
    await page.keyboard.press("3");
    await settled(page);
    await page.keyboard.press("m");
    const ends = await page.evaluate(() => {
      const { state, view } = window.calfvo;
      const { poses } = state.run.data;
      return [0, poses.count - 1].map((i) => {
        const v = view.stage.camera.position.clone().fromArray(poses.position, 3 * i).applyMatrix4(view.stage.world.matrix).project(view.stage.camera);
        const box = view.stage.canvas.getBoundingClientRect();
        return [box.left + ((v.x + 1) / 2) * box.width, box.top + ((1 - v.y) / 2) * box.height];
      });
    });
    for (const [x, y] of ends) await page.mouse.click(x, y);
    const [measured, expected] = await page.evaluate(() => {
      const p = window.calfvo.state.run.data.poses;
      const n = p.count - 1;
      return [window.calfvo.view.measure.distance, Math.hypot(...[0, 1, 2].map((k) => p.position[3 * n + k] - p.position[k]))];
    });
    assert.ok(Math.abs(measured - expected) < 0.1 * expected, `measured ${measured} m of ${expected} m`);
    assert.match(await page.textContent(".measure-label"), /\d m$|mm$/);
    const download = page.waitForEvent("download");
    await page.keyboard.press("p");
    const saved = readFileSync(await (await download).path());
    assert.equal(saved.subarray(1, 4).toString(), "PNG");
    assert.ok(saved.length > 5000);
    await page.keyboard.press("d");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
    for (const key of ["2", "c", "e", "a", "g", "[", "]", "PageDown", "f"]) await page.keyboard.press(key);
    await settled(page);
    assert.deepEqual(problems, []);
  },

  async "refined runs, phones and hatched spans"({ open }) {
    writeFileSync(at("refined.html"), makePage(template, syntheticRun({ poses: 900, points: 5000, refined: true })));
    const { page, problems } = await open(pathToFileURL(at("refined.html")).href, { viewport: { width: 390, height: 844 }, colorScheme: "light" });
    await settled(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390, "no horizontal scrolling");
    const legend = await page.textContent(".legend");
    for (const text of ["before refinement", "ground truth", "loop closures"]) assert.ok(legend.includes(text), legend);
    assert.match(await page.textContent(".numbers"), /focal 521\.4 ± 1\.8 px \(estimated\).*5,000 points/);
    assert.deepEqual(await page.evaluate(() => [...new Set(window.calfvo.state.run.spans.map((span) => span.kind))]), ["damaged", "dropped", "uncertain"]);
    const counts = await countPixels(page, ".spans", { red: [180, 255, 20, 190, 20, 195] });
    assert.ok(counts.red > 10, `damaged frames are hatched: ${counts.red} pixels`);
    assert.deepEqual(problems, []);
  },

  async "a run with --refine shows what refinement wrote"({ open }) {
    run("synth", "room", "-o", "room", "--frames", "30", "--seed", "4", "--size", "320x240", "--motion", "handheld");
    run("run", "room/video.mp4", "-o", "room-refined", "--refine", "--quiet");
    const { page, problems } = await open(pathToFileURL(at("room-refined/view.html")).href);
    await settled(page);
    const written = JSON.parse(readFileSync(at("room-refined/run.json"), "utf8")).refine;
    const shown = await page.evaluate(() => {
      const { data } = window.calfvo.state.run;
      return { points: data.points.position.length / 3, network: Array.from(data.network ?? []), poses: data.poses.count };
    });
    assert.ok(written.points > 0);
    assert.equal(shown.points, written.points);
    const network = readFileSync(at("room-refined/network.tum"), "utf8").trim().split("\n").filter((line) => !line.startsWith("#"))
      .map((line) => line.split(" ").slice(1, 4).map(Number));
    assert.equal(network.length, shown.poses);
    network.flat().forEach((value, i) => assert.ok(Math.abs(value - shown.network[i]) < 1e-5 * (1 + Math.abs(value)), `network path, value ${i}`));
    const focal = /focal ([\d.]+).* px/.exec(await page.textContent(".numbers"));
    assert.ok(Math.abs(focal[1] - written.focal_px) < 1e-3 * written.focal_px, focal[0]);
    assert.ok((await page.textContent(".legend")).includes("before refinement"));
    assert.deepEqual(problems, []);
  },

  async "names stay text"({ open }) {
    const name = `"><img src=x onerror=alert(1)></script><script>document.title='owned'</script>`;
    const document = syntheticRun({ title: name, poses: 50 });
    document.damages = [{ frame: 0, damage: name }];
    document.source = name;
    writeFileSync(at("hostile.html"), makePage(template, document));
    const { page, problems } = await open(pathToFileURL(at("hostile.html")).href);
    assert.equal(await page.textContent("h1"), name);
    assert.ok((await page.textContent("figcaption")).includes(name));
    assert.equal(await page.locator("img[src=x]").count(), 0);
    assert.ok((await page.title()).startsWith(name));
    const blocked = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.owned = true";
      document.head.append(script);
      return window.owned === undefined;
    });
    assert.ok(blocked, "the policy allows no other script");
    assert.ok(problems.every((problem) => problem.includes("Content Security Policy")), problems.join("; "));
  },

  async "broken data is an error message"({ open }) {
    const document = syntheticRun({ poses: 20 });
    document.path.position = "AAAA";
    writeFileSync(at("broken.html"), makePage(template, document));
    const { page } = await open(pathToFileURL(at("broken.html")).href, { ready: ".failure" });
    assert.match(await page.textContent(".failure"), /position/);
    assert.ok(await page.locator(".failure").isVisible());
    assert.equal(await page.locator("html[data-ready]").count(), 0);
  },

  async "calfvo view compares runs and sends full frames"({ open }) {
    const hostile = "<b>&run";
    cpSync(at("result"), at(hostile), { recursive: true });
    const { url } = await serve("view", "result", hostile);
    const { page, problems } = await open(url);
    await settled(page);
    assert.equal(await page.locator(".legend input[type=checkbox]").count(), 2);
    assert.ok((await page.textContent(".legend")).includes(hostile));
    await page.keyboard.press("r");
    assert.equal(await page.textContent("h1"), hostile);
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector(".video img").src.includes("/api/frame/1/1"));
    await page.waitForFunction(() => document.querySelector(".video img").naturalWidth === 480);
    assert.deepEqual(problems, []);
    assert.equal((await fetch(url, { headers: { "Sec-Fetch-Site": "cross-site" } })).status, 403);
  },

  async "a run under way arrives while it happens"({ open }) {
    // A pipe of y4m, fed at this test's pace.
    const { url, child } = await serve("run", "-", "-o", "live", "--live", "--view");
    const exited = new Promise((done) => child.on("exit", done));
    child.stdin.write("YUV4MPEG2 W160 H120 F10:1 Ip A1:1 C420jpeg\n");
    const send = (from, to) => {
      for (let i = from; i < to; ++i) {
        child.stdin.write("FRAME\n");
        child.stdin.write(Uint8Array.from({ length: 160 * 120 * 1.5 }, (_, k) => (k < 160 * 120 ? 60 + 3 * (((k % 160) + i) % 50) : 128)));
      }
    };
    send(0, 1);
    const { page, problems } = await open(url);
    send(1, 14);
    await page.waitForFunction(() => window.calfvo.state.live?.frames > 2);
    await page.waitForSelector(".video img[src^='blob:']");
    assert.match(await page.textContent(".status"), /live · \d+ frames/);
    // A tab that comes late gets all poses; one that closes mid-stream does no harm.
    const other = await open(url);
    await other.page.waitForFunction(() => window.calfvo.state.run.data.poses.count > 2);
    await other.page.close();
    send(14, 24);
    child.stdin.end();
    await page.waitForFunction(() => window.calfvo.state.live.done && window.calfvo.state.run.data.keyFrames, null, { timeout: 40000 });
    const end = await page.evaluate(() => [window.calfvo.state.live.frames, window.calfvo.state.run.data.poses.count, window.calfvo.state.run.data.title]);
    assert.deepEqual(end, [24, 24, "live"]);
    await settled(page);
    child.kill("SIGINT");
    assert.equal(await exited, 0);
    assert.deepEqual(problems, []);
  },
};

let failed = 0;
try {
  process.env.CALFVO_VIEWER = resolve(templatePath);
  run("synth", "street", "-o", "clip", "--preset", "driving", "--frames", "40", "--seed", "2", "--size", "480x160");
  run("run", "clip/video.mp4", "-o", "result", "--gt", "clip/groundtruth.txt");
  await withBrowser(async (browser) => {
    for (const [name, test] of Object.entries(tests)) {
      if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
      const start = performance.now();
      try {
        await test(browser);
        console.log(`ok      ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
      } catch (error) {
        ++failed;
        console.log(`FAILED  ${name}\n${error.stack}`);
      }
      await browser.closePages();
    }
  });
} finally {
  for (const child of children) if (child.exitCode === null) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed > 0 ? 1 : 0);
