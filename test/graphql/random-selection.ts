import {
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

/**
 * A random selection for a type, as text, with the variables `yes` and `no`. `choose` gives numbers
 * from the generator.
 */
export function randomSelection(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  depth: number,
  choose: (below: number) => number,
): string {
  if (!isObjectType(type) && !isInterfaceType(type)) return '';
  const parts: string[] = [];
  const fields = Object.values(type.getFields());
  const inner = (of: GraphQLNamedType): string => randomSelection(schema, of, depth - 1, choose);
  for (let count = 1 + choose(5); count > 0; count--) {
    const kind = choose(8);
    if (kind === 0) parts.push('__typename');
    else if (kind === 1 && depth > 0) parts.push(`...on ${type.name}${inner(type)}`);
    else if (kind === 2 && depth > 0 && isAbstractType(type)) {
      const possible = schema.getPossibleTypes(type);
      const one = possible[choose(possible.length)];
      if (one !== undefined) parts.push(`...on ${one.name}${inner(one)}`);
    } else {
      const field = fields[choose(fields.length)];
      if (field === undefined) continue;
      const named = getNamedType(field.type);
      if (isCompositeType(named) && depth === 0) continue;
      const directive = ['', '', '', ' @skip(if:$yes)', ' @include(if:$yes)', ' @include(if:$no)'][
        choose(6)
      ];
      const alias = choose(4) === 0 ? `${field.name}${choose(2)}:` : '';
      parts.push(`${alias}${field.name}${directive}${inner(named)}`);
    }
  }
  return `{${parts.length === 0 ? '__typename' : parts.join(' ')}}`;
}
