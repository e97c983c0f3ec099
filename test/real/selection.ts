import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
} from 'graphql';

/** A type within itself is followed so often. */
const AGAIN = 2;

/**
 * Everything a field can give: every field of every type it leads to, types within themselves a few
 * times.
 */
export function wholeSelection(
  field: GraphQLField<unknown, unknown>,
  schema: GraphQLSchema,
): string {
  return selectionOf(field.type, schema, []);
}

function selectionOf(
  type: GraphQLOutputType,
  schema: GraphQLSchema,
  above: readonly string[],
): string {
  const named = getNamedType(type);
  if (isObjectType(named)) return `{ ${fieldsOf(named, schema, above)} }`;
  if (!isAbstractType(named)) return '';
  const types = schema.getPossibleTypes(named);
  return (
    `{ __typename ${types
      .map(
        (each) => `... on ${each.name} { ${fieldsOf(each, schema, above)} \
}`,
      )
      .join(' ')} ` + '}'
  );
}

function fieldsOf(
  type: GraphQLObjectType,
  schema: GraphQLSchema,
  above: readonly string[],
): string {
  const within = [...above, type.name];
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    const isAgain = within.filter((name) => name === inner.name).length > AGAIN;
    return isAgain ? [] : [`${field.name} ${selectionOf(field.type, schema, within)}`];
  });
  return fields.join(' ');
}
