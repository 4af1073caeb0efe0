// SPDX-License-Identifier: Apache-2.0
// Light and dark: the system's choice, or the reader's.

export type Theme = "light" | "dark";

// Colours of the 3-D view and the plots; style.css holds those of the page.
export interface Palette {
  background: number;
  grid: number;
  gridMajor: number;
  truth: number;
  network: number;
  loops: number;
  measure: number;
  text: string;
  gridLine: string;
  hatch: Record<"damaged" | "dropped" | "uncertain", string>;
  series: string[];
  runs: number[];
}

const PALETTES: Record<Theme, Palette> = {
  dark: {
    background: 0x0d1117, grid: 0x1d2530, gridMajor: 0x2b3644, truth: 0xe6edf3, network: 0x8b6fd6, loops: 0xff7b72, measure: 0xffd866,
    text: "#9aa7b5", gridLine: "#1f2731",
    hatch: { damaged: "#ff7b72c0", dropped: "#ffa657c0", uncertain: "#d2a8ff90" },
    series: ["#4cc2ff", "#ffb454", "#7ee787"],
    runs: [0x4cc2ff, 0xffb454, 0x7ee787, 0xff8fb1, 0xc7a6ff, 0xe3d26f],
  },
  light: {
    background: 0xf7f8fa, grid: 0xe3e7ec, gridMajor: 0xcdd4dc, truth: 0x24292f, network: 0x7d5bc4, loops: 0xcf222e, measure: 0xbf5b04,
    text: "#57606a", gridLine: "#e6eaef",
    hatch: { damaged: "#cf222ec0", dropped: "#bc4c00c0", uncertain: "#8250df90" },
    series: ["#0969da", "#bf5b04", "#1a7f37"],
    runs: [0x0969da, 0xbf5b04, 0x1a7f37, 0xbf3989, 0x8250df, 0x7d6608],
  },
};

export class ThemeChoice {
  private readonly system = window.matchMedia("(prefers-color-scheme: dark)");
  private chosen: Theme | null = null;
  private readonly listeners: (() => void)[] = [];

  constructor() {
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  get theme(): Theme {
    return this.chosen ?? (this.system.matches ? "dark" : "light");
  }

  get palette(): Palette {
    return PALETTES[this.theme];
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  toggle(): void {
    this.chosen = this.theme === "dark" ? "light" : "dark";
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.theme;
    for (const listener of this.listeners) listener();
  }
}
