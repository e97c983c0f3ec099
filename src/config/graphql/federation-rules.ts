import { isRecord, jsonValues, spelling } from '../../core/index.js';
import { type ConfigPath, printPath } from '../keys/config-path.js';
import type { Finding } from '../keys/finding.js';

/** Rules about a subgraph: each key is answered or only named, and the router has a class. */
export function federationRules(data: Record<string, unknown>): readonly Finding[] {
  const { graphql } = data;
  const federation = isRecord(graphql) ? graphql['federation'] : undefined;
  if (!isRecord(federation)) return [];
  const path: ConfigPath = ['graphql', 'federation'];
  const keys = jsonValues.recordEntries(federation['keys']).flatMap(([type, given]) => {
    const at: ConfigPath = [...path, 'keys', type];
    return Array.isArray(given)
      ? given.flatMap((key, index) => keyRules(key, [...at, index]))
      : keyRules(given, at);
  });
  return [...keys, ...routerRules(data, federation['router'], [...path, 'router'])];
}

function keyRules(key: unknown, path: ConfigPath): readonly Finding[] {
  if (!isRecord(key)) return [];
  const isResolvable = key['resolvable'] !== false;
  if (isResolvable && key['operation'] === undefined) {
    const what = `${printPath(path)} has no operation that answers with the object.`;
    const remedy = 'Name it as `operation`, or write `resolvable: false`.';
    return [{ path, part: 'key', what, remedy }];
  }
  if (isResolvable) return [];
  return ['operation', 'arguments', 'batch']
    .filter((name) => key[name] !== undefined)
    .map((name): Finding => {
      const what = `${printPath([...path, name])} has no effect: the key is not resolvable.`;
      return { path: [...path, name], part: 'key', what, remedy: 'Remove it.' };
    });
}

function routerRules(
  { clients }: Record<string, unknown>,
  router: unknown,
  path: ConfigPath,
): readonly Finding[] {
  if (typeof router !== 'string') return [];
  const classes = isRecord(clients) && isRecord(clients['classes']) ? clients['classes'] : {};
  if (Object.hasOwn(classes, router)) return [];
  const known = Object.keys(classes);
  const what = `${printPath(path)} is none of \`clients.classes\`.`;
  const remedy =
    spelling.didYouMean(router, known) ??
    (known.length === 0
      ? 'Add the class to `clients.classes`.'
      : `Known: ${known.slice(0, 20).join(', ')}.`);
  return [{ path, part: 'value', what, remedy }];
}
