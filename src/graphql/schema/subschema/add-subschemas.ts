import {
  type GraphQLFieldConfig,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isIntrospectionType,
  isNonNullType,
  isSpecifiedScalarType,
} from 'graphql';
import type { SubschemaTarget } from '../feeds/feed.js';
import type { Subschema, SubschemaField, SubschemaNames } from '../fields/subschema.js';
import { ruleExtensions, ruleOf } from '../rights/field-rule.js';
import { costExtensions, costOfCall, FieldCost } from '../types/cost-rules.js';
import { isFieldOwner } from '../types/field-owner.js';
import { type MappingFinding, mappingFinding } from '../types/mapping.js';
import { fieldName, NameScope, pascalName } from '../types/naming.js';
import { typeReferences } from '../types/references.js';
import { isRoot, ROOTS, type Root, rootOf } from '../types/roots.js';
import type { ServiceNames, TypeNames } from '../types/type-names.js';
import { enforceRules } from './enforce-rules.js';
import { propagatedParts } from './propagated-parts.js';
import { fieldsOf, hasPart, isBuiltIn, partName, schemaType } from './schema-parts.js';
import { validateParts, validateRenamedSchema } from './validate-parts.js';

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

interface AddedSubschemas {
  readonly types: readonly GraphQLNamedType[];
  /** Maps `Query.customer` to the field of the root. */
  readonly fields: ReadonlyMap<string, SubschemaField>;
  /** Maps the service's name with the field's name there to the target. */
  readonly targets: ReadonlyMap<string, SubschemaTarget>;
}

type Configs = Readonly<Record<Root, Map<string, GraphQLFieldConfig<unknown, unknown>>>>;

/** Adds the root fields of subschemas to `configs`. */
export function addSubschemas(
  services: readonly Subschema[],
  names: TypeNames,
  configs: Configs,
): AddedSubschemas {
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
      if (!targets.has(target)) {
        targets.set(target, { bound: field, config, isMutation: field.parent === 'Mutation' });
      }
    }
  }
  return { types, fields, targets };
}

/**
 * Names the parts of a subschema and wraps it. `isTaken` answers whether a root type has a field
 * already. A taken name gets the service's name in front, with a warning.
 */
function addSubschema(
  service: Subschema,
  names: TypeNames,
  isTaken: (parent: Root, name: string) => boolean,
): AddedSubschema {
  const { schema } = service;
  const own = subschemaNames(service, names.of(service.name), isTaken);
  const wrapped = service.wrap(service, own.names);
  const costs = translateCosts(service, wrapped, own.names);
  names.findings.push(...costs.findings, ...enforceRules(service, wrapped, own.names));
  names.findings.push(
    ...(own.findings.length > 0 ? own.findings : validateRenamedSchema(service, wrapped)),
  );
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
      const field = {
        service: service.name,
        parent,
        name,
        operation: { name: operation },
        wrapped,
        isNonNull,
      };
      const ownCost = costs.roots.get(`${parent}.${operation}`) ?? null;
      const cost = costOfCall(ownCost, service.callCost);
      const extensions = { ...costExtensions(ownCost), ...ruleExtensions(ruleOf(found)) };
      return [
        { field: { ...field, headersArgument: null, cost }, config: { ...config, extensions } },
      ];
    });
  });
  return { fields, types: reachable(wrapped, fields) };
}

/** The types that fields lead to, and the types that implement them. */
function reachable(
  schema: GraphQLSchema,
  fields: readonly AddedField[],
): readonly GraphQLNamedType[] {
  const found = new Set<GraphQLNamedType>();
  const stack: GraphQLNamedType[] = [];
  const meet = (type: GraphQLNamedType): void => {
    if (found.has(type) || isSpecifiedScalarType(type)) return;
    found.add(type);
    stack.push(type);
  };
  for (const { config } of fields) {
    meet(getNamedType(config.type));
    for (const { type } of Object.values(config.args ?? {})) {
      meet(getNamedType(type));
    }
  }
  for (let type = stack.pop(); type !== undefined; type = stack.pop()) {
    for (const each of typeReferences(type)) {
      meet(each);
    }
    if (isInterfaceType(type)) {
      for (const each of schema.getPossibleTypes(type)) {
        meet(each);
      }
    }
  }
  return Object.values(schema.getTypeMap()).filter((type) => found.has(type));
}

type Taken = (parent: Root, name: string) => boolean;

