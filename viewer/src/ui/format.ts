// SPDX-License-Identifier: Apache-2.0
// Numbers for people.

// 83.25 s as 1:23.250
export function clock(seconds: number): string {
  const milliseconds = Math.round(1000 * seconds);
  const minutes = Math.floor(milliseconds / 60000);
  const rest = ((milliseconds % 60000) / 1000).toFixed(3).padStart(6, "0");
  return `${minutes}:${rest}`;
}

// Metres with a unit that suits their size.
export function metres(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0 m";
  if (size < 0.001) return `${trim(value * 1e6, digits)} µm`;
  if (size < 1) return `${trim(value * 1e3, digits)} mm`;
  if (size < 10000) return `${trim(value, digits)} m`;
  return `${trim(value / 1000, digits)} km`;
}

// At most `digits` significant digits, without an exponent.
export function trim(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(decimals, 9));
}

// The largest of 1, 2, 5 · 10^k that is at most `value`.
export function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const leading = value / power;
  return (leading >= 5 ? 5 : leading >= 2 ? 2 : 1) * power;
}
