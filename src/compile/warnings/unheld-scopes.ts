import type { ConfigPath } from '../../config/keys/config-path.js';
import type { Finding } from '../../config/keys/finding.js';
import type { ScopeKeys } from '../../config/keys/rights-keys.js';
import type { Config } from '../../config/schema.js';
import { scopeRules } from '../../core/index.js';
import { requirementOf } from '../soap/rights.js';

/** Scopes that no client can have: what requires them is closed. Tokens may have any scope. */
export function warningsOfScopes(
  config: Pick<Config, 'clients' | 'services' | 'graphqlServices'>,
): readonly Finding[] {
  const { clients } = config;
  if (clients?.jwt !== undefined || clients?.introspection !== undefined) return [];
  const held = Object.values(clients?.classes ?? {}).map(({ scopes }) => new Set<string>(scopes));
  const canMeet = (requirement: scopeRules.Requirement): boolean =>
    held.some((scopes) => scopeRules.isMet(requirement, { isAuthenticated: true, scopes }));
  return [...requirementsIn(config)].flatMap(([path, keys]): readonly Finding[] => {
    const requirement = requirementOf(keys);
    if (keys.scopes === undefined || requirement === null || canMeet(requirement)) return [];
    const what =
      'No client can have these scopes, so none gets at it: tokens are not configured, ' +
      `and ${held.length === 0 ? 'there are no classes' : 'no class has them'}.`;
    const remedy = 'Give them to a class (`scopes`), or configure `jwt` or `introspection`.';
    return [{ path: [...path, 'scopes'], what, remedy }];
  });
}

/** What operations and fields of all services require. */
function* requirementsIn(
  config: Pick<Config, 'services' | 'graphqlServices'>,
): Iterable<readonly [ConfigPath, ScopeKeys]> {
  for (const [service, { operations, schema }] of Object.entries(config.services)) {
    for (const [name, keys] of Object.entries(operations)) {
      if (typeof keys === 'object') {
        yield [['services', service, 'operations', name], keys];
      }
    }
    for (const [type, { fields }] of Object.entries(schema.types)) {
      for (const [name, keys] of Object.entries(fields)) {
        yield [['services', service, 'schema', 'types', type, 'fields', name], keys];
      }
    }
  }
  for (const [service, { fields }] of Object.entries(config.graphqlServices)) {
    for (const [name, keys] of Object.entries(fields)) {
      yield [['services', service, 'fields', name], keys];
    }
  }
}
