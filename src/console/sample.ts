import { type FieldNode, type GraphQLField, type OperationDefinitionNode, parse } from 'graphql';

import { addressingBlocks } from '../codec/write/addressing-blocks.js';
import { encodeRequest } from '../codec/write/encode.js';
import { skeletonOf } from '../codec/write/skeleton.js';
import type { SoapService } from '../compile/service.js';
import type { Compiled } from '../compile.js';
import type { BoundField } from '../graphql/fields/bound-field.js';
import { exampleCall } from '../graphql/page/example.js';
import { argumentsOf } from '../graphql/run/arguments.js';
import type { CallInput } from '../graphql/run/link-feed.js';
import type { Sample } from './answers.js';

/** A sample of a field of the root, with values made up. */
export function sampleOf(compiled: Compiled, service: SoapService, bound: BoundField): Sample {
  const { schema } = compiled.graph;
  const root = bound.parent === 'Query' ? schema.getQueryType() : schema.getMutationType();
  const field = root?.getFields()[bound.name];
  const query = field === undefined ? null : exampleCall(field, bound.parent === 'Query' ? 'query' : 'mutation');
  if (field === undefined || query === null) return { query: null, envelope: null };
  return { query, envelope: envelopeOf(compiled, service, bound, field, query) };
}

function envelopeOf(
  compiled: Compiled,
  service: SoapService,
  bound: BoundField,
  field: GraphQLField<unknown, unknown>,
  query: string,
): string | null {
  try {
    const input = argumentsOf(field, rootField(query), {}, bound.headersArgument);
    return printEnvelope(compiled, service, bound, input, new Set());
  } catch {
    // Values that were made up need not fit every facet.
    return null;
  }
}

/** The envelope of a call, without what the configuration or a caller's header fields give. */
export function printEnvelope(
  { config }: Compiled,
  service: SoapService,
  bound: BoundField,
  input: CallInput,
  standIns: ReadonlySet<string>,
): string {
  const [dialect] = service.dialects;
  const addressing = service.addressing?.get(bound.operation) ?? null;
  const blocks = addressing === null ? [] : addressingBlocks(addressing, dialect, 'urn:uuid:***');
  const plan = skeletonOf(bound.requestPlan, standIns);
  return encodeRequest(plan, dialect, { ...input, blocks }, config.limits.codec).toString();
}

function rootField(query: string): FieldNode {
  const [operation] = parse(query).definitions.filter(
    (each): each is OperationDefinitionNode => each.kind === 'OperationDefinition',
  );
  const field = operation?.selectionSet.selections[0];
  if (field?.kind !== 'Field') throw new Error('an example without a field');
  return field;
}
