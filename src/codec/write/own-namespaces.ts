import type { ContentEvent } from '../plan/request/content-events.js';

interface Scope {
  readonly depth: number;
  /** The event that opens its element. */
  readonly at: number;
  readonly uris: Set<string>;
}

const NONE: ReadonlyMap<number, ReadonlySet<string>> = new Map();

/**
 * The namespaces of names in the values of elements with names of their own, by the event that
 * opens the element. A reader that takes such an element out of the message finds the prefixes of
 * elements and attributes by itself. It does not look into values: their prefixes have to be
 * declared on the element.
 */
export function ownNamespaces(
  events: readonly ContentEvent[],
): ReadonlyMap<number, ReadonlySet<string>> {
  if (!events.some(({ kind }) => kind === 'own names')) return NONE;
  const found = new Map<number, ReadonlySet<string>>();
  const scopes: Scope[] = [];
  let depth = 0;
  let opened = 0;
  const use = (uri: string): void => {
    const scope = scopes.at(-1);
    if (scope === undefined || uri === '') return;
    scope.uris.add(uri);
    found.set(scope.at, scope.uris);
  };
  for (const [at, event] of events.entries()) {
    if (event.kind === 'open') {
      opened = at;
      depth++;
    } else if (event.kind === 'close') {
      if (scopes.at(-1)?.depth === depth) {
        scopes.pop();
      }
      depth--;
    } else if (event.kind === 'own names') {
      // A value of any type in another one finds the declarations of that.
      if (scopes.length === 0) {
        scopes.push({ depth, at: opened, uris: new Set() });
      }
    } else if (event.kind === 'name' || event.kind === 'name attribute') {
      use(event.value.uri);
      for (const { uri } of event.more ?? []) {
        use(uri);
      }
    }
  }
  return found;
}
