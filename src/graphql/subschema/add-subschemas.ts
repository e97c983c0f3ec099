import {
  type GraphQLFieldConfig,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import type { Subschema, SubschemaField } from '../fields/subschema.js';
import type { SubschemaTarget } from '../links/link.js';
import { ruleExtensions, ruleOf } from '../rights/field-rule.js';
import { costExtensions, costOfCall } from '../types/cost-rules.js';
import { type Root, rootOf } from '../types/roots.js';
import type { TypeNames } from '../types/type-names.js';
import { enforceRules } from './enforce-rules.js';
import { offeredRoots, subschemaNames } from './subschema-names.js';
import { translateCosts } from './translated-costs.js';
import { validateRenamedSchema } from './validate-parts.js';

/** The fields and types that a subschema adds to the schema. */
interface AddedSubschema {
  readonly fields: readonly AddedField[];
  /** In the order of the service. */
  readonly types: readonly GraphQLNamedType[];
}

interface AddedField {
  readonly field: SubschemaField;
  readonly config: GraphQLFieldConfig<unknown, unknown>;
}

export interface AddedSubschemas {
  readonly types: readonly GraphQLNamedType[];
  /** By `Query.customer`. */
  readonly fields: ReadonlyMap<string, SubschemaField>;
  /** By the service's name and the field's name there. */
  readonly targets: ReadonlyMap<string, SubschemaTarget>;
}

type Configs = Readonly<Record<Root, Map<string, GraphQLFieldConfig<unknown, unknown>>>>;

/** Adds the root fields of subschemas to `configs`. */
export function addSubschemas(services: readonly Subschema[], names: TypeNames, configs: Configs): AddedSubschemas {
  const types: GraphQLNamedType[] = [];
  const fields = new Map<string, SubschemaField>();
  const targets = new Map<string, SubschemaTarget>();
  for (const service of services) {
    const added = addSubschema(service, names, (parent, name) => configs[parent].has(name));
    types.push(...added.types);
    for (const { field, config } of added.fields) {
      configs[field.parent].set(field.name, config);
      fields.set(`${field.parent}.${field.name}`, field);
      // A link takes one answer.
      if (field.parent === 'Subscription') continue;
      const target = `${service.name}.${field.operation.name}`;
      // A link only reads: of a query and a mutation with one name it calls the query.
      if (!targets.has(target)) targets.set(target, { bound: field, config, isMutation: field.parent === 'Mutation' });
    }
  }
  return { types, fields, targets };
}

/**
 * Names the parts of a subschema and wraps it. `isTaken` answers whether a root type has a field already. A taken name
 * gets the service's name in front, with a warning.
 */
function addSubschema(
  service: Subschema,
  names: TypeNames,
  isTaken: (parent: Root, name: string) => boolean,
): AddedSubschema {
  const { schema } = service;
  const own = subschemaNames(service, names, isTaken);
  const wrapped = service.wrap(service, own.names);
  const costs = translateCosts(service, wrapped, own.names);
  names.findings.push(...costs.findings, ...enforceRules(service, wrapped, own.names));
  names.findings.push(...(own.findings.length > 0 ? own.findings : validateRenamedSchema(service, wrapped)));
  const fields = offeredRoots(service).flatMap((parent): readonly AddedField[] => {
    const original = rootOf(schema, parent);
    const root = rootOf(wrapped, parent);
    if (original === null || root === null) return [];
    return Object.keys(original.getFields()).flatMap((operation): readonly AddedField[] => {
      const name = own.names.rootFields.get(`${parent}.${operation}`) ?? operation;
      const found = root.getFields()[name];
      if (found === undefined || own.names.hidden.has(`${parent}.${operation}`)) return [];
      const {
        resolve: _,
        subscribe: __,
        astNode: ___,
        ...config
      } = root.toConfig().fields[name] ?? { type: found.type };
      const isNonNull = isNonNullType(found.type);
      const field = { service: service.name, parent, name, operation: { name: operation }, wrapped, isNonNull };
      const ownCost = costs.roots.get(`${parent}.${operation}`) ?? null;
      const cost = costOfCall(ownCost, service.callCost);
      const extensions = { ...costExtensions(ownCost), ...ruleExtensions(ruleOf(found)) };
      return [{ field: { ...field, headersArgument: null, cost }, config: { ...config, extensions } }];
    });
  });
  return { fields, types: reachable(wrapped, fields) };
}

/** The types that fields lead to, and the types that implement them. */
function reachable(schema: GraphQLSchema, fields: readonly AddedField[]): readonly GraphQLNamedType[] {
  const found = new Set<GraphQLNamedType>();
  const stack: GraphQLNamedType[] = [];
  const meet = (type: GraphQLNamedType): void => {
    if (found.has(type) || isSpecifiedScalarType(type)) return;
    found.add(type);
    stack.push(type);
  };
  for (const { config } of fields) {
    meet(getNamedType(config.type));
    for (const { type } of Object.values(config.args ?? {})) meet(getNamedType(type));
  }
  for (let type = stack.pop(); type !== undefined; type = stack.pop()) {
    if (isUnionType(type)) for (const member of type.getTypes()) meet(member);
    else if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) meet(getNamedType(field.type));
    else if (isObjectType(type) || isInterfaceType(type)) {
      for (const each of type.getInterfaces()) meet(each);
      for (const field of Object.values(type.getFields())) {
        meet(getNamedType(field.type));
        for (const argument of field.args) meet(getNamedType(argument.type));
      }
      if (isInterfaceType(type)) for (const each of schema.getPossibleTypes(type)) meet(each);
    }
  }
  return Object.values(schema.getTypeMap()).filter((type) => found.has(type));
}
