// SPDX-License-Identifier: Apache-2.0
// Curves over time with bands of uncertainty; hatched where frames deserve distrust. Drag to scrub, wheel to zoom, double
// click to see all.
import uPlot from "uplot";
import type { Run, State } from "../state.ts";
import { thin } from "../math/series.ts";
import { element, setText } from "./dom.ts";
import { metres, trim } from "./format.ts";
import { fillHatched } from "./hatch.ts";
import type { ThemeChoice } from "./theme.ts";

const BUCKETS = 1200;

interface Curve {
  label: string;
  values: Float32Array;
  sigma?: Float32Array; // half width of the band
  right?: boolean; // axis on the right
}

interface PlotKind {
  title: string;
  curves: (run: Run) => Curve[];
  read: (run: Run, pose: number) => string;
}

const KINDS: PlotKind[] = [
  {
    title: "σ per frame",
    curves: ({ series, data }) =>
      data.poses.hasConfidence
        ? [{ label: "translation, m", values: series.sigmaTranslation }, { label: "rotation, °", values: series.sigmaRotation, right: true }]
        : [],
    read: ({ series }, i) => `${metres(series.sigmaTranslation[i])} · ${trim(series.sigmaRotation[i])}°`,
  },
  {
    title: "Speed, m/s",
    curves: ({ series, data }) => [{ label: "speed", values: series.speed, sigma: data.poses.hasConfidence ? series.speedSigma : undefined }],
    read: ({ series, data }, i) => `${trim(series.speed[i])}${data.poses.hasConfidence ? ` ± ${trim(series.speedSigma[i], 2)}` : ""} m/s`,
  },
  {
    title: "Yaw, pitch, roll, °",
    curves: ({ series, data }) => {
      const has = data.poses.hasConfidence;
      return [
        { label: "yaw", values: series.yaw, sigma: has ? series.yawSigma : undefined },
        { label: "pitch", values: series.pitch, sigma: has ? series.pitchSigma : undefined },
        { label: "roll", values: series.roll, sigma: has ? series.rollSigma : undefined },
      ];
    },
    read: ({ series }, i) => `${trim(series.yaw[i])} · ${trim(series.pitch[i])} · ${trim(series.roll[i])}°`,
  },
  {
    title: "Position error and σ, m",
    curves: ({ series, data, aligned }) => [
      ...(aligned ? [{ label: "error", values: aligned.error }] : []),
      ...(data.poses.hasConfidence ? [{ label: "σ", values: series.sigmaPosition }] : []),
    ],
    read: ({ series, aligned }, i) => `${aligned ? `${metres(aligned.error[i])} · ` : ""}σ ${metres(series.sigmaPosition[i])}`,
  },
];

class Plot {
  readonly root: HTMLElement;
  private readonly holder = element("div", { class: "plot-holder" });
  private readonly legend = element("span", { class: "plot-legend" });
  private readonly value = element("output");
  private readonly now = element("div", { class: "now" });
  private plot: uPlot | null = null;

  constructor(private readonly kind: PlotKind, private readonly state: State, private readonly theme: ThemeChoice, private readonly panel: Plots) {
    this.root = element("section", { class: "plot" }, element("h3", {}, kind.title, this.legend, this.value), this.holder);
  }

