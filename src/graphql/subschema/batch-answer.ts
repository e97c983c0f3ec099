import { isRecord } from '../../base/record.js';
import type { SubschemaBatch } from '../fields/subschema.js';
import { HIDDEN, hiddenKey } from '../links/link-slots.js';

/**
 * The answer of a list operation as links read it: each step to the items under `HIDDEN`, and in each item its value
 * under `HIDDEN` beside its key. `visible` makes the value of an item.
 */
export function batchAnswer(value: unknown, { items, key, keySteps }: SubschemaBatch, visible: Visible): unknown {
  const list = items.reduce((inner: unknown, step) => (isRecord(inner) ? inner[step] : null), value);
  if (!Array.isArray(list)) return null;
  const answers = list.map((item: unknown): unknown =>
    isRecord(item) ? { [HIDDEN]: visible(item), [hiddenKey(0)]: hidden(item[key], key, keySteps) } : null,
  );
  return items.reduce((inner: unknown) => ({ [HIDDEN]: inner }), answers);
}

type Visible = (item: Readonly<Record<string, unknown>>) => unknown;

/** The path of an error in a list operation's answer, as `batchAnswer` has it. */
export function batchPath(
  path: readonly (string | number)[],
  batch: SubschemaBatch | null,
): readonly (string | number)[] {
  if (batch === null) return path;
  const { items } = batch;
  const above = items.map(() => HIDDEN);
  const index = path[items.length];
  if (typeof index !== 'number') return above;
  return [...above, index, HIDDEN, ...path.slice(items.length + 1)];
}

/** Follows `key` from a value, `steps` times, and nests the result under `HIDDEN` as deep. */
export function hidden(held: unknown, key: string, steps: number): unknown {
  let value = held;
  for (let step = 0; step < steps; step++) value = isRecord(value) ? value[key] : null;
  for (let step = 0; step < steps; step++) value = { [HIDDEN]: value ?? null };
  return value ?? null;
}
