import { type GraphQLInputType, getNamedType, isEnumType } from 'graphql';
import { nearest } from '../../base/nearest.js';

/** Enumerations with more values are not searched: each comparison takes time. */
const VALUES_MAX = 500;

/** Names the value of an enumeration that is nearest to a wrong one, for the end of a message; '' where none is near. */
export function enumHint(type: GraphQLInputType, wrong: unknown): string {
  const named = getNamedType(type);
  if (typeof wrong !== 'string' || !isEnumType(named)) return '';
  const values = named.getValues();
  const near =
    values.length > VALUES_MAX
      ? null
      : nearest(
          wrong,
          values.map(({ name }) => name),
        );
  return near === null ? '' : `; did you mean ${near}?`;
}
