import type { ConsoleState } from '../answers.js';

/** States that are kept: five minutes, one every two seconds. */
export const READINGS_MAX = 150;
export const EVERY_MILLIS = 2000;
/** Rates and quantiles are over this time. */
const WINDOW_MILLIS = 60_000;

type Point = NonNullable<ConsoleState['metrics'][string]>[number];
type Labels = Readonly<Record<string, string>>;

/** A state and an earlier one: what happened between them. */
export class Readings {
  readonly now: ConsoleState;
  readonly #before: ConsoleState;

  constructor(states: readonly ConsoleState[]) {
    const now = states.at(-1);
    if (now === undefined) throw new Error('no state');
    this.now = now;
    this.#before = states.find(({ atMillis }) => now.atMillis - atMillis <= WINDOW_MILLIS) ?? now;
  }

  get seconds(): number {
    return Math.max(0.001, (this.now.atMillis - this.#before.atMillis) / 1000);
  }

  /** The sum now of the points that have these labels. */
  total(name: string, labels: Labels = {}): number {
    return sumOf(this.now, name, labels);
  }

  points(name: string): readonly { readonly labels: Labels; readonly value: number }[] {
    return (this.now.metrics[name] ?? []).map(({ labels, value }) => ({
      labels: textsOf(labels),
      value,
    }));
  }

  /** What came in the window. A counter that went back began anew. */
  grown(name: string, labels: Labels = {}): number {
    const now = sumOf(this.now, name, labels);
    const before = sumOf(this.#before, name, labels);
    return now >= before ? now - before : now;
  }

  /** A second, in the window. */
  rate(name: string, labels: Labels = {}): number {
    return this.now === this.#before ? 0 : this.grown(name, labels) / this.seconds;
  }

  /** The values of a label. */
  values(name: string, label: string, labels: Labels = {}): readonly string[] {
    const points = (this.now.metrics[name] ?? []).filter((point) => fits(point, labels));
    return [...new Set(points.map((point) => String(point.labels[label] ?? '')))];
  }

  /** Seconds below which this share of the window's requests was; null when there were none. */
  quantile(share: number, labels: Labels = {}): number | null {
    const series = 'soapstone_request_duration_seconds_bucket';
    const bounds = this.values(series, 'le')
      .map(Number)
      .filter(Number.isFinite)
      .sort((one, other) => one - other);
    const counts = bounds.map((bound) => this.grown(series, { ...labels, le: String(bound) }));
    const all = this.grown(series, { ...labels, le: '+Inf' });
    if (all === 0) return null;
    const index = counts.findIndex((count) => count >= all * share);
    if (index === -1) return bounds.at(-1) ?? null;
    const [low, high] = [bounds[index - 1] ?? 0, bounds[index] ?? 0];
    const [below, within] = [counts[index - 1] ?? 0, counts[index] ?? 0];
    return within === below
      ? high
      : low + ((high - low) * (all * share - below)) / (within - below);
  }
}

const textsOf = (labels: Point['labels']): Labels =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value ?? '')]));

const fits = (point: Point, labels: Labels): boolean =>
  Object.entries(labels).every(([name, value]) => String(point.labels[name] ?? '') === value);

const sumOf = ({ metrics }: ConsoleState, name: string, labels: Labels): number =>
  (metrics[name] ?? []).reduce((sum, point) => (fits(point, labels) ? sum + point.value : sum), 0);

export const printRate = (value: number): string =>
  value === 0 ? '0' : value < 10 ? value.toFixed(1) : value.toFixed(0);

export function printSeconds(value: number | null): string {
  if (value === null) return '–';
  if (value < 1) return `${(value * 1000).toFixed(value < 0.01 ? 1 : 0)} ms`;
  return `${value.toFixed(1)} s`;
}

export const printMib = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(0)} MiB`;

/** Date and time of this machine, as ISO 8601 has them. */
export const printTime = (millis: number): string => new Date(millis).toLocaleString('sv-SE');