/**
 * Names the parts of a subschema, and finds the errors of `rename` and `hide`. `isTaken` answers
 * whether a root type has a field already.
 */
function subschemaNames(
  service: Subschema,
  names: ServiceNames,
  isTaken: Taken,
): { readonly names: SubschemaNames; readonly findings: readonly MappingFinding[] } {
  const { schema } = service;
  const parts = propagatedParts(service);
  const hidden = new Set(parts.hidden.keys());
  const findings = [...validateParts(service, parts)];
  const roots = new Map<string, string>();
  for (const root of ROOTS) {
    const type = rootOf(schema, root);
    if (type !== null) {
      roots.set(type.name, names.take(`${pascalName(service.name)}${root}`));
    }
  }
  const types = typeNames(service, names, { roots, hidden, findings });
  const rootFields = rootFieldNames(service, names, { isTaken, hidden, findings });
  const fields = new Map([...parts.fields].map(([part, { name }]) => [part, name]));
  return { names: { roots, types, rootFields, fields, hidden }, findings };
}

/** The roots whose fields are offered. */
const offeredRoots = ({ subscribes }: Subschema): readonly Root[] =>
  ROOTS.filter((root) => root !== 'Subscription' || subscribes);

/**
 * A taken name gets the service's name in front, with a warning; a taken name of `rename` is an
 * error.
 */
function typeNames(
  { name: service, schema, prefix, renames }: Subschema,
  names: ServiceNames,
  {
    roots,
    hidden,
    findings,
  }: {
    roots: ReadonlyMap<string, string>;
    hidden: ReadonlySet<string>;
    findings: MappingFinding[];
  },
): ReadonlyMap<string, string> {
  const own = new Set(Object.keys(schema.getTypeMap()));
  const types = new Map<string, string>();
  const all = Object.values(schema.getTypeMap()).filter(
    (type) => !isBuiltIn(type) && !roots.has(type.name) && !hidden.has(type.name),
  );
  const wantedOf = (name: string): string =>
    renames.get(name) ?? (prefix === null ? name : `${pascalName(prefix)}${upperFirst(name)}`);
  const uses = new Uses(all.map(({ name }) => wantedOf(name)));
  for (const { name } of all) {
    const wanted = wantedOf(name);
    let newName = names.take(wanted);
    // While types are renamed one by one, a new name must not be one that another type still has.
    while (newName !== name && own.has(newName)) {
      newName = names.take(wanted);
    }
    if (newName !== name) {
      types.set(name, newName);
    }
    if (!renames.has(name) || (newName === wanted && !uses.areMany(wanted))) continue;
    const of = own.has(wanted) ? 'the service has a type of that name' : 'that name is taken';
    findings.push(taken(service, name, wanted, of));
  }
  return types;
}

const taken = (service: string, part: string, wanted: string, why: string): MappingFinding => {
  const what = `\`${part}\` cannot be \`${wanted}\`: ${why}.`;
  return mappingFinding(service, ['rename', part], what, 'Give it a name of its own.');
};

/** Counts how often names are wanted. */
class Uses {
  readonly #seen = new Set<string>();
  readonly #many = new Set<string>();

