import {
  GraphQLBoolean,
  type GraphQLDirective,
  type GraphQLFieldConfig,
  type GraphQLNamedType,
  GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
} from 'graphql';
import { AT_ONCE, type Diagnostic, invariant, type Steps } from '../../core/index.js';
import { assembleSchema, type RootTypes } from './assemble-schema.js';
import type { FederationMapping, Subgraph } from './entities/entity.js';
import { inEntityUnion } from './entities/entity-union.js';
import { addEntities, finishSubgraph, operationsOfKeys } from './entities/subgraph-schema.js';
import type { EntryError } from './feeds/entry-error.js';
import type { CallTarget, SubschemaTarget } from './feeds/feed.js';
import type { BoundField } from './fields/bound-field.js';
import { type Exposed, exposures, type GraphqlService, type RootType } from './fields/exposure.js';
import type { ServiceTypes } from './fields/field-types.js';
import { operationField } from './fields/operation-field.js';
import { checkReplyHeaders, replyBlocks } from './fields/reply-headers.js';
import { replyRulesOf } from './fields/reply-rules.js';
import {
  type Declared,
  declaredNames,
  mappingsOf,
  namingsOf,
  serviceTypes,
  type TypeGroup,
  typeGroups,
} from './fields/service-types.js';
import type { Subschema, SubschemaField } from './fields/subschema.js';
import { relaxCycles } from './input/input-cycles.js';
import { costFindings } from './links/cost-check.js';
import type { LinkMapping, LinkTable } from './links/link.js';
import { addLinks } from './links/link-schema.js';
import { Connections } from './paging/connections.js';
import { unusedTypes } from './paging/unused-types.js';
import { FieldRule } from './rights/field-rule.js';
import { addSubschemas } from './subschema/add-subschemas.js';
import type { SubscriptionMapping, SubscriptionTable } from './subscription/subscription.js';
import { operationsFor, resolveSubscriptions } from './subscription/subscription-schema.js';
import { costOfCall } from './types/cost-rules.js';
import { LeafTable } from './types/leaf.js';
import type { MappingFinding } from './types/mapping.js';
import { TypeNames } from './types/type-names.js';

export interface BuiltSchema {
  readonly schema: GraphQLSchema;
  /** Fields by coordinate, such as `Query.order`. */
  readonly fields: ReadonlyMap<string, BoundField>;
  readonly links: LinkTable;
  /** Fields that services answer which speak GraphQL, by `Query.customer`. */
  readonly subschemaFields: ReadonlyMap<string, SubschemaField>;
  /**
   * The rules of all fields that the replies and Faults of an operation may hold, by
   * `service.operation`. An operation without rules has no entry.
   */
  readonly replyRules: ReadonlyMap<string, FieldRule>;
  /** Errors in links: without them the schema has none of the links. */
  readonly linkErrors: readonly EntryError[];
  /** Null for a schema that is no subgraph. */
  readonly subgraph: Subgraph | null;
  /** Errors in keys, and in directives of types: the schema is not to be used. */
  readonly keyErrors: readonly EntryError[];
  readonly directiveErrors: readonly EntryError[];
  readonly subscriptions: SubscriptionTable;
  /** Errors in subscriptions: those are not in the schema. */
  readonly subscriptionErrors: readonly EntryError[];
  /** Errors in the mapping: the schema is not to be used. */
  readonly findings: readonly MappingFinding[];
  /** Names that had to change, operations that could not be offered. */
  readonly warnings: readonly Diagnostic[];
}

export const buildSchema = (...services: Parameters<typeof buildingSchema>): BuiltSchema =>
  AT_ONCE.finish(buildingSchema(...services));

