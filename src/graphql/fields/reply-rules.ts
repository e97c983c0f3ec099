import { childrenOfBody } from '../../wsdl/model.js';
import type { FieldRule } from '../rights/field-rule.js';
import { rulesWithin } from '../types/member-rules.js';
import type { TypeNames } from '../types/type-names.js';
import type { GraphqlService } from './exposure.js';
import type { ServiceTypes } from './operation-field.js';

/** The rules of all fields that the replies and Faults of each operation may hold, by `service.operation`. */
export function replyRulesOf(
  services: readonly GraphqlService[],
  typesOf: ReadonlyMap<GraphqlService, ServiceTypes>,
  names: TypeNames,
): ReadonlyMap<string, FieldRule> {
  const rules = new Map<string, FieldRule>();
  for (const service of services) {
    const types = typesOf.get(service);
    if (types === undefined || names.mappingOf(types.service).isEmpty) continue;
    for (const { name, output, faults } of service.operations) {
      const elements = [
        ...(output === null ? [] : [...childrenOfBody(output), ...output.headers.map(({ element }) => element)]),
        ...faults.map(({ element }) => element),
      ];
      for (const element of elements) names.mappingOf(types.service).meet(element);
      const rule = rulesWithin(
        elements.map(({ type }) => type),
        types.members,
      );
      if (rule !== null) rules.set(`${service.name}.${name}`, rule);
    }
  }
  return rules;
}