  constructor(names: readonly string[]) {
    for (const name of names) {
      (this.#seen.has(name) ? this.#many : this.#seen).add(name);
    }
  }

  areMany(name: string): boolean {
    return this.#many.has(name);
  }
}

const upperFirst = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** Takes a name in the gateway for each root field of a subschema. */
function rootFieldNames(
  subschema: Subschema,
  names: ServiceNames,
  {
    isTaken,
    hidden,
    findings,
  }: { isTaken: Taken; hidden: ReadonlySet<string>; findings: MappingFinding[] },
): ReadonlyMap<string, string> {
  const { name: service, schema, prefix, renames } = subschema;
  const rootFields = new Map<string, string>();
  const prefixed = (field: string): string =>
    prefix === null ? field : `${fieldName(prefix, 'camel')}${pascalName(field)}`;
  for (const parent of offeredRoots(subschema)) {
    const scope = new NameScope();
    const isFree = (name: string): boolean => !isTaken(parent, name);
    const wantedOf = (field: string): string =>
      renames.get(`${parent}.${field}`) ?? prefixed(field);
    const fields = Object.keys(rootOf(schema, parent)?.getFields() ?? {}).filter(
      (field) => !hidden.has(`${parent}.${field}`),
    );
    const uses = new Uses(fields.map(wantedOf));
    for (const field of fields) {
      const part = `${parent}.${field}`;
      const wanted = wantedOf(field);
      const base = `${fieldName(service, 'camel')}${pascalName(wanted)}`;
      let name = isFree(wanted) ? scope.take(wanted) : scope.take(base);
      while (!isFree(name)) {
        name = scope.take(base);
      }
      rootFields.set(part, name);
      if (renames.has(part)) {
        if (name !== wanted || uses.areMany(wanted)) {
          findings.push(taken(service, part, wanted, 'that name is taken'));
        }
      } else if (name !== wanted) {
        const what = `${part} is ${parent}.${name}, as ${wanted} is taken.`;
        names.warn(what, 'Give it a name of its own with `rename`, or the service a `prefix`.');
      }
    }
  }
  return rootFields;
}

/** The costs of root fields, by their names in the upstream. */
interface TranslatedCosts {
  readonly roots: ReadonlyMap<string, FieldCost>;
  readonly findings: readonly MappingFinding[];
}

/** Adds the costs of a subschema to the types of the wrapped schema, in its names. */
function translateCosts(
  service: Subschema,
  wrapped: GraphQLSchema,
  names: SubschemaNames,
): TranslatedCosts {
  const { schema, costs } = service;
  const roots = new Map<string, FieldCost>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isFieldOwner(type) || isIntrospectionType(type)) continue;
    const owner = partName(schema, type);
    const here = wrapped.getType(names.types.get(type.name) ?? type.name);
    const shown = fieldsOf(here) ?? {};
    const weight = costs.types.get(owner);
    if (weight !== undefined && here !== undefined && !isRoot(schema, type)) {
      here.extensions = costExtensions(weight);
    }
    for (const field of Object.values(type.getFields())) {
      const ownCost = costs.fields.get(`${owner}.${field.name}`);
      if (ownCost === undefined) continue;
      const cost = translateCost(ownCost, type, field.name, names);
      if (isRoot(schema, type)) {
        roots.set(`${owner}.${field.name}`, cost);
      }
      const there = shown[names.fields.get(`${type.name}.${field.name}`) ?? field.name];
      if (there !== undefined && !isRoot(schema, type)) {
        there.extensions = costExtensions(cost);
      }
    }
  }
  // Objects may lead back to a root, whose fields cost the same there.
  for (const parent of ROOTS) {
    const shown = rootOf(wrapped, parent)?.getFields() ?? {};
    for (const [part, cost] of roots) {
      const there = part.startsWith(`${parent}.`)
        ? shown[names.rootFields.get(part) ?? '']
        : undefined;
      if (there !== undefined) {
        there.extensions = costExtensions(cost);
      }
    }
  }
  return { roots, findings: missing(service) };
}

/** Translates paths into arguments, and to lists below, to the names of the wrapped schema. */
function translateCost(
  cost: FieldCost,
  owner: GraphQLNamedType,
  name: string,
  names: SubschemaNames,
): FieldCost {
  const field = isFieldOwner(owner) ? owner.getFields()[name] : undefined;
  if (field === undefined || names.fields.size === 0) return cost;
  const along = (
    from: GraphQLNamedType | undefined,
    steps: readonly string[],
  ): readonly string[] => {
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
    return [
      first,
      ...along(argument === undefined ? undefined : getNamedType(argument.type), rest),
    ].join('.');
  };
  const { listSize } = cost;
  return new FieldCost({
    ...cost,
    arguments: new Map([...cost.arguments].map(([path, weight]) => [translatePath(path), weight])),
    listSize: listSize && {
      ...listSize,
      slicingArguments: listSize.slicingArguments.map(translatePath),
      sizedFields: listSize.sizedFields.map((path) =>
        along(getNamedType(field.type), path.split('.')).join('.'),
      ),
    },
  });
}

/** Finds entries for unknown parts. */
function missing({ name: service, schema, costs }: Subschema): readonly MappingFinding[] {
  return [...costs.fields.keys(), ...costs.types.keys()].flatMap((part): MappingFinding[] => {
    const [typeName = '', field] = part.split('.');
    if (
      hasPart(schema, part) ||
      (field === undefined && schemaType(schema, typeName) !== undefined)
    ) {
      return [];
    }
    const among = Object.keys(fieldsOf(schemaType(schema, typeName)) ?? {}).map(
      (field) => `${typeName}.${field}`,
    );
    return [
      mappingFinding(service, ['costs', part], `The service has no \`${part}\`.`, null, among),
    ];
  });
}