  // Draws anew: other data, range or colours.
  build(): void {
    this.plot?.destroy();
    this.plot = null;
    const run = this.state.run;
    const curves = run ? this.kind.curves(run) : [];
    this.root.hidden = curves.length === 0 || !run || run.data.poses.count < 2;
    if (this.root.hidden || !run) return;
    const palette = this.theme.palette;
    const poses = run.data.poses;
    const [from, to] = this.panel.range();
    const first = Math.max(0, poses.indexAt(from) - 1);
    const kept = thin(curves[0].values, first, Math.min(poses.count, poses.indexAt(to) + 2), BUCKETS);
    const pick = (values: ArrayLike<number>) => Array.from(kept, (i) => (Number.isFinite(values[i]) ? values[i] : null));
    const data: (number | null)[][] = [Array.from(kept, (i) => poses.time[i])];
    const series: uPlot.Series[] = [{}];
    const bands: uPlot.Band[] = [];
    this.legend.replaceChildren();
    curves.forEach((curve, c) => {
      const color = palette.series[c % palette.series.length];
      const scale = curve.right ? "right" : "y";
      if (curves.length > 1) {
        const name = element("small", {}, curve.label);
        name.style.color = color;
        this.legend.append(name);
      }
      series.push({ stroke: color, width: 1.25, scale, points: { show: false } });
      data.push(pick(curve.values));
      if (curve.sigma) {
        const { values, sigma } = curve;
        const edge = { stroke: "transparent", width: 0, scale, points: { show: false } };
        bands.push({ series: [series.length, series.length + 1], fill: `${color}33` });
        series.push(edge, edge);
        data.push(Array.from(kept, (i) => values[i] + sigma[i]), Array.from(kept, (i) => values[i] - sigma[i]));
      }
    });
    this.addOtherRuns(run, curves, kept, series, data);
    const axis = { stroke: palette.text, grid: { stroke: palette.gridLine, width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const options: uPlot.Options = {
      width: Math.max(50, this.holder.clientWidth),
      height: this.panel.plotHeight,
      legend: { show: false },
      cursor: { show: false },
      select: { show: false, left: 0, top: 0, width: 0, height: 0 },
      padding: [6, curves.some((curve) => curve.right) ? 0 : 10, 0, 0],
      scales: { x: { time: false, range: () => this.panel.range() }, y: { range: rangeWithRoom }, right: { range: rangeWithRoom } },
      axes: [
        { ...axis, size: 22, gap: 2 },
        { ...axis, size: 46, gap: 3, space: 24 },
        { ...axis, scale: "right", side: 1, size: 42, gap: 3, space: 24, grid: { show: false }, show: curves.some((curve) => curve.right) },
      ],
      series,
      bands,
      hooks: { drawClear: [(u) => this.drawSpans(u, run)], ready: [() => this.setTime()] },
    };
    this.plot = new uPlot(options, data as uPlot.AlignedData, this.holder);
    this.plot.over.append(this.now);
    this.panel.scrubOn(this.plot);
  }

  // The first curve of the other runs, thin, at the same times.
  private addOtherRuns(active: Run, curves: Curve[], kept: Uint32Array, series: uPlot.Series[], data: (number | null)[][]): void {
    this.state.runs.forEach((run, i) => {
      if (run === active || !run.visible || run.data.poses.count < 2) return;
      const other = this.kind.curves(run)[0];
      if (!other || other.label !== curves[0].label) return;
      const colors = this.theme.palette.runs;
      series.push({ stroke: `#${colors[i % colors.length].toString(16).padStart(6, "0")}99`, width: 1, scale: "y", points: { show: false } });
      data.push(Array.from(kept, (k) => {
        const time = active.data.poses.time[k];
        const value = time <= run.data.poses.duration ? other.values[run.data.poses.indexAt(time)] : NaN;
        return Number.isFinite(value) ? value : null;
      }));
    });
  }

  setTime(): void {
    const run = this.state.run;
    if (!this.plot || !run) return;
    const left = this.plot.valToPos(this.state.time, "x");
    this.now.hidden = left < 0 || left > this.plot.over.clientWidth;
    this.now.style.transform = `translateX(${left}px)`;
    setText(this.value, this.kind.read(run, this.state.pose));
  }

  resize(): void {
    this.plot?.setSize({ width: Math.max(50, this.holder.clientWidth), height: this.panel.plotHeight });
    this.setTime();
  }

  private drawSpans(u: uPlot, run: Run): void {
    const { left, top, width, height } = u.bbox;
    const right = left + width;
    u.ctx.save();
    for (const span of run.spans) {
      const x0 = Math.max(left, u.valToPos(span.from, "x", true));
      const x1 = Math.min(right, Math.max(u.valToPos(span.to, "x", true), x0 + 2));
      if (x0 < right && x1 > left) fillHatched(u.ctx, x0, top, x1 - x0, height, this.theme.palette.hatch[span.kind], span.kind);
    }
    u.ctx.restore();
  }
}

function rangeWithRoom(_: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const room = 0.08 * (high - low) || 0.5 * Math.abs(high) || 1;
  return [low >= 0 && low < 0.5 * high ? 0 : low - room, high + room];
}

export class Plots {
  private readonly plots: Plot[];
  private zoom: [number, number] | null = null;
  plotHeight = 118;

  constructor(container: HTMLElement, private readonly state: State, theme: ThemeChoice) {
    this.plots = KINDS.map((kind) => new Plot(kind, state, theme, this));
    container.append(...this.plots.map((plot) => plot.root));
    const rebuild = () => this.plots.forEach((plot) => plot.build());
    state.on(["runs", "data", "settings"], rebuild);
    state.on(["time"], () => this.plots.forEach((plot) => plot.setTime()));
    theme.onChange(rebuild);
    let width = 0;
    new ResizeObserver(() => {
      if (container.clientWidth === width) return;
      width = container.clientWidth;
      this.plots.forEach((plot) => plot.resize());
    }).observe(container);
  }

  // The seconds that are shown.
  range(): [number, number] {
    return this.zoom ?? [0, Math.max(this.state.duration, 1e-3)];
  }

  setZoom(zoom: [number, number] | null): void {
    const duration = this.state.duration;
    this.zoom = zoom && zoom[1] - zoom[0] < 0.98 * duration ? [Math.max(0, zoom[0]), Math.min(duration, zoom[1])] : null;
    this.plots.forEach((plot) => plot.build());
  }

  scrubOn(plot: uPlot): void {
    const over = plot.over;
    const timeAt = (event: MouseEvent) => plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
    over.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      over.setPointerCapture(event.pointerId);
      this.state.setPlaying(false);
      this.state.setTime(timeAt(event));
    });
    over.addEventListener("pointermove", (event) => {
      if (over.hasPointerCapture(event.pointerId)) this.state.setTime(timeAt(event));
    });
    over.addEventListener("dblclick", () => this.setZoom(null));
    over.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaY) < Math.abs(event.deltaX)) return;
      event.preventDefault();
      const at = timeAt(event);
      const [from, to] = this.range();
      const factor = Math.exp(0.002 * event.deltaY);
      this.setZoom([at - (at - from) * factor, at + (to - at) * factor]);
    }, { passive: false });
  }
}
