import { SECTIONS } from '../clients/credential-rules.js';
import type { ValueComparison } from './protection.js';

/**
 * The order of the ways in which clients are identified, of those that both configurations have. A
 * caller with several credentials is another client where two of them change places.
 */
export const sameOrder: ValueComparison = (before, after, _at, change) => {
  const clients = [change.before.clients, change.after.clients].map(
    (section) => new Map<string, unknown>(Object.entries(section ?? {})),
  );
  const inUse = (order: unknown): readonly string[] =>
    (Array.isArray(order) ? order.map(String) : []).filter((way) =>
      clients.every((section) => section.get(SECTIONS[way] ?? '') !== undefined),
    );
  const known = inUse(before);
  const later = inUse(after).filter((way) => known.includes(way));
  const earlier = known.filter((way) => later.includes(way));
  const at = later.findIndex((way, index) => earlier[index] !== way);
  return at < 0 ? null : `now has \`${later[at]}\` before \`${earlier[at]}\``;
};
