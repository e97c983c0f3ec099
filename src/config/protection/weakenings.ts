import { isDeepStrictEqual } from 'node:util';
import { collections, type Diagnostic, diagnosis, isRecord, type Steps } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Config } from '../schema.js';
import type { ConfigSection } from '../section.js';
import type { ConfigChange, Protection, ValueComparison, Weakening } from './protection.js';
import { PROTECTIONS } from './table.js';

/** Weakenings that are reported one by one; the rest is counted. */
const SHOWN = 20;

/** What a later configuration protects less than the one in use, as diagnostics at their places. */
export function* weakeningsIn(
  before: Config,
  next: ConfigSection<Config>,
): Steps<readonly Diagnostic[]> {
  const unchanged = yield* unchangedServices(before, next.value);
  const change: ConfigChange = {
    before,
    after: next.value,
    isGiven: (path) => next.isGiven(path),
    successors: successorsIn(before, next.value),
  };
  const found = new Map<string, Weakening>();
  for (const protection of Object.values<Protection>(PROTECTIONS)) {
    for (const weakening of compare(protection, change, unchanged)) {
      if (weakening === null) {
        yield;
      } else {
        found.set(JSON.stringify(weakening.path), weakening);
      }
    }
  }
  const weaker = [...found.values()];
  const shown = weaker
    .slice(0, SHOWN)
    .map(({ path, what }) => next.diagnostic(path, `${printPath(path)} ${what}.`, null));
  const rest = weaker.length - shown.length;
  return rest === 0 ? shown : [...shown, diagnosis.unplaced(`There are ${rest} more.`, null)];
}

/** Null between two parts of the work. */
type Found = Iterable<Weakening | null>;

function* compare(
  { keys, compareAll }: Protection,
  change: ConfigChange,
  unchanged: ReadonlySet<string>,
): Found {
  for (const [pattern, comparison] of Object.entries(keys)) {
    const [first = '', second, ...rest] = pattern.split('.');
    if (second === '*' && (first === 'services' || first === 'graphqlServices')) {
      yield* ofServices(first, rest, comparison, change, unchanged);
    } else {
      yield* descend(change.before, change.after, pattern.split('.'), [], comparison, change);
    }
    yield null;
  }
  yield* compareAll?.(change) ?? [];
  yield null;
}

/** Compares the keys of each service with those of the later services that stand for it. */
function* ofServices(
  kind: 'services' | 'graphqlServices',
  pattern: readonly string[],
  comparison: ValueComparison,
  change: ConfigChange,
  unchanged: ReadonlySet<string>,
): Found {
  const { before, after, successors } = change;
  for (const [name, service] of Object.entries(before[kind])) {
    for (const later of successors.get(name) ?? []) {
      const found = after[kind][later];
      if (found === undefined || (later === name && unchanged.has(name))) continue;
      yield* descend(service, found, pattern, ['services', later], comparison, change);
      yield null;
    }
  }
}

/** Most reloads change few services. */
function* unchangedServices(before: Config, after: Config): Steps<ReadonlySet<string>> {
  const unchanged = new Set<string>();
  for (const kind of ['services', 'graphqlServices'] as const) {
    for (const [name, service] of Object.entries(before[kind])) {
      if (isDeepStrictEqual(service, after[kind][name])) {
        unchanged.add(name);
      }
      yield;
    }
  }
  return unchanged;
}

/** Compares the values of all keys that a pattern stands for. */
function* descend(
  before: unknown,
  after: unknown,
  [step, ...rest]: readonly string[],
  path: ConfigPath,
  comparison: ValueComparison,
  change: ConfigChange,
): Iterable<Weakening> {
  if (step === undefined) {
    const what = comparison(before, after, path, change);
    if (what !== null) {
      yield { path, what };
    }
    return;
  }
  if (step === '*') {
    for (const [name, value] of Object.entries(isRecord(before) ? before : {})) {
      yield* descend(value, childOf(after, name), rest, [...path, name], comparison, change);
    }
    return;
  }
  const name = step.replace('?', '');
  const value = childOf(after, name);
  if (name !== step && value === undefined) return;
  yield* descend(childOf(before, name), value, rest, [...path, name], comparison, change);
}

const childOf = (owner: unknown, name: string): unknown =>
  isRecord(owner) && Object.hasOwn(owner, name) ? owner[name] : undefined;

/**
 * Maps the name of an earlier service to the later services that succeed it. These are the one of
 * that name, and those that are new at one of its addresses.
 */
function successorsIn(before: Config, after: Config): ReadonlyMap<string, readonly string[]> {
  const known = { ...before.services, ...before.graphqlServices };
  const later = { ...after.services, ...after.graphqlServices };
  const added = new Map<string, string[]>();
  for (const [name, { urls }] of Object.entries(later)) {
    if (!Object.hasOwn(known, name)) {
      for (const url of urls) {
        collections.addToGroup(added, url, name);
      }
    }
  }
  return new Map(
    Object.entries(known).map(([name, { urls }]) => {
      const own = Object.hasOwn(later, name) ? [name] : [];
      return [name, [...new Set([...own, ...urls.flatMap((url) => added.get(url) ?? [])])]];
    }),
  );
}

/** What a configuration leaves open by what it does not say, a sentence for each. */
export const openIn = (config: Config): readonly string[] =>
  Object.values<Protection>(PROTECTIONS).flatMap(({ open }) => open?.(config) ?? []);
