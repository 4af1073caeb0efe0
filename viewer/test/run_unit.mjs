// SPDX-License-Identifier: Apache-2.0
// Bundles test/*.test.ts and runs them by node's own test runner (Node 18 reads no TypeScript).
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL(".", import.meta.url));
const output = mkdtempSync(join(tmpdir(), "calfvo-unit-"));
const tests = readdirSync(folder).filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: tests.map((name) => join(folder, name)),
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node18",
  outdir: output,
  outExtension: { ".js": ".mjs" },
});
const files = readdirSync(output).map((name) => join(output, name));
const result = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" });
rmSync(output, { recursive: true, force: true });
process.exit(result.status ?? 1);
