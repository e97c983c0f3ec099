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
    const points = pointsWith(this.now, name, labels);
    return [...new Set(points.map((point) => String(point.labels[label] ?? '')))];
  }

  /** Seconds below which this share of the window's requests was; null when there were none. */
  quantile(share: number, labels: Labels = {}): number | null {
    const series = 'soapstone_request_duration_seconds_bucket';
    const bounds = this.values(series, 'le')
      .map(Number)
      .filter(Number.isFinite)
      .sort((one, other) => one - other);
    const counts = [...bounds.map(String), '+Inf'].map((le) =>
      this.grown(series, { ...labels, le }),
    );
    return quantileOf(share, bounds, counts);
  }
}

/**
 * The value below which this share is, by counts up to each bound and, the last, of all; null where
 * there are none.
 */
export function quantileOf(
  share: number,
  bounds: readonly number[],
  counts: readonly number[],
): number | null {
  const all = counts[bounds.length] ?? 0;
  if (all === 0) return null;
  const index = counts.findIndex((count) => count >= all * share);
  if (index === -1 || index === bounds.length) return bounds.at(-1) ?? null;
  const [low, high] = [bounds[index - 1] ?? 0, bounds[index] ?? 0];
  const [below, within] = [counts[index - 1] ?? 0, counts[index] ?? 0];
  return within === below ? high : low + ((high - low) * (all * share - below)) / (within - below);
}

/** Points by the value of one of their labels. */
type LabelIndex = ReadonlyMap<string, readonly Point[]>;

/** Indexes of each state: with hundreds of services a metric has thousands of points. */
const INDEXES = new WeakMap<ConsoleState, Map<string, LabelIndex>>();

/** The points of a metric that have these labels, found by the first of them. */
function pointsWith(state: ConsoleState, name: string, labels: Labels): readonly Point[] {
  const points = state.metrics[name] ?? [];
  const [first] = Object.entries(labels);
  if (first === undefined) return points;
  const [label, value] = first;
  const found = indexOf(state, name, label).get(value) ?? [];
  return found.filter((point) => fits(point, labels));
}

function indexOf(state: ConsoleState, name: string, label: string): LabelIndex {
  const indexes = INDEXES.get(state) ?? new Map<string, LabelIndex>();
  INDEXES.set(state, indexes);
  const key = `${name} ${label}`;
  const known = indexes.get(key);
  if (known !== undefined) return known;
  const made = new Map<string, Point[]>();
  for (const point of state.metrics[name] ?? []) {
    const value = String(point.labels[label] ?? '');
    const points = made.get(value) ?? [];
    made.set(value, points);
    points.push(point);
  }
  indexes.set(key, made);
  return made;
}

const textsOf = (labels: Point['labels']): Labels =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value ?? '')]));

const fits = (point: Point, labels: Labels): boolean =>
  Object.entries(labels).every(([name, value]) => String(point.labels[name] ?? '') === value);

const sumOf = (state: ConsoleState, name: string, labels: Labels): number =>
  pointsWith(state, name, labels).reduce((sum, { value }) => sum + value, 0);

export const printRate = (value: number): string =>
  value === 0 ? '0' : value < 10 ? value.toFixed(1) : value.toFixed(0);

export function printSeconds(value: number | null): string {
  if (value === null) return '–';
  if (value < 1) return `${(value * 1000).toFixed(value < 0.01 ? 1 : 0)} ms`;
  return `${value.toFixed(1)} s`;
}

export const printMib = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(0)} MiB`;

/** Date and time of this machine, as ISO 8601 has them: the one form of the page. */
export const printTime = (millis: number): string => new Date(millis).toLocaleString('sv-SE');

/** The time alone: without seconds where a minute is enough. */
export const printClock = (millis: number, hasSeconds: boolean): string =>
  printTime(millis).slice(11, hasSeconds ? 19 : 16);
