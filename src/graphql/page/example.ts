import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
} from 'graphql';

/**
 * A query that fits the schema, to begin with: its first field that needs scalar values only, the required
 * arguments made up, and the first few fields of its result.
 */
export function exampleQuery(schema: GraphQLSchema): string {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  for (const field of fields) {
    const call = printCall(field);
    if (call !== null) return `${INTRODUCTION}{\n  ${call}${printSelection(field.type, '  ', LEVELS)}\n}\n`;
  }
  return `${INTRODUCTION}{\n  __typename\n}\n`;
}

/** A document that calls one field, with the required arguments made up; null where one has no value that could be. */
export function exampleCall(field: GraphQLField<unknown, unknown>, operation: 'query' | 'mutation'): string | null {
  const call = printCall(field);
  return call === null ? null : `${operation} {\n  ${call}${printSelection(field.type, '  ', LEVELS)}\n}\n`;
}

const INTRODUCTION = `# The book on the left: all there is.
# Ctrl+Space completes, Ctrl+Enter runs.

`;

/** How deep the example goes, and how many fields it shows of a type: it is to be read at a glance. */
const LEVELS = 2;
const FIELDS = 5;

/** Null where the value to be made up is no scalar. */
function printCall({ name, args }: GraphQLField<unknown, unknown>): string | null {
  const required = args.filter(isRequiredArgument).map(printArgument);
  if (required.includes(null)) return null;
  return required.length === 0 ? name : `${name}(${required.join(', ')})`;
}

function printArgument({ name, type }: GraphQLArgument): string | null {
  const value = printValue(type, LEVELS);
  return value === null ? null : `${name}: ${value}`;
}

function printValue(type: GraphQLInputType, levels: number): string | null {
  if (isNonNullType(type)) return printValue(type.ofType, levels);
  if (isListType(type)) {
    const item = printValue(type.ofType, levels);
    return item === null ? null : `[${item}]`;
  }
  if (isEnumType(type)) return type.getValues()[0]?.name ?? null;
  if (isScalarType(type)) return VALUES.get(type.name) ?? null;
  if (!isInputObjectType(type) || type.isOneOf || levels === 0) return null;
  const members = Object.values(type.getFields())
    .filter(isRequiredInputField)
    .map((field) => {
      const value = printValue(field.type, levels - 1);
      return value === null ? null : `${field.name}: ${value}`;
    });
  if (members.length === 0) return '{}';
  return members.includes(null) ? null : `{ ${members.join(', ')} }`;
}

const VALUES: ReadonlyMap<string, string> = new Map([
  ['Int', '7'],
  ['Float', '7'],
  ['ID', '"7"'],
  ['String', '"A"'],
  ['Boolean', 'true'],
  ['Long', '"7"'],
  ['Date', '"2026-01-31"'],
  ['DateTime', '"2026-01-31T12:00:00Z"'],
]);

/** '' of a leaf. */
function printSelection(type: GraphQLOutputType, indent: string, levels: number): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  const inner = `${indent}  `;
  const fields = isObjectType(named) || isInterfaceType(named) ? fieldsOf(named, inner, levels) : [];
  const lines = fields.length === 0 ? ['__typename'] : fields;
  return ` {\n${lines.map((line) => `${inner}${line}\n`).join('')}${indent}}`;
}

function fieldsOf(type: Pick<GraphQLObjectType, 'getFields'>, indent: string, levels: number): readonly string[] {
  const lines: string[] = [];
  for (const { name, args, type: output } of Object.values(type.getFields())) {
    if (lines.length === FIELDS) break;
    if (args.some(isRequiredArgument) || (levels === 1 && !isLeafType(getNamedType(output)))) continue;
    lines.push(`${name}${printSelection(output, indent, levels - 1)}`);
  }
  return lines;
}
