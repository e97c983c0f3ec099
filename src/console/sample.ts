import { type FieldNode, type GraphQLField, type OperationDefinitionNode, parse } from 'graphql';

import { blocksOf } from '../compile/soap/mapping.js';
import { printEnvelope } from '../compile/soap/print-envelope.js';
import type { ConfiguredService } from '../compile/soap/service.js';
import type { Compiled } from '../compile.js';
import { isWritableFor } from '../flow/graphql/page-example.js';
import {
  type BoundField,
  graphqlSchema,
  run,
  schemaDocs,
  schemaMapping,
} from '../graphql/index.js';
import type { Operation } from '../wsdl/index.js';
import type { SampleMessage } from './answers.js';

/**
 * A sample of an operation, with values made up; `bound` is its field of the root, if it has one.
 */
export function sampleOf(
  compiled: Compiled,
  service: ConfiguredService,
  operation: Operation,
  bound: BoundField | null,
): SampleMessage {
  const { schema, fields } =
    bound === null
      ? fieldOnly(service, operation)
      : { schema: compiled.graph.schema, fields: null };
  const found = bound ?? fields?.get('Query.call') ?? null;
  if (found === null) return { query: null, envelope: null };
  const root = found.parent === 'Query' ? schema.getQueryType() : schema.getMutationType();
  const field = root?.getFields()[found.name];
  if (field === undefined) return { query: null, envelope: null };
  const kind = found.parent === 'Query' ? 'query' : 'mutation';
  const calls = schemaDocs.exampleCalls(field, kind, schemaDocs.validArguments(found));
  const query =
    calls.find((each) => isWritableFor(compiled, found, field, parse(each))) ?? calls[0];
  if (query === undefined) return { query: null, envelope: null };
  return {
    query: bound === null ? null : query,
    envelope: envelopeOf(compiled, service, found, field, query),
  };
}

/** A schema whose only field calls an operation that GraphQL does not offer. */
function fieldOnly(
  service: ConfiguredService,
  operation: Operation,
): Pick<graphqlSchema.BuiltSchema, 'schema' | 'fields'> {
  const request = {
    arguments: schemaMapping.inputMappings({}, []),
    headers: schemaMapping.NO_BLOCKS,
  };
  const mapping = new Map([
    [operation.name, { field: { parent: 'Query', name: 'call' } as const, hidden: false, request }],
  ]);
  const { name } = service;
  return graphqlSchema.buildSchema([
    { name, operations: [operation], mapping, naming: 'exact', blocks: blocksOf(service) },
  ]);
}

function envelopeOf(
  compiled: Compiled,
  service: ConfiguredService,
  bound: BoundField,
  field: GraphQLField<unknown, unknown>,
  query: string,
): string | null {
  try {
    const input = run.argumentsOf(field, rootField(query), {}, bound.headersArgument);
    return printEnvelope(
      compiled.config.limits.codec,
      service,
      bound,
      input,
      schemaDocs.EXAMPLE_TEXTS,
    ).text;
  } catch {
    // Numbers that were made up need not fit every facet.
    return null;
  }
}

function rootField(query: string): FieldNode {
  const [operation] = parse(query).definitions.filter(
    (each): each is OperationDefinitionNode => each.kind === 'OperationDefinition',
  );
  const field = operation?.selectionSet.selections[0];
  if (field?.kind !== 'Field') throw new Error('an example without a field');
  return field;
}
