import type { FieldRightsKeys, ScopeKeys } from '../../config/keys/rights-keys.js';
import type { ServiceConfig } from '../../config/schema.js';
import { scopeRules } from '../../core/index.js';
import { fieldRights } from '../../graphql/index.js';
import type { Operation } from '../../wsdl/index.js';
import type { OperationTable } from './operations/operation-table.js';

/** A SOAP service, as far as rights go. */
interface RuledService {
  readonly name: string;
  readonly config: ServiceConfig;
  readonly requests: OperationTable;
  readonly requirements: ReadonlyMap<string, scopeRules.Requirement>;
}

/** What callers must have; null: nothing. */
export function requirementOf({
  scopes,
  authenticated = false,
}: ScopeKeys): scopeRules.Requirement | null {
  if (scopes === undefined) return authenticated ? { isAuthenticated: true, scopes: [] } : null;
  const alone = scopes.filter((scope) => typeof scope === 'string');
  const lists = scopes.filter((scope) => typeof scope !== 'string');
  // Scopes beside lists are needed with each of them.
  const choice = lists.length === 0 ? [alone] : lists.map((list) => [...alone, ...list]);
  return { isAuthenticated: authenticated, scopes: [choice] };
}

/** The rule of a field of this name; null without one. */
export function fieldRuleOf(name: string, keys: FieldRightsKeys): fieldRights.FieldRule | null {
  const requires = requirementOf(keys);
  const masks = new Map(
    Object.entries(keys.mask ?? {}).flatMap(([name, mask]): [string, fieldRights.Mask][] =>
      mask === 'none' ? [] : [[name, mask]],
    ),
  );
  return requires === null && masks.size === 0
    ? null
    : new fieldRights.FieldRule(name, requires, masks);
}

/** Whether a class gets null, or nothing, in place of the value. */
export const isNulled = ({ mask = {} }: FieldRightsKeys): boolean =>
  Object.values(mask).some((each) => each === 'null' || each === 'remove');

/** What callers of the operations of a service must have, by their names. */
export function operationRequirements({
  operations,
}: ServiceConfig): ReadonlyMap<string, scopeRules.Requirement> {
  return new Map(
    Object.entries(operations).flatMap(([name, mapping]): [string, scopeRules.Requirement][] => {
      const requirement = typeof mapping === 'boolean' ? null : requirementOf(mapping);
      return requirement === null ? [] : [[name, requirement]];
    }),
  );
}

/**
 * What callers of an operation must have: also of those that the backend may take its calls for.
 */
export function requirementOfCall(
  { requirements, requests }: Pick<RuledService, 'requirements' | 'requests'>,
  operation: Operation,
): scopeRules.Requirement | null {
  if (requirements.size === 0) return null;
  const candidates = requests.called(operation)?.candidates ?? [operation];
  return candidates.reduce<scopeRules.Requirement | null>(
    (all, { name }) => scopeRules.bothOf(all, requirements.get(name) ?? null),
    null,
  );
}

/** The rules of services, as configured. */
export const rightsRules = (services: readonly RuledService[]): readonly fieldRights.FieldRule[] =>
  services.flatMap(({ name, config, requirements }) => [
    ...Object.entries(config.schema.types).flatMap(([type, { fields }]) =>
      Object.entries(fields).flatMap(
        ([field, keys]) => fieldRuleOf(`${type}.${field}`, keys) ?? [],
      ),
    ),
    ...[...requirements].map(
      ([operation, requires]) => new fieldRights.FieldRule(`${name}.${operation}`, requires),
    ),
  ]);
