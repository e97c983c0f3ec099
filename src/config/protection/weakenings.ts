import { type Diagnostic, unplaced } from '../../base/diagnostic.js';
import { isRecord } from '../../base/record.js';
import type { LoadedConfig } from '../load.js';
import type { Config } from '../schema.js';
import { printPath } from '../validate.js';
import type { ConfigPath } from '../yaml-source.js';
import type { Change, Comparison, Protection, Weakening } from './protection.js';
import { PROTECTIONS } from './table.js';

/** Of more the rest is counted. */
const SHOWN = 20;

/** What a later configuration protects less than the one in use, as diagnostics at their places. */
export function weakeningsIn(before: Config, next: LoadedConfig): readonly Diagnostic[] {
  const change: Change = {
    before,
    after: next.config,
    isGiven: (path) => next.isGiven(path),
    successors: successorsIn(before, next.config),
  };
  const found = new Map<string, Weakening>();
  for (const protection of Object.values<Protection>(PROTECTIONS))
    for (const weakening of compare(protection, change)) found.set(JSON.stringify(weakening.path), weakening);
  const weaker = [...found.values()];
  const shown = weaker.slice(0, SHOWN).map(({ path, what }): Diagnostic => {
    const place = next.placeOf(path) ?? { file: next.file, line: null, column: null };
    return { ...place, what: `${printPath(path)} ${what}.`, remedy: null };
  });
  const rest = weaker.length - shown.length;
  return rest === 0 ? shown : [...shown, unplaced(`There are ${rest} more.`, null)];
}

function* compare({ keys, compareAll }: Protection, change: Change): Iterable<Weakening> {
  for (const [pattern, comparison] of Object.entries(keys))
    yield* descend(change.before, change.after, pattern.split('.'), [], comparison, change);
  yield* compareAll?.(change) ?? [];
}

/** Compares the values of all keys that a pattern stands for. */
function* descend(
  before: unknown,
  after: unknown,
  [step, ...rest]: readonly string[],
  path: ConfigPath,
  comparison: Comparison,
  change: Change,
): Iterable<Weakening> {
  if (step === undefined) {
    const what = comparison(before, after, path, change);
    if (what !== null) yield { path, what };
    return;
  }
  const ofServices = path.length === 1 && path[0] === 'services';
  if (step === '*') {
    for (const [name, value] of Object.entries(isRecord(before) ? before : {})) {
      for (const later of ofServices ? (change.successors.get(name) ?? []) : [name])
        if (!ofServices || childOf(after, later) !== undefined)
          yield* descend(value, childOf(after, later), rest, [...path, later], comparison, change);
    }
    return;
  }
  const name = step.replace('?', '');
  const value = childOf(after, name);
  if (name !== step && value === undefined) return;
  const at = name === 'graphqlServices' ? 'services' : name;
  yield* descend(childOf(before, name), value, rest, [...path, at], comparison, change);
}

const childOf = (owner: unknown, name: string): unknown =>
  isRecord(owner) && Object.hasOwn(owner, name) ? owner[name] : undefined;

/** By the name of an earlier service: itself, and those that are new at one of its addresses. */
function successorsIn(before: Config, after: Config): ReadonlyMap<string, readonly string[]> {
  const known = { ...before.services, ...before.graphqlServices };
  const later = Object.entries({ ...after.services, ...after.graphqlServices });
  return new Map(
    Object.entries(known).map(([name, { urls }]) => {
      const isSuccessor = ([other, service]: (typeof later)[number]): boolean =>
        other === name || (!Object.hasOwn(known, other) && service.urls.some((url) => urls.includes(url)));
      return [name, later.filter(isSuccessor).map(([other]) => other)];
    }),
  );
}

/** What a configuration leaves open by what it does not say, a sentence for each. */
export const openIn = (config: Config): readonly string[] =>
  Object.values<Protection>(PROTECTIONS).flatMap(({ open }) => open?.(config) ?? []);
