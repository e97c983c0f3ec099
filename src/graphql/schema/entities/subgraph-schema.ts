import {
  type GraphQLField,
  type GraphQLFieldConfig,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
} from 'graphql';
import { invariant, type Steps } from '../../../core/index.js';
import type { EntryError } from '../feeds/entry-error.js';
import type { Targets } from '../feeds/targets.js';
import type { LinkTarget } from '../links/link-schema.js';
import { costExtensions, FieldCost } from '../types/cost-rules.js';
import { directiveErrors } from './directive-check.js';
import { type FederationMapping, SUBGRAPH_NAMES, type Subgraph } from './entity.js';
import { type ResolvedKeys, resolveKeys } from './entity-keys.js';
import { addForeignFields } from './foreign-fields.js';
import { representationScalar } from './representation-scalar.js';
import { printSubgraph } from './subgraph-sdl.js';

/** The operations that keys name, by `service.operation`. */
export const operationsOfKeys = (mapping: FederationMapping | null): readonly string[] =>
  (mapping?.keys ?? []).flatMap(({ operation, batch }) =>
    [operation, batch?.operation ?? null].filter((name) => name !== null),
  );

/** The parts of a subgraph that a schema is assembled with. */
export interface SubgraphParts {
  readonly keys: ResolvedKeys;
  readonly types: readonly GraphQLNamedType[];
  readonly foreign: Subgraph['foreign'];
  /** Errors of `keys`, and of `types`. */
  readonly keyErrors: readonly EntryError[];
  readonly typeErrors: readonly EntryError[];
}

/**
 * Resolves the keys against the schema and adds `_entities` to its queries. Make the schema again
 * afterwards, with these types as well. `remote` are types of services that speak GraphQL.
 */
export function addEntities(
  schema: GraphQLSchema,
  { keys: mappings, directives }: FederationMapping,
  known: Targets<LinkTarget>,
  remote: ReadonlySet<GraphQLNamedType>,
): SubgraphParts {
  const taken = takenNames(schema);
  const typeErrors: EntryError[] = [];
  const foreign = addForeignFields(schema, directives, remote, typeErrors);
  typeErrors.push(...directiveErrors(schema, directives));
  const keys = resolveKeys(schema, mappings, known);
  const keyErrors = [...keys.errors, ...taken];
  const parts = { keys, foreign, keyErrors, typeErrors };
  if (taken.length > 0) return { ...parts, types: [] };
  const service = new GraphQLObjectType({
    name: SUBGRAPH_NAMES.service,
    description: 'This subgraph.',
    fields: {
      sdl: { type: new GraphQLNonNull(GraphQLString), description: 'Its schema as SDL.' },
    },
  });
  const members = [...keys.entities.values()].map(({ type }) => type);
  if (members.length === 0) return { ...parts, types: [service] };
  const scalar = representationScalar();
  const entity = new GraphQLUnionType({
    name: SUBGRAPH_NAMES.entity,
    description: 'An object that other subgraphs refer to.',
    types: members,
  });
  const representations = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(scalar)));
  addQuery(schema, SUBGRAPH_NAMES.entitiesField, {
    type: new GraphQLNonNull(new GraphQLList(entity)),
    description: 'The objects that representations of other subgraphs stand for.',
    args: { [SUBGRAPH_NAMES.representations]: { type: representations } },
  });
  return { ...parts, types: [service, scalar, entity] };
}

/** Names of a subgraph that the schema uses for something else: services may be subgraphs too. */
function takenNames(schema: GraphQLSchema): readonly EntryError[] {
  const { representation, entity, service, entitiesField, serviceField } = SUBGRAPH_NAMES;
  const fields = schema.getQueryType()?.getFields() ?? {};
  const taken = [
    ...[representation, entity, service].filter((name) => schema.getType(name) !== undefined),
    ...[entitiesField, serviceField]
      .filter((name) => Object.hasOwn(fields, name))
      .map((name) => `Query.${name}`),
  ];
  return taken.map((name) => ({
    path: [],
    part: 'key',
    what: `\`${name}\` is in the schema already.`,
    remedy: 'Rename or hide it at its service.',
    unknown: null,
  }));
}

/** Characters of SDL for one point: about as much text as a reply of a backend that costs one. */
const CHARS_OF_POINT = 50_000;

/** Prints the schema of a subgraph, and adds `_service` to its queries. */
export function* finishSubgraph(
  schema: GraphQLSchema,
  { keys, foreign }: SubgraphParts,
  { directives }: FederationMapping,
): Steps<Subgraph> {
  const sdl = yield* printSubgraph(schema, { keys: keys.declared, directives });
  const service = schema.getType(SUBGRAPH_NAMES.service);
  invariant(service instanceof GraphQLObjectType, 'the type of the service is in the schema');
  const weight = Math.ceil(sdl.length / CHARS_OF_POINT);
  addQuery(schema, SUBGRAPH_NAMES.serviceField, {
    type: new GraphQLNonNull(service),
    description: 'This subgraph, for the composition of a supergraph.',
    extensions: costExtensions(new FieldCost({ weight })),
    resolve: () => ({ sdl }),
  });
  return { entities: keys.entities, foreign, sdl };
}

function addQuery(
  schema: GraphQLSchema,
  name: string,
  config: GraphQLFieldConfig<unknown, unknown>,
): void {
  const query = schema.getQueryType();
  invariant(query != null, 'a schema has queries');
  const made = new GraphQLObjectType({ name: query.name, fields: { [name]: config } });
  const field: GraphQLField<unknown, unknown> | undefined = made.getFields()[name];
  invariant(field !== undefined, 'the field that was made');
  query.getFields()[name] = field;
}
