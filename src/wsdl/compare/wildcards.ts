import type { Wildcard } from '../model.js';
import type { Direction, Severity } from './change.js';

/** Reports changes of wildcards (`xs:any`, `xs:anyAttribute`). */
export function compareWildcards(
  direction: Direction,
  noun: 'elements' | 'attributes',
  before: readonly Wildcard[],
  after: readonly Wildcard[],
  add: (severity: Severity, what: string) => void,
): void {
  const [was, is] = [before.length > 0, after.length > 0];
  if (was && !is) {
    // Clients may request the elements by the field that holds them.
    const isHarmless = direction === 'reply' && noun === 'attributes';
    add(isHarmless ? 'safe' : 'breaking', `allows no further ${noun} any more`);
  } else if (is && !was) {
    add(direction === 'request' ? 'safe' : 'dangerous', `allows further ${noun} now`);
  } else if (printed(before) !== printed(after)) {
    add('dangerous', `lets in other further ${noun} than before`);
  }
}

/** Equal for the same wildcards in any order. */
const printed = (wildcards: readonly Wildcard[]): string =>
  [...new Set(wildcards.map(({ process, namespaces }) => JSON.stringify([process, sorted(namespaces)])))].sort().join();

const sorted = (namespaces: Wildcard['namespaces']): unknown =>
  namespaces.kind === 'any' ? 'any' : [namespaces.kind, [...namespaces.uris].sort()];