/** Builds the one schema of all services. Types are made only where a field leads to them. */
export function* buildingSchema(
  services: readonly GraphqlService[],
  linkMappings: readonly LinkMapping[] = [],
  subscriptionMappings: readonly SubscriptionMapping[] = [],
  subschemas: readonly Subschema[] = [],
  directives: readonly GraphQLDirective[] = [],
  federation: FederationMapping | null = null,
): Steps<BuiltSchema> {
  const groups = typeGroups(services);
  const declared = yield* declaredNames(groups);
  const declaredOf = new Map([...declared].map(([name, { names }]) => [name, names]));
  const names = new TypeNames(mappingsOf(groups), declaredOf, namingsOf(groups));
  const leaves = new LeafTable();
  const { answering, observed } = operationsFor(subscriptionMappings);
  const linked = new Set([
    ...linkMappings.flatMap((link) => [link.operation, link.batch?.operation ?? link.operation]),
    ...operationsOfKeys(federation),
    ...answering,
  ]);
  const exposed = yield* exposures(services, names, new Set([...linked, ...observed]));

  const fields = new Map<string, BoundField>();
  const configs = { Query: new Map<string, Config>(), Mutation: new Map<string, Config>() };
  const targets = new Map<string, CallTarget>();
  const typesOf = yield* typesOfGroups(groups, exposed, declared, leaves, names);
  const made = [...new Set(typesOf.values())];
  const connections = new Connections();
  yield* addCalls(exposed, typesOf, names, { fields, configs, targets, connections });
  const operations = services.flatMap(({ name, operations }) =>
    operations.map((one) => `${name}.${one.name}`),
  );
  const subscribed = resolveSubscriptions(subscriptionMappings, { targets, operations, names });
  const ownTypes = yield* completedTypes(made, leaves);
  const subscriptions = new Map(subscribed.fields);
  const added = addSubschemas(subschemas, names, { ...configs, Subscription: subscriptions });
  const rootTypes = yield* rootTypesOf({ ...configs, Subscription: subscriptions });
  for (const { bound } of subscribed.table.subscriptions.values()) {
    fields.set(`Subscription.${bound.name}`, bound);
  }
  const roots = Object.values(rootTypes).filter((root) => root !== null);
  // Types are printed in this order. All are named here: found one in another, they would nest as
  // deep as schemas do.
  const types: GraphQLNamedType[] = [...roots, ...ownTypes, ...added.types];
  yield* relaxInputs(made);
  for (const group of groups) {
    names.findings.push(...mappingFindings(group, names, made));
  }
  for (const target of [...linked].flatMap((name) => targets.get(name) ?? [])) {
    types.push(getNamedType(target.config.type));
  }
  const unused = unusedTypes(
    connections.replaced,
    [...roots, ...types.slice(roots.length + ownTypes.length)],
    types,
  );
  const kept = unused.size === 0 ? types : types.filter((type) => !unused.has(type));
  const plain = yield* assembleSchema(rootTypes, kept, directives);
  const known = {
    targets: new Map<string, CallTarget | SubschemaTarget>([...targets, ...added.targets]),
    operations: [...operations, ...added.targets.keys()],
  };
  const { table, errors } = addLinks(plain, linkMappings, known.targets, known.operations);
  const parts =
    federation === null ? null : addEntities(plain, federation, known, new Set(added.types));
  const schema =
    table.size === 0 && parts === null
      ? plain
      : yield* assembleSchema(rootTypes, [...kept, ...(parts?.types ?? [])], directives);
  const subgraph =
    federation === null || parts === null || parts.keyErrors.length > 0
      ? null
      : yield* finishSubgraph(schema, parts, federation);
  return {
    schema,
    ...inEntityUnion({ fields, links: table, subgraph }),
    keyErrors: parts?.keyErrors ?? [],
    directiveErrors: parts?.typeErrors ?? [],
    subschemaFields: added.fields,
    replyRules: replyRulesOf(services, typesOf, names),
    linkErrors: errors,
    subscriptions: subscribed.table,
    subscriptionErrors: subscribed.errors,
    findings: [...names.findings, ...(yield* costFindings(schema, table))],
    warnings: names.warnings,
  };
}

/** The root types; null where one has no fields. A schema always has the type `Query`. */
function* rootTypesOf(
  configs: Readonly<Record<'Query' | 'Mutation' | 'Subscription', Map<string, Config>>>,
): Steps<RootTypes> {
  if (configs.Query.size === 0) {
    configs.Query.set('_empty', EMPTY_QUERY);
  }
  return {
    query: yield* rootType('Query', configs.Query),
    mutation: configs.Mutation.size === 0 ? null : yield* rootType('Mutation', configs.Mutation),
    subscription:
      configs.Subscription.size === 0
        ? null
        : yield* rootType('Subscription', configs.Subscription),
  };
}

/** The types of each service; services of one group share them. */
function* typesOfGroups(
  groups: readonly TypeGroup[],
  exposed: readonly Exposed[],
  declared: ReadonlyMap<string, Declared>,
  leaves: LeafTable,
  names: TypeNames,
): Steps<ReadonlyMap<GraphqlService, ServiceTypes>> {
  const typesOf = new Map<GraphqlService, ServiceTypes>();
  const offeredOf = new Map(
    exposed.map(({ service, exposures }) => [service, exposures.map((each) => each.operation)]),
  );
  for (const group of groups) {
    const { owner, services: sharing } = group;
    const offered = sharing.flatMap((service) => offeredOf.get(service) ?? []);
    const replies = declared.get(owner.name)?.replies ?? null;
    const types = serviceTypes(group, offered, replies, leaves, names);
    for (const service of sharing) {
      typesOf.set(service, types);
    }
    yield;
  }
  return typesOf;
}

/** All types that the services made, in the order in which they are printed. */
function* completedTypes(
  made: readonly ServiceTypes[],
  leaves: LeafTable,
): Steps<readonly GraphQLNamedType[]> {
  const types: GraphQLNamedType[] = [];
  for (const { output, faults, input, answers } of made) {
    types.push(...answers, ...(yield* output.complete()), ...faults.made, ...input.made);
  }
  types.push(...leaves.made);
  return types;
}

