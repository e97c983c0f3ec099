import { isRecord } from '../../core/index.js';
import { fieldRights } from '../../graphql/index.js';
import type { Config } from '../schema.js';
import type { ConfigChange, ValueComparison } from './protection.js';

/**
 * The scopes of an operation or a field: the later ones must ask for all that the earlier ones did.
 */
export const scopes: ValueComparison = (before, after) => {
  const earlier = choicesOf(before);
  if (earlier === null) return null;
  const later = choicesOf(after);
  if (later === null) return 'is gone';
  const asksEnough = later.every((list) =>
    earlier.some((known) => known.every((scope) => list.includes(scope))),
  );
  return asksEnough ? null : 'asks for less';
};

/** Lists of scopes, each of which is enough; null: nothing is asked for. */
function choicesOf(value: unknown): readonly (readonly string[])[] | null {
  if (!Array.isArray(value)) return null;
  const alone = value.filter((scope) => typeof scope === 'string');
  const lists = value.filter((list: unknown): list is readonly string[] => Array.isArray(list));
  return lists.length === 0 ? [alone] : lists.map((list) => [...alone, ...list]);
}

/** The masks of a field by class, in a later configuration whose classes may be others. */
export const mask: ValueComparison = (
  before,
  after,
  _at,
  { before: { clients: earlier }, after: { clients: later } },
) => {
  const hadClasses = earlier?.classes !== undefined;
  const classes = Object.keys(later?.classes ?? {});
  // A class that is new had the mask of none.
  const names =
    classes.length === 0
      ? [ALL]
      : classes.filter((name) => !hadClasses || strengthOf(before, name) > 0);
  const weaker = names.filter(
    (name) => strengthOf(after, name) < strengthOf(before, hadClasses ? name : ALL),
  );
  return weaker.length === 0
    ? null
    : `masks less for ${weaker.map((name) => (name === ALL ? 'all' : `\`${name}\``)).join(', ')}`;
};

/** The class of all clients where none is configured. */
const ALL = 'default';

/** How much of a value a class does not get: 0, all of it is shown. */
function strengthOf(masks: unknown, name: string): number {
  const found = isRecord(masks) && Object.hasOwn(masks, name) ? masks[name] : null;
  return found === 'last4' || found === 'hash' || found === 'null' || found === 'remove'
    ? fieldRights.STRENGTH[found] + 1
    : 0;
}

/** The masks of all fields, by service and name. */
function* masksIn({
  services,
  graphqlServices,
}: Config): Iterable<readonly [field: string, masks: unknown]> {
  for (const [service, { schema }] of Object.entries(services)) {
    for (const [type, { fields }] of Object.entries(schema.types)) {
      for (const [name, { mask: masks }] of Object.entries(fields)) {
        yield [`${service}.${type}.${name}`, masks];
      }
    }
  }
  for (const [service, { fields }] of Object.entries(graphqlServices)) {
    for (const [name, { mask: masks }] of Object.entries(fields)) {
      yield [`${service}.${name}`, masks];
    }
  }
}

/** The operations that GraphQL offers: those that were left out stay out. */
export const offered: ValueComparison = (before, after) => {
  const earlier = isRecord(before) ? before : {};
  const later = isRecord(after) ? after : {};
  if (selects(later)) return null;
  if (selects(earlier)) return 'names no field any more, so that all operations are offered';
  const back = Object.keys(earlier).filter(
    (name) => earlier[name] === false && !Object.hasOwn(later, name),
  );
  return back.length === 0 ? null : `offers ${back.map((name) => `\`${name}\``).join(', ')} again`;
};

/** Whether only the operations that are listed are offered. */
const selects = (operations: Record<string, unknown>): boolean =>
  Object.values(operations).some((mapping) => isRecord(mapping) && mapping['field'] !== undefined);

/**
 * What the gateway writes into messages of its own, as a constant or by a claim: such as whose data
 * is asked for. Callers choose it where it is gone, unless the operation is no longer offered.
 */
export const fixedForCallers: ValueComparison = (
  before,
  after,
  [, service, kind, operation],
  { after: { services } },
) => {
  if (!isFixed(before) || isFixed(after) || after === false) return null;
  const operations = services[String(service)]?.operations ?? {};
  const mapping = Object.hasOwn(operations, String(operation))
    ? operations[String(operation)]
    : undefined;
  const isOffered =
    kind !== 'operations' || (mapping === undefined ? !selects(operations) : mapping !== false);
  return isOffered ? 'is left to callers' : null;
};

const isFixed = (source: unknown): boolean =>
  isRecord(source) &&
  [source['value'], source['claim'], source['xml']].some((each) => each !== undefined);

/** True if a client that changes its class sees a field that was masked more for its old class. */
export const masksLess = ({ before, after }: ConfigChange, from: string, to: string): boolean => {
  const later = new Map(masksIn(after));
  for (const [field, masks] of masksIn(before)) {
    if (
      strengthOf(masks, from) > 0 &&
      later.has(field) &&
      strengthOf(later.get(field), to) < strengthOf(masks, from)
    ) {
      return true;
    }
  }
  return false;
};
