import type { LimitTable } from '../../core/index.js';
import type { ConfigPath } from '../keys/config-path.js';
import { LIMIT_TABLES } from '../limit-tables.js';
import type { Config } from '../schema.js';
import type { ConfigChange, Weakening } from './protection.js';

const TABLES: Readonly<Record<keyof Config['limits'], LimitTable>> = LIMIT_TABLES;

/** Limits against attacks that 0 switches off, and the harm that clients can do then. */
export const HARM_WHEN_OFF: ReadonlyMap<string, string> = new Map([
  [
    'http.handshakesPerSecond',
    'one address may begin as many TLS handshakes as it likes, and keep the processor busy.',
  ],
  [
    'http.bodyRateBytes',
    'bodies may come byte by byte up to `limits.http.totalMillis`, and hold connections meanwhile.',
  ],
  [
    'http.refusalsPerSecond',
    'refusals are never delayed: an address may send attacks, and guess passwords, at any rate.',
  ],
  [
    'http.refusalHoldMillis',
    'refusals are never delayed: `limits.http.refusalsPerSecond` has no effect.',
  ],
  [
    'overload.eventLoopMillis',
    'no request is refused under overload: all wait, also those of clients that do no harm.',
  ],
  [
    'overload.hangMillis',
    'a worker that hangs is not replaced: the clients that connect to it get no answer.',
  ],
  [
    'persisted.registrationCost',
    'new persisted documents cost nothing: one client can evict those of all others.',
  ],
]);

/** Limits of which the larger value is the stricter one. */
const FLOORS: ReadonlySet<string> = new Set([
  'http.bodyRateBytes',
  'http.refusalHoldMillis',
  'persisted.registrationCost',
]);

/**
 * Limits that are switched off, or gone while the default is weaker. A number that is written is a
 * decision.
 */
export function weakerLimits({
  before,
  after,
  isGiven,
  successors,
}: ConfigChange): readonly Weakening[] {
  const weaker: Weakening[] = [];
  const compare = (
    group: keyof Config['limits'],
    earlier: object,
    later: object,
    at: readonly ConfigPath[],
  ): void => {
    const known = new Map<string, unknown>(Object.entries(earlier));
    const inherited = new Map<string, unknown>(
      at.length > 1 ? Object.entries(before.limits[group]) : [],
    );
    for (const [name, value] of Object.entries(later)) {
      const key = `${group}.${name}`;
      const was = known.get(name);
      if (
        typeof value !== 'number' ||
        typeof was !== 'number' ||
        value === was ||
        inherited.get(name) === was
      ) {
        continue;
      }
      const path = [...(at[0] ?? []), group, name];
      const isStricter = FLOORS.has(key)
        ? was > value
        : was < value && (isRefused(group, name) || HARM_WHEN_OFF.has(key));
      if (value === 0 && HARM_WHEN_OFF.has(key)) {
        weaker.push({ path, what: 'is switched off' });
      } else if (isStricter && !at.some((owner) => isGiven([...owner, group, name]))) {
        weaker.push({ path, what: 'is gone, and its default is weaker' });
      }
    }
  };
  for (const group of groupsOf(after.limits)) {
    compare(group, before.limits[group], after.limits[group], [['limits']]);
  }
  for (const kind of ['services', 'graphqlServices'] as const) {
    for (const [name, { limits: earlier }] of Object.entries(before[kind])) {
      for (const later of successors.get(name) ?? []) {
        const limits = after[kind][later]?.limits ?? {};
        const earlierOf = (group: string): object =>
          new Map<string, object>(Object.entries(earlier)).get(group) ?? {};
        const own: ConfigPath = ['services', later, 'limits'];
        for (const [group, values] of Object.entries<object>(limits)) {
          if (isGroup(group)) {
            compare(group, earlierOf(group), values, [own, ['limits']]);
          }
        }
      }
    }
  }
  return weaker;
}

const isGroup = (name: string): name is keyof Config['limits'] => Object.hasOwn(TABLES, name);
const groupsOf = (limits: Config['limits']): readonly (keyof Config['limits'])[] =>
  Object.keys(limits).filter(isGroup);

/** Whether requests beyond the limit are refused: others are sizes, and prices. */
const isRefused = (group: keyof Config['limits'], name: string): boolean =>
  TABLES[group][name]?.refusal != null;
