import { type DirectiveNode, type DocumentNode, Kind, type Location, visit } from 'graphql';
import { checkCostDirective, checkCostPlace } from './cost-sdl.js';
import { occurrenceOf, type SdlField, xmlDirective } from './sdl-field.js';

type Report = (what: string, location: Location | undefined, remedy?: string | null) => void;

/** Reports directives that mean nothing where they stand: none is passed over in silence. */
export function checkDirectives(document: DocumentNode, report: Report): void {
  visit(document, {
    Directive: (directive, _key, _parent, _path, ancestors) => {
      checkDirective(directive, report);
      checkCostPlace(directive, ancestors, report);
    },
    ObjectTypeDefinition: ({ name, fields = [] }) => checkFields(fields, isRoot(name.value), report),
    ObjectTypeExtension: ({ name, fields = [] }) => checkFields(fields, isRoot(name.value), report),
    InputObjectTypeDefinition: ({ fields = [] }) => checkFields(fields, false, report),
    FieldDefinition: ({ arguments: values = [] }) => checkFields(values, false, report),
  });
}

const isRoot = (typeName: string): boolean => typeName === 'Query' || typeName === 'Mutation';

function checkDirective(directive: DirectiveNode, report: Report): void {
  const { name, arguments: values = [], loc } = directive;
  if (name.value === 'deprecated') {
    report('@deprecated has no place here.', loc, 'Write `deprecated` into the mapping of the operation or the type.');
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

function checkFields(fields: readonly SdlField[], isOfRoot: boolean, report: Report): void {
  for (const field of fields) {
    const { name, item, attribute } = xmlDirective(field.directives);
    const at = (what: string, remedy: string | null = null): void => report(what, field.loc, remedy);
    if (name !== null && !isOfRoot) {
      const remedy = 'Call the field as its element is called, and rename it in `schema.types`.';
      at(`${field.name.value}: only fields of Query and Mutation have @xml(name:).`, remedy);
    }
    if (attribute && isOfRoot) at(`${field.name.value}: a result cannot be an attribute.`);
    if (item !== null && !occurrenceOf(field.type).list) at(`${field.name.value}: only lists have @xml(item:).`);
    if (item !== null && attribute) at(`${field.name.value}: an attribute has no items.`);
  }
}
