import type { ConfigChange, Weakening } from './protection.js';

/**
 * The names in `tolerate` of operations that the earlier configuration did not map: it held their
 * replies to more.
 */
export function newTolerances({ before, after }: ConfigChange): readonly Weakening[] {
  return Object.entries(after.services).flatMap(([service, { operations }]) => {
    const earlier = before.services[service];
    if (earlier === undefined) return [];
    return Object.entries(operations).flatMap(([operation, mapping]) => {
      const isCompared = typeof earlier.operations[operation] === 'object';
      const { tolerate = [] } = typeof mapping === 'object' ? mapping : {};
      const names = tolerate.filter((name) => earlier.tolerate?.includes(name) !== true);
      if (isCompared || names.length === 0) return [];
      const path = ['services', service, 'operations', operation, 'tolerate'];
      return [{ path, what: `now has ${names.map((name) => `\`${name}\``).join(', ')}` }];
    });
  });
}
