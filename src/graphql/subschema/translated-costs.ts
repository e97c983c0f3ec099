import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import type { Subschema, SubschemaNames } from '../fields/subschema.js';
import { costExtensions, FieldCost } from '../types/cost-rules.js';
import type { Finding } from '../types/mapping.js';
import { isRoot, ROOTS, rootOf } from '../types/roots.js';
import { fieldsOf, hasPart, partName, typeOf } from './schema-parts.js';

/** The costs of root fields, by their names in the upstream. */
interface TranslatedCosts {
  readonly roots: ReadonlyMap<string, FieldCost>;
  readonly findings: readonly Finding[];
}

/** Adds the costs of a subschema to the types of the wrapped schema, in its names. */
export function translateCosts(service: Subschema, wrapped: GraphQLSchema, names: SubschemaNames): TranslatedCosts {
  const { schema, costs } = service;
  const roots = new Map<string, FieldCost>();
  for (const type of Object.values(schema.getTypeMap())) {
    if ((!isObjectType(type) && !isInterfaceType(type)) || isIntrospectionType(type)) continue;
    const owner = partName(schema, type);
    const here = wrapped.getType(names.types.get(type.name) ?? type.name);
    const shown = fieldsOf(here) ?? {};
    const weight = costs.types.get(owner);
    if (weight !== undefined && here !== undefined && !isRoot(schema, type)) here.extensions = costExtensions(weight);
    for (const field of Object.values(type.getFields())) {
      const ownCost = costs.fields.get(`${owner}.${field.name}`);
      if (ownCost === undefined) continue;
      const cost = translateCost(ownCost, type, field.name, names);
      if (isRoot(schema, type)) roots.set(`${owner}.${field.name}`, cost);
      const there = shown[names.fields.get(`${type.name}.${field.name}`) ?? field.name];
      if (there !== undefined && !isRoot(schema, type)) there.extensions = costExtensions(cost);
    }
  }
  // Objects may lead back to a root, whose fields cost the same there.
  for (const parent of ROOTS) {
    const shown = rootOf(wrapped, parent)?.getFields() ?? {};
    for (const [part, cost] of roots) {
      const there = part.startsWith(`${parent}.`) ? shown[names.rootFields.get(part) ?? ''] : undefined;
      if (there !== undefined) there.extensions = costExtensions(cost);
    }
  }
  return { roots, findings: missing(service) };
}

/** Translates paths into arguments, and to lists below, to the names of the wrapped schema. */
function translateCost(cost: FieldCost, owner: GraphQLNamedType, name: string, names: SubschemaNames): FieldCost {
  const field = isObjectType(owner) || isInterfaceType(owner) ? owner.getFields()[name] : undefined;
  if (field === undefined || names.fields.size === 0) return cost;
  const along = (from: GraphQLNamedType | undefined, steps: readonly string[]): readonly string[] => {
    let type = from;
    return steps.map((step) => {
      const here = names.fields.get(`${type?.name}.${step}`) ?? step;
      const found = fieldsOf(type)?.[step];
      type = found === undefined ? undefined : getNamedType(found.type);
      return here;
    });
  };
  const translatePath = (path: string): string => {
    const [first = '', ...rest] = path.split('.');
    const argument = field.args.find((each) => each.name === first);
    return [first, ...along(argument === undefined ? undefined : getNamedType(argument.type), rest)].join('.');
  };
  const { listSize } = cost;
  return new FieldCost({
    ...cost,
    arguments: new Map([...cost.arguments].map(([path, weight]) => [translatePath(path), weight])),
    listSize: listSize && {
      ...listSize,
      slicingArguments: listSize.slicingArguments.map(translatePath),
      sizedFields: listSize.sizedFields.map((path) => along(getNamedType(field.type), path.split('.')).join('.')),
    },
  });
}

/** Finds entries for unknown parts. */
function missing({ name: service, schema, costs }: Subschema): readonly Finding[] {
  return [...costs.fields.keys(), ...costs.types.keys()].flatMap((part): Finding[] => {
    const [typeName = '', field] = part.split('.');
    if (hasPart(schema, part) || (field === undefined && typeOf(schema, typeName) !== undefined)) return [];
    const among = Object.keys(fieldsOf(typeOf(schema, typeName)) ?? {}).map((field) => `${typeName}.${field}`);
    return [{ service, path: ['costs', part], what: `The service has no \`${part}\`.`, remedy: null, among }];
  });
}
