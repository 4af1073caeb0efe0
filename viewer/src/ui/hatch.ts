// SPDX-License-Identifier: Apache-2.0
// Hatched rectangles: one pattern per kind of span, so that they differ without colour too.
import type { SpanKind } from "../math/series.ts";

const patterns = new Map<string, CanvasPattern>();

function patternOf(context: CanvasRenderingContext2D, color: string, kind: SpanKind): CanvasPattern | string {
  const key = `${kind} ${color}`;
  const known = patterns.get(key);
  if (known) return known;
  const size = 8;
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const draw = tile.getContext("2d");
  if (!draw) return color;
  draw.strokeStyle = color;
  draw.lineWidth = 1.5;
  const line = (x0: number, y0: number, x1: number, y1: number) => {
    draw.beginPath();
    draw.moveTo(x0, y0);
    draw.lineTo(x1, y1);
    draw.stroke();
  };
  for (const shift of [-size, 0, size]) {
    if (kind !== "dropped") line(shift - 1, size + 1, shift + size + 1, -1);
    if (kind !== "uncertain") line(shift - 1, -1, shift + size + 1, size + 1);
  }
  const pattern = context.createPattern(tile, "repeat");
  if (!pattern) return color;
  patterns.set(key, pattern);
  return pattern;
}

export function fillHatched(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number, color: string, kind: SpanKind): void {
  context.fillStyle = patternOf(context, color, kind);
  context.fillRect(x, y, width, height);
}
