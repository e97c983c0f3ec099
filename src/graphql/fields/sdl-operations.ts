import { type DocumentNode, GraphQLError, type Location, parse } from 'graphql';
import type { Diagnostic } from '../../base/diagnostic.js';
import type { Operation } from '../../wsdl/model.js';
import type { OperationMapping } from './exposure.js';
import { checkDirectives } from './sdl-directives.js';
import { type SdlOperation, SdlTypes } from './sdl-types.js';

export interface SdlOperations {
  readonly operations: readonly Operation[];
  /** For `GraphqlService.mapping`. */
  readonly mapping: ReadonlyMap<string, OperationMapping>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The model of a backend without a WSDL, from type definitions in SDL and a table of operations by name. Names on the
 * wire are those of the SDL: build the schema with `naming: 'exact'`.
 *
 * A field of `Query` or `Mutation` has the arguments and the result of its operation. An argument is a child of the request
 * element. A result that is an object is the reply element itself: its fields are the children. Any other result is a
 * child of the reply element with the field's name. Where the backend does otherwise:
 *
 *     order(id: ID!): Order @xml(name: "return")            the object stands in the child `return`
 *     orders: [Order!] @xml(name: "orders", item: "order")  the items stand in one child `orders`, each an `order`
 *     type Line { sku: String @xml(attribute: true) }       an attribute instead of a child
 *
 * `place` says where the SDL stands, for diagnostics.
 */
export function readSdlOperations(
  sdl: string,
  operations: ReadonlyMap<string, SdlOperation>,
  place: { readonly file: string | null; readonly line: number },
): SdlOperations {
  const diagnostics: Diagnostic[] = [];
  const report = (what: string, location: Location | undefined, remedy: string | null = null): void => {
    const start = location?.startToken;
    diagnostics.push({ file: place.file, line: lineOf(start?.line), column: start?.column ?? null, what, remedy });
  };
  const lineOf = (line: number | undefined): number | null => (line === undefined ? null : place.line + line - 1);
  let document: DocumentNode;
  try {
    document = parse(sdl);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    const [at] = error.locations ?? [];
    diagnostics.push({
      file: place.file,
      line: lineOf(at?.line),
      column: at?.column ?? null,
      what: error.message,
      remedy: null,
    });
    return { operations: [], mapping: new Map(), diagnostics };
  }
  checkDirectives(document, report);
  const types = new SdlTypes(document, report);
  const made: Operation[] = [];
  const mapping = new Map<string, OperationMapping>();
  for (const [name, operation] of operations) {
    mapping.set(name, { field: operation.field, hidden: false });
    const operationModel = types.operation(name, operation);
    if (operationModel !== null) made.push(operationModel);
  }
  types.reportUnused();
  return { operations: made, mapping, diagnostics };
}
