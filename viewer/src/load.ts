// SPDX-License-Identifier: Apache-2.0
// Where the data comes from: embedded in the page, or the server of `calfvo view`.
import { decodeRun, type FramesDocument, type RunData, type RunDocument } from "./data/document.ts";

// The runs of the server, and whether one is under way.
export interface ServerRuns {
  runs: number;
  live: boolean;
}

function embedded<T>(id: string): T | null {
  const node = document.getElementById(id);
  if (!node) return null;
  const data = JSON.parse(node.textContent ?? "null") as T;
  node.remove(); // the text is as large as all data
  return data;
}

export function embeddedRun(): RunData | null {
  const run = embedded<RunDocument>("calfvo-run");
  return run ? decodeRun(run, embedded<FramesDocument>("calfvo-frames")) : null;
}

async function fetchJson<T>(address: string): Promise<T> {
  const response = await fetch(address);
  if (!response.ok) throw new Error((await response.text()).trim() || `${address}: ${response.status}`);
  return (await response.json()) as T;
}

export function serverRuns(): Promise<ServerRuns> {
  return fetchJson<ServerRuns>("api/runs");
}

export async function serverRun(index: number): Promise<RunData> {
  const [run, frames] = await Promise.all([
    fetchJson<RunDocument>(`api/run/${index}`),
    fetchJson<FramesDocument | null>(`api/frames/${index}`),
  ]);
  const data = decodeRun(run, frames);
  data.server = index;
  return data;
}
