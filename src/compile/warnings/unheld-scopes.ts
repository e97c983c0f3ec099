import type { Diagnostic } from '../../base/diagnostic.js';
import { isMet, type Requirement } from '../../base/requirement.js';
import { diagnosticAt } from '../../config/diagnostic-at.js';
import type { ConfigPath } from '../../config/keys/config-path.js';
import type { ScopeKeys } from '../../config/keys/rights-keys.js';
import type { LoadedConfig } from '../../config/load.js';
import { requirementOf } from '../soap/rights.js';

/** Scopes that no client can have: what requires them is closed. Tokens may have any scope. */
export function warningsOfScopes(loaded: LoadedConfig): readonly Diagnostic[] {
  const { clients } = loaded.config;
  if (clients?.jwt !== undefined || clients?.introspection !== undefined) return [];
  const held = Object.values(clients?.classes ?? {}).map(({ scopes }) => new Set<string>(scopes));
  const canMeet = (requirement: Requirement): boolean =>
    held.some((scopes) => isMet(requirement, { isAuthenticated: true, scopes }));
  return [...requirementsIn(loaded)].flatMap(([path, keys]): readonly Diagnostic[] => {
    const requirement = requirementOf(keys);
    if (keys.scopes === undefined || requirement === null || canMeet(requirement)) return [];
    const what = `No client can have these scopes, so none gets at it: tokens are not configured, and ${held.length === 0 ? 'there are no classes' : 'no class has them'}.`;
    return [
      diagnosticAt(
        loaded,
        [...path, 'scopes'],
        what,
        'Give them to a class (`scopes`), or configure `jwt` or `introspection`.',
      ),
    ];
  });
}

/** What operations and fields of all services require. */
function* requirementsIn({ config }: LoadedConfig): Iterable<readonly [ConfigPath, ScopeKeys]> {
  for (const [service, { operations, schema }] of Object.entries(config.services)) {
    for (const [name, keys] of Object.entries(operations))
      if (typeof keys === 'object') yield [['services', service, 'operations', name], keys];
    for (const [type, { fields }] of Object.entries(schema.types))
      for (const [name, keys] of Object.entries(fields))
        yield [['services', service, 'schema', 'types', type, 'fields', name], keys];
  }
  for (const [service, { fields }] of Object.entries(config.graphqlServices))
    for (const [name, keys] of Object.entries(fields)) yield [['services', service, 'fields', name], keys];
}
