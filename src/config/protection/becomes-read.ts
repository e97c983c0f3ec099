import type { ValueComparison } from './protection.js';

/** A field that was a mutation and becomes a query, whose calls are repeated and shared. */
export const becomesRead: ValueComparison = (before, after) =>
  /^Mutation\./.test(String(before)) && /^Query\./.test(String(after))
    ? `goes from \`${String(before)}\` to \`${String(after)}\``
    : null;
