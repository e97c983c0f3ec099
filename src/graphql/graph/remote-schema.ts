import {
  type GraphQLFieldConfig,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import { costOfCall } from '../types/cost-rules.js';
import { fieldName, NameScope, pascalName } from '../types/naming.js';
import type { TypeNames } from '../types/type-names.js';
import type { RemoteTarget } from './link.js';
import type { RemoteField, RemoteService } from './remote.js';
import { type RemoteNames, wrapRemote } from './remote-wrap.js';

/** What one service that speaks GraphQL adds to the schema. */
interface AddedRemote {
  readonly fields: readonly AddedField[];
  /** In the order of the service. */
  readonly types: readonly GraphQLNamedType[];
}

interface AddedField {
  readonly field: RemoteField;
  readonly config: GraphQLFieldConfig<unknown, unknown>;
}

export interface AddedRemotes {
  readonly types: readonly GraphQLNamedType[];
  /** By `Query.customer`. */
  readonly fields: ReadonlyMap<string, RemoteField>;
  /** By the service's name and the field's name there. */
  readonly targets: ReadonlyMap<string, RemoteTarget>;
}

const ROOTS = ['Query', 'Mutation', 'Subscription'] as const;

type Root = (typeof ROOTS)[number];

type Configs = Readonly<Record<Root, Map<string, GraphQLFieldConfig<unknown, unknown>>>>;

/** Adds the fields of services that speak GraphQL to those there are. */
export function addRemotes(services: readonly RemoteService[], names: TypeNames, configs: Configs): AddedRemotes {
  const types: GraphQLNamedType[] = [];
  const fields = new Map<string, RemoteField>();
  const targets = new Map<string, RemoteTarget>();
  for (const service of services) {
    const added = addRemote(service, names, (parent, name) => configs[parent].has(name));
    types.push(...added.types);
    for (const { field, config } of added.fields) {
      configs[field.parent].set(field.name, config);
      fields.set(`${field.parent}.${field.name}`, field);
      // A link asks once.
      if (field.parent === 'Subscription') continue;
      const target = `${service.name}.${field.operation.name}`;
      // A link only reads: of two that have one name the query is meant.
      if (!targets.has(target)) targets.set(target, { bound: field, config, isMutation: field.parent === 'Mutation' });
    }
  }
  return { types, fields, targets };
}

/**
 * Names everything that a service has and wraps it. `taken` answers whether a root type has a field already. A name
 * that is taken gets the service's name in front, and a notice says so.
 */
function addRemote(
  service: RemoteService,
  names: TypeNames,
  taken: (parent: Root, name: string) => boolean,
): AddedRemote {
  const { schema } = service;
  const remoteNames = namesOf(service, names, taken);
  const wrapped = wrapRemote(service.name, schema, remoteNames);
  const fields = rootsOf(service).flatMap((parent): readonly AddedField[] => {
    const original = rootOf(schema, parent);
    const root = rootOf(wrapped, parent);
    if (original === null || root === null) return [];
    return Object.keys(original.getFields()).flatMap((operation): readonly AddedField[] => {
      const name = remoteNames.rootFields.get(`${parent}.${operation}`) ?? operation;
      const found = root.getFields()[name];
      if (found === undefined || remoteNames.hidden.has(`${parent}.${operation}`)) return [];
      const {
        resolve: _,
        subscribe: __,
        astNode: ___,
        ...config
      } = root.toConfig().fields[name] ?? { type: found.type };
      const isNonNull = isNonNullType(found.type);
      const field = { service: service.name, parent, name, operation: { name: operation }, wrapped, isNonNull };
      const cost = costOfCall(null, service.callCost);
      return [{ field: { ...field, headersArgument: null, cost }, config }];
    });
  });
  return { fields, types: reachable(wrapped, fields) };
}

const rootsOf = ({ subscribes }: RemoteService): readonly Root[] =>
  ROOTS.filter((root) => root !== 'Subscription' || subscribes);

function namesOf(
  service: RemoteService,
  names: TypeNames,
  taken: (parent: Root, name: string) => boolean,
): RemoteNames {
  const { schema, prefix, renames } = service;
  const hidden = new Set(service.hidden);
  judgeNames(service, names);
  const roots = new Map<string, string>();
  for (const root of ROOTS) {
    const type = rootOf(schema, root);
    if (type !== null) roots.set(type.name, names.take(`${pascalName(service.name)}${root}`, service.name));
  }
  const own = new Set(Object.keys(schema.getTypeMap()));
  const types = new Map<string, string>();
  for (const type of Object.values(schema.getTypeMap())) {
    const { name } = type;
    if (isIntrospectionType(type) || isSpecifiedScalarType(type) || roots.has(name) || hidden.has(name)) continue;
    const wanted = renames.get(name) ?? (prefix === null ? name : `${pascalName(prefix)}${pascalName(name)}`);
    let given = names.take(wanted, service.name);
    // Two types that change their names would be one for a moment.
    while (given !== name && own.has(given)) given = names.take(wanted, service.name);
    if (given !== name) types.set(name, given);
  }
  return {
    roots,
    types,
    rootFields: rootFieldNames(service, hidden, names, taken),
    fields: fieldNames(service),
    hidden,
  };
}

function rootFieldNames(
  remote: RemoteService,
  hidden: ReadonlySet<string>,
  names: TypeNames,
  taken: (parent: Root, name: string) => boolean,
): ReadonlyMap<string, string> {
  const { name: service, schema, prefix, renames } = remote;
  const rootFields = new Map<string, string>();
  for (const parent of rootsOf(remote)) {
    const scope = new NameScope();
    for (const field of Object.keys(rootOf(schema, parent)?.getFields() ?? {})) {
      if (hidden.has(`${parent}.${field}`)) continue;
      const prefixed = prefix === null ? field : `${fieldName(prefix, 'camel')}${pascalName(field)}`;
      const wanted = renames.get(`${parent}.${field}`) ?? prefixed;
      const isFree = (name: string): boolean => !taken(parent, name);
      const base = `${fieldName(service, 'camel')}${pascalName(wanted)}`;
      let name = isFree(wanted) ? scope.take(wanted) : scope.take(base);
      while (!isFree(name)) name = scope.take(base);
      if (name !== wanted) {
        const what = `Service ${service}: ${parent}.${field} is ${parent}.${name}, as ${wanted} is taken.`;
        names.notice(what, 'Give it a name of its own with `rename`, or the service a `prefix`.');
      }
      rootFields.set(`${parent}.${field}`, name);
    }
  }
  return rootFields;
}

/** New names of fields of other types than the roots. */
function fieldNames({ schema, renames }: RemoteService): ReadonlyMap<string, string> {
  const isRoot = (name: string): boolean => ROOTS.some((root) => name.startsWith(`${root}.`));
  const fields = [...renames].filter(([name]) => name.includes('.') && !isRoot(name));
  return new Map(fields.filter(([name]) => hasPart(schema, name)));
}

/** Entries for what is not there are mistakes. */
function judgeNames({ name: service, schema, renames, hidden }: RemoteService, names: TypeNames): void {
  const judge = (name: string, path: readonly string[]): void => {
    if (hasPart(schema, name)) return;
    const [type = '', field] = name.split('.');
    const owner = fieldsOf(typeOf(schema, type));
    const among =
      field === undefined || owner === null
        ? [...ROOTS, ...Object.keys(schema.getTypeMap())].map((each) =>
            field === undefined ? each : `${each}.${field}`,
          )
        : Object.keys(owner).map((each) => `${type}.${each}`);
    const what = `The service has no \`${name}\`.`;
    names.findings.push({ service, path, what, remedy: null, among, written: name });
  };
  for (const name of renames.keys()) judge(name, ['rename', name]);
  for (const name of hidden) judge(name, ['hide']);
}

function hasPart(schema: GraphQLSchema, name: string): boolean {
  const [type = '', field] = name.split('.');
  const found = typeOf(schema, type);
  if (found === undefined || field === undefined) return found !== undefined && rootOf(schema, type) !== found;
  return Object.hasOwn(fieldsOf(found) ?? {}, field);
}

const typeOf = (schema: GraphQLSchema, name: string): GraphQLNamedType | undefined =>
  rootOf(schema, name) ?? schema.getType(name);

function fieldsOf(type: GraphQLNamedType | undefined): Readonly<Record<string, unknown>> | null {
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? type.getFields() : null;
}

/** A root type by what it is, not by what it is called. */
function rootOf(schema: GraphQLSchema, root: string): GraphQLObjectType | null {
  if (root === 'Query') return schema.getQueryType() ?? null;
  if (root === 'Mutation') return schema.getMutationType() ?? null;
  return root === 'Subscription' ? (schema.getSubscriptionType() ?? null) : null;
}

/** The types that fields lead to, and those that implement them. */
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
