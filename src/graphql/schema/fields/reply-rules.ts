import { collections } from '../../../core/index.js';
import { childrenOfBody } from '../../../wsdl/index.js';
import type { FieldRule } from '../rights/field-rule.js';
import { everyRule, hasOpenContent, rulesWithin } from '../types/member-rules.js';
import type { TypeNames } from '../types/type-names.js';
import type { GraphqlService } from './exposure.js';
import type { ServiceTypes } from './field-types.js';

/**
 * The rules of all fields that the replies and Faults of each operation may hold, by
 * `service.operation`.
 */
export function replyRulesOf(
  services: readonly GraphqlService[],
  typesOf: ReadonlyMap<GraphqlService, ServiceTypes>,
  names: TypeNames,
): ReadonlyMap<string, FieldRule> {
  const rules = new Map<string, FieldRule>();
  const open = new Map<string, string[]>();
  for (const service of services) {
    const types = typesOf.get(service);
    if (types === undefined || types.names.mapping.isEmpty) continue;
    for (const { name, output, faults } of service.operations) {
      const elements = [
        ...(output === null
          ? []
          : [...childrenOfBody(output), ...output.headers.map(({ element }) => element)]),
        ...faults.map(({ element }) => element),
      ];
      for (const element of elements) {
        types.names.mapping.meet(element);
      }
      const roots = elements.map(({ type }) => type);
      const rule = rulesWithin(roots, types.members);
      if (rule === null) continue;
      rules.set(`${service.name}.${name}`, rule);
      if (everyRule(types.members) !== null && hasOpenContent(roots, types.members)) {
        collections.addToGroup(open, service.name, name);
      }
    }
  }
  for (const [service, operations] of open) {
    names.of(service).warn(openContent(operations));
  }
  return rules;
}

function openContent(operations: readonly string[]): string {
  const shown = operations.slice(0, NAMES_SHOWN).map((name) => `\`${name}\``);
  const more =
    operations.length > NAMES_SHOWN ? ` and ${operations.length - NAMES_SHOWN} others` : '';
  return (
    `replies of ${shown.join(', ')}${more} may hold content that the WSDL does not describe. ` +
    'For callers with restricted or masked fields it is null, except values ' +
    'of a known `xsi:type`.'
  );
}

const NAMES_SHOWN = 5;
