import { GraphQLBoolean, type GraphQLFieldConfig, GraphQLObjectType, GraphQLSchema, getNamedType } from 'graphql';
import type { Problem } from '../base/problem.js';
import type { RequestPlan } from '../codec/plan.js';
import type { Operation, XsdType } from '../wsdl/model.js';
import { InputTypes } from './input.js';
import { LeafTable } from './leaf.js';
import type { LinkFault, LinkMapping, LinkTable, LinkTarget } from './link.js';
import { addLinks } from './link-schema.js';
import { MemberTable } from './members.js';
import { fieldName, isReading, NameScope, type Naming, pascalName } from './naming.js';
import { operationField, type ServiceTypes } from './operation-field.js';
import { OutputTypes } from './output.js';
import { reach } from './reach.js';
import type { ReplyShape } from './shape.js';
import { TypeNames } from './type-names.js';

/** One service as the schema sees it. */
export interface GraphqlService {
  readonly name: string;
  /** The operations of the port in use. */
  readonly operations: readonly Operation[];
  /** By the operation's name. When any entry names a field, only operations with an entry are offered. */
  readonly mapping: ReadonlyMap<string, OperationMapping>;
  readonly naming: Naming;
}

export interface OperationMapping {
  /** Null: parent and name follow from the operation's name. */
  readonly field: { readonly parent: RootType; readonly name: string } | null;
  readonly hidden: boolean;
}

export type RootType = 'Query' | 'Mutation';

/** One field of Query or Mutation and the operation that answers it. */
export interface BoundField {
  readonly service: string;
  readonly operation: Operation;
  readonly parent: RootType;
  readonly name: string;
  readonly requestPlan: RequestPlan;
  readonly reply: ReplyShape;
  /** The argument that holds the header blocks, or null. */
  readonly headersArgument: string | null;
}

export interface BuiltSchema {
  readonly schema: GraphQLSchema;
  /** By `Query.order`, `Mutation.placeOrder`. */
  readonly fields: ReadonlyMap<string, BoundField>;
  readonly links: LinkTable;
  /** Mistakes in links: without them the schema has none of the links. */
  readonly linkFaults: readonly LinkFault[];
  /** Names that had to change, operations that could not be offered. */
  readonly notices: readonly Problem[];
}

/** The one schema of all services. Types are made only where a field leads to them. */
export function buildSchema(
  services: readonly GraphqlService[],
  linkMappings: readonly LinkMapping[] = [],
): BuiltSchema {
  const names = new TypeNames();
  const leaves = new LeafTable(names);
  const linked = new Set(linkMappings.flatMap((link) => [link.operation, link.batch?.operation ?? link.operation]));
  const exposed = services.map((service) => ({ service, exposures: exposuresOf(service, names, linked) }));
  nameFields(exposed, names);

  const fields = new Map<string, BoundField>();
  const configs = { Query: new Map<string, Config>(), Mutation: new Map<string, Config>() };
  const outputs: OutputTypes[] = [];
  const targets = new Map<string, LinkTarget>();
  for (const { service, exposures } of exposed) {
    const types = serviceTypes(service, exposures, leaves, names);
    outputs.push(types.output);
    for (const { operation, parent, name, isOffered } of exposures) {
      const { config, requestPlan, reply, headersArgument } = operationField(operation, types);
      const bound = { service: service.name, operation, parent, name, requestPlan, reply, headersArgument };
      const isMutation = isOffered && parent === 'Mutation';
      targets.set(`${service.name}.${operation.name}`, { bound, config, isMutation });
      if (!isOffered) continue;
      configs[parent].set(name, config);
      fields.set(`${parent}.${name}`, bound);
    }
  }
  if (configs.Query.size === 0) configs.Query.set('_empty', EMPTY_QUERY);
  const query = rootType('Query', configs.Query);
  const mutation = configs.Mutation.size === 0 ? null : rootType('Mutation', configs.Mutation);
  const roots = mutation === null ? [query] : [query, mutation];
  // Types are named and printed in this order.
  const types = [...roots, ...outputs.flatMap((output) => output.implementations())];
  for (const target of [...linked].flatMap((name) => targets.get(name) ?? []))
    types.push(getNamedType(target.config.type));
  const make = (): GraphQLSchema => new GraphQLSchema({ query, mutation, types });
  const plain = make();
  const { table, faults } = addLinks(plain, linkMappings, targets);
  const schema = table.size === 0 ? plain : make();
  return { schema, fields, links: table, linkFaults: faults, notices: names.notices };
}

