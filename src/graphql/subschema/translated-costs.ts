import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import type { Subschema } from '../fields/subschema.js';
import { costExtensions, FieldCost } from '../types/cost-rules.js';
import type { Finding } from '../types/mapping.js';
import { isRoot, ROOTS, rootOf } from '../types/roots.js';
import { fieldsOf, hasPart, partName, typeOf } from './schema-parts.js';
import type { SubschemaNames } from './wrap.js';

/** What is said about the fields of roots, by their names there. */
interface CostsHere {
  readonly roots: ReadonlyMap<string, FieldCost>;
  readonly findings: readonly Finding[];
}

/** Puts what is said about a service's costs to the types that callers see, in the names that they have here. */
export function costsHere(service: Subschema, wrapped: GraphQLSchema, names: SubschemaNames): CostsHere {
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
      const said = costs.fields.get(`${owner}.${field.name}`);
      if (said === undefined) continue;
      const cost = translated(said, type, field.name, names);
      if (isRoot(schema, type)) roots.set(`${owner}.${field.name}`, cost);
      const there = shown[names.fields.get(`${type.name}.${field.name}`) ?? field.name];
      if (there !== undefined && !isRoot(schema, type)) there.extensions = costExtensions(cost);
    }
  }
  // Objects may lead back to a root: what its fields ask for there costs the same.
  for (const parent of ROOTS) {
    const shown = rootOf(wrapped, parent)?.getFields() ?? {};
    for (const [part, cost] of roots) {
      const there = part.startsWith(`${parent}.`) ? shown[names.rootFields.get(part) ?? ''] : undefined;
      if (there !== undefined) there.extensions = costExtensions(cost);
    }
  }
  return { roots, findings: missing(service) };
}

/** Paths into arguments and to lists below, in the names of here. */
function translated(cost: FieldCost, owner: GraphQLNamedType, name: string, names: SubschemaNames): FieldCost {
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
  const given = (path: string): string => {
    const [first = '', ...rest] = path.split('.');
    const argument = field.args.find((each) => each.name === first);
    return [first, ...along(argument === undefined ? undefined : getNamedType(argument.type), rest)].join('.');
  };
  const { listSize } = cost;
  return new FieldCost({
    ...cost,
    arguments: new Map([...cost.arguments].map(([path, weight]) => [given(path), weight])),
    listSize: listSize && {
      ...listSize,
      slicingArguments: listSize.slicingArguments.map(given),
      sizedFields: listSize.sizedFields.map((path) => along(getNamedType(field.type), path.split('.')).join('.')),
    },
  });
}

/** Entries for what is not there. */
function missing({ name: service, schema, costs }: Subschema): readonly Finding[] {
  return [...costs.fields.keys(), ...costs.types.keys()].flatMap((part): Finding[] => {
    const [typeName = '', field] = part.split('.');
    if (hasPart(schema, part) || (field === undefined && typeOf(schema, typeName) !== undefined)) return [];
    const among = Object.keys(fieldsOf(typeOf(schema, typeName)) ?? {}).map((field) => `${typeName}.${field}`);
    return [{ service, path: ['costs', part], what: `The service has no \`${part}\`.`, remedy: null, among }];
  });
}
