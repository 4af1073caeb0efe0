// SPDX-License-Identifier: Apache-2.0
// usage: node build.mjs OUTPUT
// Bundles the viewer into one HTML file without data, the template of view.html. Its content security policy allows exactly
// this script and style; calfvo replaces the comment calfvo:data by the data of a run, and calfvo:connect in the policy.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL(".", import.meta.url));
const output = process.argv[2];
if (!output) {
  console.error("usage: node build.mjs OUTPUT");
  process.exit(2);
}

async function bundle(entry, loader) {
  const result = await build({
    entryPoints: [folder + entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2021"],
    legalComments: "none",
    charset: "utf8",
    absWorkingDir: folder,
    loader,
  });
  return result.outputFiles[0].text.trim();
}

// Inside <script> these would end or comment out the script.
const script = (await bundle("src/main.ts")).replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const style = await bundle("src/style.css");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src 'self' blob: data:",
  "connect-src calfvo:connect",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
// Replacement functions: `$` in a bundle has no meaning.
const page = readFileSync(folder + "src/index.html", "utf8")
  .replace("@CSP@", () => policy)
  .replace("@STYLE@", () => style)
  .replace("@SCRIPT@", () => script);
writeFileSync(output, page);
