import {
  type DirectiveNode,
  type DocumentNode,
  GraphQLError,
  Kind,
  type Location,
  parse,
  visit,
} from 'graphql';
import type { Diagnostic } from '../../../core/index.js';
import type { Operation } from '../../../wsdl/index.js';
import { checkCostDirective, checkCostPlace, type ReportInSdl } from './cost-sdl.js';
import type { OperationMapping } from './exposure.js';
import { occurrenceOf, type SdlField, xmlDirective } from './sdl-field.js';
import { type SdlOperation, SdlTypes } from './sdl-types.js';

export interface SdlOperations {
  readonly operations: readonly Operation[];
  /** For `GraphqlService.mapping`. */
  readonly mapping: ReadonlyMap<string, OperationMapping>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The model of a backend without a WSDL, from type definitions in SDL and a table of operations by
 * name. Names on the wire are those of the SDL: build the schema with `naming: 'exact'`.
 *
 * A field of `Query` or `Mutation` has the arguments and the result of its operation. An argument
 * is a child of the request element. A result that is an object is the reply element itself: its
 * fields are the children. Any other result is a child of the reply element with the field's name.
 * Where the backend does otherwise:
 *
 *     order(id: ID!): Order @xml(name: "return")            the object stands in the child `return`
 *     orders: [Order!] @xml(name: "orders", item: "order")  the items are in one child `orders`,
 *                                                           each as an `order`
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
  const report = (
    what: string,
    location: Location | undefined,
    remedy: string | null = null,
  ): void => {
    const start = location?.startToken;
    diagnostics.push({
      file: place.file,
      line: lineOf(start?.line),
      column: start?.column ?? null,
      what,
      remedy,
    });
  };
  const lineOf = (line: number | undefined): number | null =>
    line === undefined ? null : place.line + line - 1;
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
    if (operationModel !== null) {
      made.push(operationModel);
    }
  }
  types.reportUnused();
  return { operations: made, mapping, diagnostics };
}

/** Reports directives that mean nothing where they stand: none is passed over in silence. */
function checkDirectives(document: DocumentNode, report: ReportInSdl): void {
  visit(document, {
    Directive: (directive, _key, _parent, _path, ancestors) => {
      checkDirective(directive, report);
      checkCostPlace(directive, ancestors, report);
    },
    ObjectTypeDefinition: ({ name, fields = [] }) =>
      checkFields(fields, isRoot(name.value), report),
    ObjectTypeExtension: ({ name, fields = [] }) => checkFields(fields, isRoot(name.value), report),
    InputObjectTypeDefinition: ({ fields = [] }) => checkFields(fields, false, report),
    FieldDefinition: ({ arguments: values = [] }) => checkFields(values, false, report),
  });
}

const isRoot = (typeName: string): boolean => typeName === 'Query' || typeName === 'Mutation';

function checkDirective(directive: DirectiveNode, report: ReportInSdl): void {
  const { name, arguments: values = [], loc } = directive;
  if (name.value === 'deprecated') {
    report(
      '@deprecated has no place here.',
      loc,
      'Write `deprecated` into the mapping of the operation or the type.',
    );
    return;
  }
  // A scalar that was copied from a printed schema has it.
  if (name.value === 'specifiedBy') return;
  if (checkCostDirective(directive, report)) return;
  if (name.value !== 'xml') {
    report(`There is no directive @${name.value}.`, loc, 'Known here: @xml, @cost, @listSize.');
    return;
  }
  for (const argument of values) {
    const kind = ARGUMENTS.get(argument.name.value);
    if (kind === undefined) {
      report(
        `@xml has no argument ${argument.name.value}.`,
        argument.loc,
        `It has ${[...ARGUMENTS.keys()].join(', ')}.`,
      );
    } else if (argument.value.kind !== kind) {
      const form = kind === Kind.STRING ? 'text in quotes' : 'true or false';
      report(`The argument ${argument.name.value} of @xml must be ${form}.`, argument.loc);
    }
  }
}

const ARGUMENTS: ReadonlyMap<string, typeof Kind.STRING | typeof Kind.BOOLEAN> = new Map([
  ['name', Kind.STRING],
  ['item', Kind.STRING],
  ['attribute', Kind.BOOLEAN],
]);

function checkFields(fields: readonly SdlField[], isOfRoot: boolean, report: ReportInSdl): void {
  for (const field of fields) {
    const { name, item, attribute } = xmlDirective(field.directives);
    const at = (what: string, remedy: string | null = null): void =>
      report(what, field.loc, remedy);
    if (name !== null && !isOfRoot) {
      const remedy = 'Call the field as its element is called, and rename it in `schema.types`.';
      at(`${field.name.value}: only fields of Query and Mutation have @xml(name:).`, remedy);
    }
    if (attribute && isOfRoot) {
      at(`${field.name.value}: a result cannot be an attribute.`);
    }
    if (item !== null && !occurrenceOf(field.type).list) {
      at(`${field.name.value}: only lists have @xml(item:).`);
    }
    if (item !== null && attribute) {
      at(`${field.name.value}: an attribute has no items.`);
    }
  }
}