/** Makes a field of each endless cycle of required inputs optional, and warns of it. */
function* relaxInputs(made: readonly ServiceTypes[]): Steps<void> {
  for (const { names, input } of made) {
    for (const field of yield* relaxCycles(input.made)) {
      names.warn(`${field} requires what it is in for ever, it may be left out in GraphQL.`);
    }
  }
}

/** The tables that the operations of services fill. */
interface CallTables {
  /** Fields by coordinate, such as `Query.order`. */
  readonly fields: Map<string, BoundField>;
  readonly configs: Readonly<Record<'Query' | 'Mutation', Map<string, Config>>>;
  /** By `service.operation`, also of those that are offered by links or subscriptions only. */
  readonly targets: Map<string, CallTarget>;
  readonly connections: Connections;
}

/** Makes the field of each operation. */
function* addCalls(
  exposed: readonly Exposed[],
  typesOf: ReadonlyMap<GraphqlService, ServiceTypes>,
  names: TypeNames,
  { fields, configs, targets, connections }: CallTables,
): Steps<void> {
  for (const { service, exposures } of exposed) {
    const types = typesOf.get(service);
    invariant(types !== undefined, 'each service is in a group');
    for (const { operation, mapping, parent, name, isOffered } of exposures) {
      yield;
      const earlier = names.findings.length;
      checkReplyHeaders(operation, service, names.of(service.name));
      const selectable = replyBlocks(operation, service);
      const requires = service.requirementOf?.(operation) ?? null;
      const called =
        requires === null ? null : new FieldRule(`${service.name}.${operation.name}`, requires);
      const made = operationField(operation, mapping, types, service.blocks, selectable, called);
      const { config: plain, requestPlan, headersArgument } = made;
      const reply =
        service.hasReferences === true ? { ...made.reply, hasReferences: true } : made.reply;
      const cost = costOfCall(mapping?.cost ?? null, service.callCost ?? null);
      const isMutation = isOffered && parent === 'Mutation';
      const pages = mapping?.pages ?? null;
      if (pages !== null && parent === 'Mutation') {
        names
          .of(service.name)
          .refuse(
            pages.path,
            `\`${operation.name}\` is a field of Mutation: pages are read.`,
            READ,
          );
      }
      const paged =
        pages === null
          ? null
          : connections.field(operation, pages, { config: plain, reply }, types);
      const { config, paging } = paged ?? { config: plain, paging: null };
      const about = { service: service.name, operation, parent, name };
      const bound = { ...about, requestPlan, reply, headersArgument, cost, paging };
      names.attributeOperations(earlier, service.name);
      targets.set(`${service.name}.${operation.name}`, { bound, config, isMutation });
      if (!isOffered) continue;
      configs[parent].set(name, config);
      fields.set(`${parent}.${name}`, bound);
    }
  }
}

const READ = 'If it only reads, map it to a field of Query.';

type Config = GraphQLFieldConfig<unknown, unknown>;

/** Fields of a root type that are defined in one step. */
const STEP_FIELDS = 100;

function* rootType(
  name: RootType | 'Subscription',
  fields: ReadonlyMap<string, Config>,
): Steps<GraphQLObjectType> {
  const root = new GraphQLObjectType({ name, fields: {} });
  const entries = [...fields];
  for (let at = 0; at < entries.length; at += STEP_FIELDS) {
    const part = Object.fromEntries(entries.slice(at, at + STEP_FIELDS));
    Object.assign(root.getFields(), new GraphQLObjectType({ name, fields: part }).getFields());
    yield;
  }
  return root;
}

const EMPTY_QUERY: Config = {
  type: GraphQLBoolean,
  description: 'Always null: no operation reads, and a schema needs a query.',
};

/**
 * Entries for types that are not there. Only where there are any is every type of the service
 * looked at.
 */
function mappingFindings(
  { owner, services }: TypeGroup,
  names: TypeNames,
  made: readonly ServiceTypes[],
): readonly MappingFinding[] {
  const mapping = names.of(owner.name).mapping;
  if (mapping.isEmpty) return [];
  const members = made.find((types) => types.names.service === owner.name)?.members;
  const known = [...(owner.knownTypes ?? [])];
  const types = new Set(known);
  for (const { input, output, faults } of services.flatMap(({ operations }) => operations)) {
    const payloads = [input, ...(output === null ? [] : [output])];
    const elements = payloads.flatMap(({ body, headers }) => [
      ...(body === null ? [] : [body]),
      ...headers.map(({ element }) => element),
    ]);
    for (const element of [...elements, ...faults.map((fault) => fault.element)]) {
      mapping.meet(element);
      types.add(element.type);
    }
  }
  for (const type of types) {
    mapping.of(type);
    if (type.kind === 'simple') continue;
    for (const member of members?.of(type).all ?? []) {
      if (member.kind === 'element') {
        types.add(member.element.type);
      }
    }
  }
  return mapping.findings(owner.name, [...types]);
}