type Config = GraphQLFieldConfig<unknown, unknown>;

const rootType = (name: RootType, fields: ReadonlyMap<string, Config>): GraphQLObjectType =>
  new GraphQLObjectType({ name, fields: Object.fromEntries(fields) });

const EMPTY_QUERY: Config = {
  type: GraphQLBoolean,
  description: 'Always null: no operation reads, and a schema needs a query.',
};

interface Exposure {
  readonly operation: Operation;
  readonly mapped: OperationMapping['field'];
  readonly parent: RootType;
  /** It is a field of its root type; else only links lead to it. */
  readonly isOffered: boolean;
  /** Set by `nameFields`. */
  name: string;
}

function exposuresOf(service: GraphqlService, names: TypeNames, linked: ReadonlySet<string>): readonly Exposure[] {
  const { mapping } = service;
  const isSelective = [...mapping.values()].some((entry) => entry.field !== null && !entry.hidden);
  const known = new Set(service.operations.map((operation) => operation.name));
  for (const name of mapping.keys()) {
    if (!known.has(name)) names.notice(`Service ${service.name} has no operation ${name}.`);
  }
  return service.operations.flatMap((operation): Exposure[] => {
    const entry = mapping.get(operation.name);
    const isOffered = entry?.hidden !== true && !(isSelective && entry === undefined);
    if (!isOffered && !linked.has(`${service.name}.${operation.name}`)) return [];
    if (operation.status === 'disabled') {
      const why = operation.reasons.map((reason) => reason.what).join(' ');
      names.notice(`Service ${service.name}: operation ${operation.name} is not offered in GraphQL. ${why}`.trim());
      return [];
    }
    const mapped = entry?.field ?? null;
    const parent = mapped?.parent ?? (isReading(operation.name) ? 'Query' : 'Mutation');
    return [{ operation, mapped, parent, isOffered, name: '' }];
  });
}

/** Names of the mapping come first, then names by rule, each in order; who comes second is renamed. */
function nameFields(
  exposed: readonly { readonly service: GraphqlService; readonly exposures: readonly Exposure[] }[],
  names: TypeNames,
): void {
  const scopes = { Query: new NameScope(), Mutation: new NameScope() };
  for (const pass of ['mapped', 'by rule']) {
    for (const { service, exposures } of exposed) {
      for (const exposure of exposures) {
        const { mapped, operation, parent } = exposure;
        if (!exposure.isOffered) continue;
        if ((mapped !== null) !== (pass === 'mapped')) continue;
        const wanted = mapped?.name ?? fieldName(operation.name, service.naming);
        const legal = mapped === null ? wanted : fieldName(wanted, 'exact');
        const prefixed = `${fieldName(service.name, 'camel')}${pascalName(legal)}`;
        exposure.name = scopes[parent].take(legal, prefixed);
        if (exposure.name === wanted) continue;
        names.notice(
          `Service ${service.name}: operation ${operation.name} is ${parent}.${exposure.name}, not ${wanted}.`,
          'Give it a field of its own in the mapping.',
        );
      }
    }
  }
}

function serviceTypes(
  service: GraphqlService,
  exposures: readonly Exposure[],
  leaves: LeafTable,
  names: TypeNames,
): ServiceTypes {
  const members = new MemberTable(service.naming);
  const roots = exposures.flatMap(({ operation }): XsdType[] => {
    const type = operation.output?.body?.type;
    return type === undefined ? [] : [type];
  });
  const reached = reach(roots, members);
  return {
    service: service.name,
    naming: service.naming,
    members,
    leaves,
    names,
    input: new InputTypes(service.name, members, leaves, names, reached),
    output: new OutputTypes(service.name, members, leaves, names, reached),
  };
}
