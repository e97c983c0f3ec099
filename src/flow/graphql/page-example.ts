import { type DocumentNode, type FieldNode, type GraphQLField, Kind } from 'graphql';
import { encodeRequest, requestEncoding } from '../../codec/index.js';
import type { Compiled } from '../../compile.js';
import { type BoundField, run, schemaDocs } from '../../graphql/index.js';

/** The query that GraphiQL begins with: one whose call can be written for its service. */
export const pageExample = (compiled: Compiled): string =>
  schemaDocs.exampleQuery(
    compiled.graph.schema,
    (field, document) => isWritable(compiled, 'Query', field, document),
    (name) => {
      const bound = compiled.graph.fields.get(`Query.${name}`);
      return bound === undefined ? null : schemaDocs.validArguments(bound);
    },
  );

/** Whether the call of an example can be written for its service. */
export function isWritable(
  compiled: Compiled,
  parent: 'Query' | 'Mutation',
  field: GraphQLField<unknown, unknown>,
  document: DocumentNode,
): boolean {
  const bound = compiled.graph.fields.get(`${parent}.${field.name}`);
  // Without one, the field belongs to a GraphQL upstream, which knows whether the values are good.
  return bound === undefined || isWritableFor(compiled, bound, field, document);
}

/** Whether the call of an example can be written for the operation of its field. */
export function isWritableFor(
  { services, limits }: Compiled,
  bound: BoundField,
  field: GraphQLField<unknown, unknown>,
  document: DocumentNode,
): boolean {
  const service = services.find(({ name }) => name === bound.service);
  if (service === undefined) return true;
  try {
    const input = run.argumentsOf(field, rootFieldOf(document), {}, bound.headersArgument);
    encodeRequest(
      bound.requestPlan,
      service.dialects[0],
      { ...input, parts: new requestEncoding.BinaryParts('none') },
      limits.codec,
    );
    return true;
  } catch {
    // A value that was made up does not fit, or arguments may not be given together.
    return false;
  }
}

/** The one field that an example calls. */
export function rootFieldOf({ definitions }: DocumentNode): FieldNode {
  const [operation] = definitions;
  const selection =
    operation?.kind === Kind.OPERATION_DEFINITION
      ? operation.selectionSet.selections[0]
      : undefined;
  if (selection?.kind !== Kind.FIELD) throw new Error('an example without a field');
  return selection;
}
